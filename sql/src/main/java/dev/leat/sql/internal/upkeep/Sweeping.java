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
 * Makes the timed changes of tasks, within one unit of work: due times, expiry, ends of leases. Each call on the general path first makes up to 1,000
 * of them, so that no caller waits for a sweeper. The next sweep returns the events of such changes.
 */
public final class Sweeping {
    /** The number of due tasks that one statement reads. */
    private static final int TASKS_PER_READ = 1_000;

    private final UnitOfWork unit;
    private final Tx tx;

    public Sweeping(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    private record Due(long id, RowState state) {}

    /** Changes about {@code limit} tasks whose timers are due. */
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
                Math.max(0, Math.min(limit, TASKS_PER_READ)));
    }

    private void handle(List<Due> block) {
        unit.tasks.load(block.stream().map(Due::id).toList());
        for (Due due : block) {
            TaskRow row = unit.tasks.find(due.id);
            // The change of one task can end others, such as the tasks of a group that fails.
            if (row != null && row.timerAt() != 0 && row.timerAt() <= unit.now) {
                timerFired(row);
            }
        }
    }

    private void timerFired(TaskRow row) {
        TaskTimer.Change change = TaskTimer.Change.of(row.state.task, row.revokeAt != 0 && row.revokeAt <= unit.now);
        switch (change) {
            case PROMOTE -> unit.lifecycle.passGates(row);
            case REVOKE -> unit.lifecycle.drop(row, TaskState.CANCELED, Reasons.CANCEL_GRACE_OVER);
            case LOSE -> unit.lifecycle.lose(row, Reasons.TIME_LIMIT_REACHED);
            case EXPIRE -> unit.lifecycle.drop(row, TaskState.EXPIRED, Reasons.TIME_TO_LIVE_OVER);
        }
        unit.addEvent(row.event(change.event));
    }

    /** The next timer of a task; 0 for none. */
    public long nextTimer() {
        unit.tasks.flush();
        return tx.number("next-timer");
    }
}
