package dev.leat.sql.internal.operation;

import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.AddressInUseException;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.TaskInserts;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.Notice;
import dev.leat.storage.OperatorRules;
import dev.leat.storage.Reasons;
import dev.leat.storage.Redriven;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The actions of operators on tasks and queues, within one unit of work. */
public final class Operators {
    /** The number of tasks that are loaded at once. */
    private static final int TASKS_PER_LOAD = 1_000;

    private final UnitOfWork unit;

    public Operators(UnitOfWork unit) {
        this.unit = unit;
    }

    // One task

    public TaskEvent kick(long taskId) {
        TaskRow row = unit.tasks.get(taskId);
        if (!OperatorRules.mayKick(row.state.task)) {
            return row.event(TaskEvent.Kind.UNCHANGED);
        }
        TaskRow holder = addressHolder(row);
        if (holder != null) {
            throw new AddressInUseException(
                    row.queue.name(), row.given.address().orElseThrow(), holder.id);
        }
        unit.lifecycle.kick(row);
        return row.event(TaskEvent.Kind.KICK);
    }

    private @Nullable TaskRow addressHolder(TaskRow row) {
        return row.given.address().isEmpty()
                ? null
                : new TaskInserts(unit).holder(row.queue, row.given.address().get());
    }

    public TaskEvent delete(long taskId) {
        TaskRow row = unit.tasks.get(taskId);
        if (!OperatorRules.mayDelete(row.state.task)) {
            return row.event(TaskEvent.Kind.UNCHANGED);
        }
        unit.lifecycle.drop(row, TaskState.CANCELED, Reasons.DELETED);
        return row.event(TaskEvent.Kind.DELETE);
    }

    public TaskEvent cancel(long taskId, String reason) {
        TaskRow row = unit.tasks.get(taskId);
        OperatorRules.Cancel cancel = OperatorRules.Cancel.of(row.state.task, row.cancelRequested());
        if (cancel == OperatorRules.Cancel.ASK_HOLDER) {
            unit.lifecycle.requestCancel(row, reason);
            if (row.session != null) {
                unit.notice(new Notice.SessionNews(row.session));
            }
        } else if (cancel == OperatorRules.Cancel.END) {
            unit.lifecycle.drop(row, TaskState.CANCELED, reason);
            return row.event(TaskEvent.Kind.DELETE);
        }
        return row.event(TaskEvent.Kind.UNCHANGED);
    }

    public TaskEvent bury(long taskId, String message) {
        TaskRow row = unit.tasks.get(taskId);
        if (!OperatorRules.mayBury(row.state.task)) {
            return row.event(TaskEvent.Kind.UNCHANGED);
        }
        unit.lifecycle.drop(row, TaskState.BURIED, message);
        return row.event(TaskEvent.Kind.BURY);
    }

    // A queue

    /** Kicks buried tasks by (priority, id). Tasks whose address another task has stay buried. */
    public List<TaskEvent> kick(String queue, int count) {
        QueueRow q = unit.queues.get(queue);
        List<TaskEvent> kicked = new ArrayList<>();
        List<Place> block = buried(q, new Place(Long.MIN_VALUE, 0));
        while (!block.isEmpty() && kicked.size() < count) {
            for (TaskRow row : unit.tasks.load(ids(block), RowState.BURIED)) {
                if (kicked.size() < count && addressHolder(row) == null) {
                    unit.lifecycle.kick(row);
                    kicked.add(row.event(TaskEvent.Kind.KICK));
                }
            }
            block = buried(q, block.get(block.size() - 1));
        }
        return kicked;
    }

    /** Kicks the next tasks that match a query, by id. Tasks whose address another task has stay buried. */
    public Redriven redrive(TaskQuery query) {
        List<Long> ids = new Lookups(unit).buried(query);
        List<TaskEvent> kicked = new ArrayList<>();
        for (TaskRow row : unit.tasks.load(ids, RowState.BURIED)) {
            if (addressHolder(row) == null) {
                unit.lifecycle.kick(row);
                kicked.add(row.event(TaskEvent.Kind.KICK));
            }
        }
        boolean isMore = ids.size() == query.limit();
        return new Redriven(kicked, isMore ? OptionalLong.of(ids.get(ids.size() - 1)) : OptionalLong.empty());
    }

    private record Place(long priority, long id) {}

    private List<Place> buried(QueueRow queue, Place after) {
        unit.tasks.flush();
        return unit.tx.list(
                "buried-of-queue",
                row -> new Place(row.getLong(2), row.getLong(1)),
                queue.id(),
                after.priority,
                after.priority,
                after.id,
                TASKS_PER_LOAD);
    }

    private static List<Long> ids(List<Place> places) {
        return places.stream().map(Place::id).toList();
    }

    public void drop(String queue) {
        // The queue is removed first, so that a group that ends by this puts its closing task into a new queue.
        dropTasks(unit.queues.remove(queue), Reasons.QUEUE_DROPPED);
    }

    /** Ends tasks whose put or take was committed after their queue was dropped. */
    public void dropLeftovers(QueueRow queue) {
        dropTasks(queue, Reasons.QUEUE_DROPPED);
    }

    public long truncate(String queue) {
        return dropTasks(unit.queues.get(queue), Reasons.QUEUE_TRUNCATED);
    }

    private long dropTasks(QueueRow queue, String why) {
        long id = queue.id();
        long dropped = 0;
        for (List<Long> block : blocks(unit.tasks.ids("live-of-queue", values -> values.set("queue_id", id)))) {
            for (TaskRow row : unit.tasks.load(block, RowState.live())) {
                // The end of one task can cancel others of its group.
                if (row.state.isLive()) {
                    unit.lifecycle.drop(row, TaskState.CANCELED, why);
                    unit.addEvent(row.event(TaskEvent.Kind.DELETE));
                    dropped++;
                }
            }
        }
        return dropped;
    }

    public long releaseAll(String queue) {
        List<Long> taken =
                unit.tasks.ids("taken-of-queue", unit.queues.get(queue).id());
        long released = 0;
        for (List<Long> block : blocks(taken)) {
            for (TaskRow row : unit.tasks.load(block, RowState.TAKEN)) {
                unit.lifecycle.revoke(row);
                unit.addEvent(row.event(TaskEvent.Kind.RELEASE));
                released++;
            }
        }
        return released;
    }

    private static List<List<Long>> blocks(List<Long> ids) {
        List<List<Long>> blocks = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += TASKS_PER_LOAD) {
            blocks.add(ids.subList(from, Math.min(from + TASKS_PER_LOAD, ids.size())));
        }
        return blocks;
    }
}
