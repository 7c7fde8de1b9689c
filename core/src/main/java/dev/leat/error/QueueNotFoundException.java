package dev.leat.error;

/** The queue does not exist, and this call does not make it. */
public final class QueueNotFoundException extends LeatException {
    private static final long serialVersionUID = 1L;
    private static final String ADVICE = " Create it with leat.queue(name).create(options), or put a task into it.";

    public QueueNotFoundException(String queue) {
        super("No queue named '" + queue + "'.", ADVICE);
    }

    QueueNotFoundException(ErrorCode.Told told) {
        super(told.message(), ADVICE);
    }
}
