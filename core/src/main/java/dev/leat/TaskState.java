package dev.leat;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** The states of a task; {@code docs/state-machine.md} shows the moves between them. */
public enum TaskState {
    /** Waits for its group, for tasks of its group, or for a running task with the same key. */
    WAITING,
    /** Its due time has not come. */
    SCHEDULED,
    /** The next {@code take} can get the task. */
    READY,
    /** A consumer holds the lease of the task. */
    TAKEN,
    /** On the dead-letter list, until an operator kicks or deletes the task. */
    BURIED,
    /** Acknowledged. */
    DONE,
    /** Ended with an error, by the queue's exhaustion policy. */
    FAILED,
    /** Its time to live is over. */
    EXPIRED,
    /** Deleted, canceled, or dropped with its group. */
    CANCELED;

    private static final Set<TaskState> LIVE =
            Collections.unmodifiableSet(EnumSet.of(WAITING, SCHEDULED, READY, TAKEN, BURIED));
    private static final Set<TaskState> FINISHED =
            Collections.unmodifiableSet(EnumSet.of(DONE, FAILED, EXPIRED, CANCELED));

    /** The states of a task that can still run. */
    public static Set<TaskState> live() {
        return LIVE;
    }

    /** The states of a task that never runs again. */
    public static Set<TaskState> finished() {
        return FINISHED;
    }

    public boolean isLive() {
        return ordinal() <= BURIED.ordinal();
    }

    public boolean isFinished() {
        return !isLive();
    }

    /** Whether a task in this state counts as a failure for its group and for waiters. */
    public boolean isFailure() {
        return this == FAILED || this == EXPIRED || this == BURIED;
    }
}
