package dev.leat.error;

/** There is no such live task, and no record of a finished one. */
public final class TaskNotFoundException extends LeatException {
    private static final long serialVersionUID = 1L;

    public TaskNotFoundException(long taskId) {
        super("Task " + taskId + " not found. It never existed, or its retention has passed.");
    }

    TaskNotFoundException(ErrorCode.Told told) {
        super(told.message());
    }
}
