package dev.leat.sql.internal.upkeep;

import dev.leat.TaskState;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.Reasons;
import dev.leat.storage.TaskTimer;
import java.util.List;

/**
 * Does what time demands of tasks, within one unit of work: promotes, expires, ends leases. Every turn begins with a block of it, so
 * that nobody waits for a sweeper; what a turn did in passing is told by the next sweep.
 */
public final class Sweeping {
    private static final int BLOCK = 1_000;

    private final UnitOfWork unit;
    private final Tx tx;

    public Sweeping(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    private record Due(long id, RowState state) {}

    /** Changes about {@code limit} tasks whose moment has come. */
    public void catchUp(int limit) {
        if (!unit.isAnythingDue()) {
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
        unit.tasks.flush();
        return tx.list(
                "due-tasks",
                row -> new Due(row.getLong(1), RowState.of(row.getInt(2))),
                unit.now,
                Math.max(0, Math.min(limit, BLOCK)));
    }

    private void handle(List<Due> block) {
        unit.tasks.load(block.stream().map(Due::id).toList());
        for (Due due : block) {
            TaskRow row = unit.tasks.find(due.id);
            // One change may have been the end of another, such as those of a group that failed.
            if (row != null && row.timerAt() != 0 && row.timerAt() <= unit.now) {
                timeCame(row);
            }
        }
    }

    private void timeCame(TaskRow row) {
        TaskTimer.Change change = TaskTimer.Change.of(row.state.task, row.revokeAt != 0 && row.revokeAt <= unit.now);
        switch (change) {
            case PROMOTE -> unit.lifecycle.passGates(row);
            case REVOKE -> unit.lifecycle.drop(row, TaskState.CANCELED, Reasons.CANCEL_GRACE_OVER);
            case LOSE -> unit.lifecycle.lose(row, Reasons.TIME_LIMIT_REACHED);
            case EXPIRE -> unit.lifecycle.drop(row, TaskState.EXPIRED, Reasons.TIME_TO_LIVE_OVER);
        }
        unit.tellLater(row.event(change.event));
    }

    /** When time changes a task next; 0 for never. */
    public long nextTimer() {
        unit.tasks.flush();
        return tx.number("next-timer");
    }
}
