package dev.leat.error;

/** The task has ended, and its outcome is no longer kept. */
public final class OutcomeForgottenException extends LeatException {
    private static final long serialVersionUID = 1L;
    private static final String ADVICE = " Raise the retention of its queue to keep outcomes longer.";

    public OutcomeForgottenException(long taskId) {
        super("Task " + taskId + " has ended, and its outcome is no longer kept.", ADVICE);
    }

    OutcomeForgottenException(ErrorCode.Told told) {
        super(told.message(), ADVICE);
    }
}
