package dev.leat;

import dev.leat.storage.SettledBy;

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
        UNCHANGED;

        /** What a settle has done to its task. */
        public static Kind of(Settle settle, SettleResult result) {
            if (result.status() != SettleResult.Status.DONE) {
                return UNCHANGED;
            }
            if (result.state() == TaskState.EXPIRED) {
                return EXPIRE;
            }
            if (result.state() == TaskState.CANCELED) {
                return DELETE;
            }
            return switch (SettledBy.of(settle)) {
                case ACK -> ACK;
                case FAIL, RETRY -> FAIL;
                case BURY -> BURY;
                case RELEASE, GIVE_BACK, CANCEL, NOTHING -> RELEASE;
            };
        }
    }
}
