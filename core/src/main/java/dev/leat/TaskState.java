package dev.leat;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Where a task is in its life; {@code docs/state-machine.md} draws the ways between. */
public enum TaskState {
    /** Behind a gate: its group has not started, or a task of its key is running. */
    WAITING,
    /** Its due time has not come. */
    SCHEDULED,
    /** The next {@code take} may have it. */
    READY,
    /** Somebody holds its lease. */
    TAKEN,
    /** Put aside until somebody kicks or deletes it: the dead-letter list. */
    BURIED,
    /** Acknowledged. */
    DONE,
    /** Ended with an error, by the queue's exhaustion policy. */
    FAILED,
    /** Its time to live ran out. */
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

    /** Whether a task in this state has failed its group and whoever waits for it. */
    public boolean isFailure() {
        return this == FAILED || this == EXPIRED || this == BURIED;
    }
}
