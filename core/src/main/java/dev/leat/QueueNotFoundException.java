package dev.leat;

/** The named queue does not exist, and this call does not create one. */
public final class QueueNotFoundException extends LeatException {
    private static final long serialVersionUID = 1L;

    public QueueNotFoundException(String queue) {
        super("No queue named '" + queue
                + "'. Create it with leat.queue(name).create(options), or put a task into it.");
    }

    QueueNotFoundException(Refusal.Told told) {
        super(told.message());
    }
}
