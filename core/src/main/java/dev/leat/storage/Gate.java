package dev.leat.storage;

import dev.leat.GroupInfo;
import dev.leat.TaskState;
import org.jspecify.annotations.Nullable;

/** The gates that a task passes before it is READY, in their order (rule 2). A busy key is no gate: only a take meets it. */
public enum Gate {
    GROUP(TaskState.WAITING),
    PREDECESSORS(TaskState.WAITING),
    DUE_TIME(TaskState.SCHEDULED),
    /** All gates are open. */
    NONE(TaskState.READY);

    /** The state of a task whose first closed gate is this one. */
    public final TaskState state;

    Gate(TaskState state) {
        this.state = state;
    }

    /**
     * The first gate that is closed.
     *
     * @param group the state of the task's group; null without a group
     * @param waitsForOthers whether tasks that this one comes after have not ended
     * @param isDue whether the due time has come
     */
    public static Gate firstClosed(GroupInfo.@Nullable State group, boolean waitsForOthers, boolean isDue) {
        if (group == GroupInfo.State.OPEN) {
            return GROUP;
        } else if (waitsForOthers) {
            return PREDECESSORS;
        } else if (!isDue) {
            return DUE_TIME;
        }
        return NONE;
    }
}
