package dev.leat;

/**
 * The result of one settle.
 *
 * @param status whether the settle was accepted
 * @param queue the task's queue; an empty text when the task no longer exists
 * @param state the task's state after the settle; CANCELED for {@code GONE}
 */
public record SettleResult(Status status, String queue, TaskState state) {
    private static final SettleResult GONE = new SettleResult(Status.GONE, "", TaskState.CANCELED);

    public enum Status {
        /** The settle was accepted. */
        DONE,
        /** The same settle was accepted before; nothing changed. */
        ALREADY,
        /** The lease is lost, or another settle came first; nothing changed. */
        GONE,
        /** The settle of a transactional handler takes effect with the commit of its transaction. */
        PENDING
    }

    public static SettleResult done(String queue, TaskState state) {
        return new SettleResult(Status.DONE, queue, state);
    }

    public static SettleResult already(String queue, TaskState state) {
        return new SettleResult(Status.ALREADY, queue, state);
    }

    public static SettleResult gone() {
        return GONE;
    }

    public static SettleResult pending(String queue) {
        return new SettleResult(Status.PENDING, queue, TaskState.TAKEN);
    }

    /** Whether the settle was accepted now or before, or is pending. */
    public boolean accepted() {
        return status != Status.GONE;
    }
}
