package dev.leat.error;

/** A put would take the queue over its capacity. */
public final class QueueFullException extends LeatException {
    private static final long serialVersionUID = 1L;
    private static final String ADVICE = " Put with a timeout to wait for space.";

    public QueueFullException(String queue, int capacity) {
        super("Queue '" + queue + "' is full (capacity " + capacity + ").", ADVICE);
    }

    QueueFullException(ErrorCode.Told told) {
        super(told.message(), ADVICE);
    }
}
