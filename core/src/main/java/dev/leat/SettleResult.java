package dev.leat;

/**
 * What became of one settle.
 *
 * @param status whether the settle was accepted
 * @param queue the task's queue; empty when the task is gone
 * @param state the task's state after it; for {@code GONE}, CANCELED stands for "no longer yours"
 */
public record SettleResult(Status status, String queue, TaskState state) {
    private static final SettleResult GONE = new SettleResult(Status.GONE, "", TaskState.CANCELED);

    public enum Status {
        /** The lease was held and the task has moved on. */
        DONE,
        /** This very settle had been accepted before; nothing changed now. */
        ALREADY,
        /** The lease is lost, or was settled in another way. Nothing changed. */
        GONE,
        /** Noted: the outcome of a transactional handler counts when its transaction is committed. */
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

    /** The outcome stands: it was accepted now or before, or will be with the handler's transaction. */
    public boolean accepted() {
        return status != Status.GONE;
    }
}
