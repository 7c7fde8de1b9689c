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
    /** What can happen to a task. */
    public enum Kind {
        PUT,
        /** Its due time came. */
        DUE,
        TAKE,
        ACK,
        /** An attempt failed; the state tells what follows. */
        FAIL,
        /** Given back without blame. */
        RELEASE,
        BURY,
        KICK,
        TOUCH,
        /** Deleted or canceled. */
        DELETE,
        /** Its time to live ran out. */
        EXPIRE,
        /** Its lease was lost: crash, disconnect or time limit. */
        LOST,
        /** What a verb answers that had nothing to change; listeners never hear it. */
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
