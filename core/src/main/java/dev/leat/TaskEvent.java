package dev.leat;

/**
 * One change of one task, made through this Leat and already committed.
 *
 * @param kind what happened
 * @param queue the task's queue
 * @param taskId the task
 * @param state its state after the change
 */
public record TaskEvent(Kind kind, String queue, long taskId, TaskState state) {
    /** The kinds of changes. */
    public enum Kind {
        PUT,
        /** Its due time came. */
        DUE,
        TAKE,
        ACK,
        /** An attempt failed; the state shows what follows. */
        FAIL,
        /** Returned without a charge. */
        RELEASE,
        BURY,
        KICK,
        TOUCH,
        /** Deleted or canceled. */
        DELETE,
        /** Its time to live ran out. */
        EXPIRE,
        /** Its lease was lost by a crash, a disconnect or the time limit. */
        LOST,
        /** The call changed nothing; listeners do not receive it. */
        UNCHANGED
    }

    /** The change that a settle has made. */
    public static TaskEvent of(Settle settle, SettleResult result) {
        return new TaskEvent(
                kind(settle, result), result.queue(), settle.lease().taskId(), result.state());
    }

    private static Kind kind(Settle settle, SettleResult result) {
        if (result.status() != SettleResult.Status.DONE) {
            return Kind.UNCHANGED;
        }
        if (result.state() == TaskState.EXPIRED) {
            return Kind.EXPIRE;
        }
        if (result.state() == TaskState.CANCELED) {
            return Kind.DELETE;
        }
        if (settle instanceof Settle.Ack) {
            return Kind.ACK;
        }
        if (settle instanceof Settle.Bury) {
            return Kind.BURY;
        }
        boolean charged = settle instanceof Settle.Fail || settle instanceof Settle.Retry;
        return charged ? Kind.FAIL : Kind.RELEASE;
    }
}
