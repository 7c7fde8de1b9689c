package dev.leat;

/** A put would take the queue over its capacity. */
public final class QueueFullException extends LeatException {
    private static final long serialVersionUID = 1L;

    public QueueFullException(String queue, int capacity) {
        super("Queue '" + queue + "' is full (capacity " + capacity + "). Put with a timeout to wait for space.");
    }

    QueueFullException(Refusal.Told told) {
        super(told.message());
    }
}
