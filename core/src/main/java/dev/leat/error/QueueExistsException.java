package dev.leat.error;

/** A queue of that name exists already. */
public final class QueueExistsException extends LeatException {
    private static final long serialVersionUID = 1L;
    private static final String ADVICE = " Use declare(options) to create it only when it is missing.";

    public QueueExistsException(String queue) {
        super("A queue named '" + queue + "' exists already.", ADVICE);
    }

    QueueExistsException(ErrorCode.Told told) {
        super(told.message(), ADVICE);
    }
}
