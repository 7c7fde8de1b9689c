package dev.leat;

import java.util.OptionalLong;

/**
 * A group as it was at one moment.
 *
 * @param id names it in {@link NewTask.Builder#group}
 * @param state how far it is
 * @param total tasks ever put into it
 * @param open tasks not yet running: waiting, scheduled or ready
 * @param running tasks that are taken
 * @param done tasks that were acknowledged
 * @param failed tasks that failed, expired or are buried
 * @param canceled tasks that were deleted or canceled
 * @param exact false when more tasks are left than are counted one by one: then {@code open} and {@code total} are "at least" that
 * @param closingTask the end or abort task that was put when the group ended
 */
public record GroupInfo(
        long id,
        String name,
        State state,
        long total,
        long open,
        long running,
        long done,
        long failed,
        long canceled,
        boolean exact,
        OptionalLong closingTask) {

    /** The life of a group. */
    public enum State {
        /** Collecting tasks; none of them runs. */
        OPEN,
        /** Its tasks run. */
        STARTED,
        /** Canceled; running tasks are left to end. */
        CANCELING,
        /** All tasks have ended and the end task was put. */
        COMPLETED,
        /** Ended after a cancel; the abort task was put. */
        CANCELED,
        /** Ended after a task failed the group; the abort task was put. */
        FAILED;

        public boolean isEnded() {
            return ordinal() >= COMPLETED.ordinal();
        }
    }
}
