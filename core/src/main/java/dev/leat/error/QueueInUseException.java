package dev.leat.error;

/** The queue cannot be dropped while it has taken tasks or waiting consumers. */
public final class QueueInUseException extends LeatException {
    private static final long serialVersionUID = 1L;

    public QueueInUseException(String queue, String use) {
        super("Queue '" + queue + "' cannot be dropped: " + use + ".");
    }

    QueueInUseException(ErrorCode.Told told) {
        super(told.message());
    }
}
