package dev.leat.sql.internal.row;

import dev.leat.TaskState;
import java.util.Arrays;

/** The states of a row, with their codes in the database: the states of a task, with one state for each reason to wait. */
public enum RowState {
    WAITING_GROUP(1, TaskState.WAITING),
    SCHEDULED(2, TaskState.SCHEDULED),
    WAITING_KEY(3, TaskState.WAITING),
    READY(4, TaskState.READY),
    TAKEN(5, TaskState.TAKEN),
    BURIED(6, TaskState.BURIED),
    DONE(11, TaskState.DONE),
    FAILED(12, TaskState.FAILED),
    EXPIRED(13, TaskState.EXPIRED),
    CANCELED(14, TaskState.CANCELED);

    private static final RowState[] BY_CODE = new RowState[CANCELED.code + 1];

    static {
        for (RowState state : values()) {
            BY_CODE[state.code] = state;
        }
    }

    public final int code;
    public final TaskState task;

    RowState(int code, TaskState task) {
        this.code = code;
        this.task = task;
    }

    public static RowState of(int code) {
        return BY_CODE[code];
    }

    /** The row state of a task that is buried or finished. */
    public static RowState ofEnd(TaskState state) {
        return switch (state) {
            case BURIED -> BURIED;
            case DONE -> DONE;
            case FAILED -> FAILED;
            case EXPIRED -> EXPIRED;
            case CANCELED -> CANCELED;
            case WAITING, SCHEDULED, READY, TAKEN ->
                throw new IllegalArgumentException(state + " is not the end of a task");
        };
    }

    public static RowState[] live() {
        return Arrays.stream(values()).filter(RowState::isLive).toArray(RowState[]::new);
    }

    public boolean isLive() {
        return task.isLive();
    }
}
