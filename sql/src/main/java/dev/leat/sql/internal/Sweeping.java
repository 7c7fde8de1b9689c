package dev.leat.sql.internal;

import dev.leat.TaskEvent;
import dev.leat.TaskState;
import java.util.List;

/**
 * Does what time demands of tasks, within one turn: promotes, expires, ends leases. Every turn begins with a block of it, so
 * that nobody waits for a sweeper; what a turn did in passing is told by the next sweep.
 */
final class Sweeping {
    private static final int BLOCK = 1_000;

    private final Turn turn;
    private final Tx tx;

    Sweeping(Turn turn) {
        this.turn = turn;
        this.tx = turn.tx;
    }

    private record Due(long id, RowState state) {}

    /** Changes about {@code limit} tasks whose moment has come. */
    void catchUp(int limit) {
        if (!turn.isAnythingDue()) {
            return;
        }
        int left = limit;
        List<Due> block = due(left);
        while (!block.isEmpty() && left > 0) {
            handle(block);
            left -= block.size();
            block = due(left);
        }
    }

    private List<Due> due(int limit) {
        turn.tasks.flush();
        return tx.list(
                "due-tasks",
                row -> new Due(row.getLong(1), RowState.of(row.getInt(2))),
                turn.now,
                Math.max(0, Math.min(limit, BLOCK)));
    }

    private void handle(List<Due> block) {
        turn.tasks.load(block.stream().map(Due::id).toList());
        for (Due due : block) {
            TaskRow row = turn.tasks.find(due.id);
            // One change may have been the end of another, such as those of a group that failed.
            if (row != null && row.timerAt() != 0 && row.timerAt() <= turn.now) {
                timeCame(row);
            }
        }
    }

    private void timeCame(TaskRow row) {
        switch (row.state) {
            case SCHEDULED -> {
                turn.lifecycle.passGates(row);
                turn.tellLater(row.event(TaskEvent.Kind.DUE));
            }
            case TAKEN -> {
                if (row.revokeAt != 0 && row.revokeAt <= turn.now) {
                    turn.lifecycle.drop(row, TaskState.CANCELED, "canceled, and did not stop in time");
                    turn.tellLater(row.event(TaskEvent.Kind.DELETE));
                } else {
                    turn.lifecycle.lose(row, "time limit reached");
                    turn.tellLater(row.event(TaskEvent.Kind.LOST));
                }
            }
            default -> {
                turn.lifecycle.drop(row, TaskState.EXPIRED, "time to live ran out");
                turn.tellLater(row.event(TaskEvent.Kind.EXPIRE));
            }
        }
    }

    /** When time changes a task next; 0 for never. */
    long nextTimer() {
        turn.tasks.flush();
        return tx.number("next-timer");
    }
}
