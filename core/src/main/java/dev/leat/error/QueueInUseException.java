package dev.leat.error;

/** The queue cannot be dropped while somebody uses it. */
public final class QueueInUseException extends LeatException {
    private static final long serialVersionUID = 1L;

    public QueueInUseException(String queue, String use) {
        super("Queue '" + queue + "' cannot be dropped: " + use + ".");
    }

    QueueInUseException(ErrorCode.Told told) {
        super(told.message());
    }
}
