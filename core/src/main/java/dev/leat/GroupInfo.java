package dev.leat;

import java.util.OptionalLong;

/**
 * A group as it was at one moment.
 *
 * @param id the id for {@link NewTask.Builder#group}
 * @param state the state of the group
 * @param total all tasks that were put into the group
 * @param open tasks not yet running: waiting, scheduled or ready
 * @param running tasks that are taken
 * @param done tasks that were acknowledged
 * @param failed tasks that failed, expired or are buried
 * @param canceled tasks that were deleted or canceled
 * @param exact false when more tasks are left than Leat counts; then {@code open} and {@code total} are lower bounds
 * @param closingTask the end or abort task, put when the group ended
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
        /** Collects tasks; none of them runs. */
        OPEN,
        /** Its tasks run. */
        STARTED,
        /** Canceled; running tasks have not ended yet. */
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
