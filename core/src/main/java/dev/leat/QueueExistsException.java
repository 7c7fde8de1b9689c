package dev.leat;

/** A queue of that name exists already. */
public final class QueueExistsException extends LeatException {
    private static final long serialVersionUID = 1L;

    public QueueExistsException(String queue) {
        super("A queue named '" + queue
                + "' exists already. Use declare(options) to create it only when it is missing.");
    }

    QueueExistsException(Refusal.Told told) {
        super(told.message());
    }
}
