package dev.leat.storage;

import dev.leat.TaskEvent;
import dev.leat.TaskState;

/** The moment at which time changes a task. The column timer_at of SQL storages follows the same rule. */
public enum TaskTimer {
    DUE_TIME,
    /** The time limit of the lease, or the end of the cancel grace, whichever comes first. */
    LEASE,
    TIME_TO_LIVE,
    NONE;

    /** The time to live expires WAITING, READY and BURIED tasks, but no SCHEDULED or TAKEN task (rule 5). */
    public static TaskTimer of(TaskState state) {
        return switch (state) {
            case SCHEDULED -> DUE_TIME;
            case TAKEN -> LEASE;
            case WAITING, READY, BURIED -> TIME_TO_LIVE;
            case DONE, FAILED, EXPIRED, CANCELED -> NONE;
        };
    }

    /** What happens to a task when its timer fires. */
    public enum Change {
        /** The task passes its gates again. */
        PROMOTE(TaskEvent.Kind.DUE),
        /** The task is canceled and its lease revoked. */
        REVOKE(TaskEvent.Kind.DELETE),
        LOSE(TaskEvent.Kind.LOST),
        EXPIRE(TaskEvent.Kind.EXPIRE);

        /** What task listeners receive. */
        public final TaskEvent.Kind event;

        Change(TaskEvent.Kind event) {
            this.event = event;
        }

        /** @param isGraceOver whether the task was canceled and its holder has not settled in time */
        public static Change of(TaskState state, boolean isGraceOver) {
            return switch (TaskTimer.of(state)) {
                case DUE_TIME -> PROMOTE;
                case LEASE -> isGraceOver ? REVOKE : LOSE;
                case TIME_TO_LIVE -> EXPIRE;
                case NONE -> throw new IllegalArgumentException(state + " has no timer");
            };
        }
    }
}
