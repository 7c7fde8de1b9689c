package dev.leat.sql.internal.work;

import dev.leat.NewTask;
import dev.leat.Predecessor.Until;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.row.GroupRow;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.storage.EquivalenceHash;
import dev.leat.storage.TaskLimits;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the rows of new tasks, within one unit of work, and lets each row pass its gates. */
public final class TaskInserts {
    private final UnitOfWork unit;

    public TaskInserts(UnitOfWork unit) {
        this.unit = unit;
    }

    /** The live, unburied task that has the address. */
    @Nullable
    public TaskRow holder(QueueRow queue, String address) {
        List<Long> ids = unit.tasks.ids("find-address", queue.id(), address);
        return ids.isEmpty() ? null : unit.tasks.find(ids.get(0));
    }

    /**
     * Puts an end, abort or dead task or a copy of a publication. The put is never refused: it ignores the capacity, makes a missing queue,
     * and leaves out a group that takes no tasks any more.
     */
    long putFollowUp(NewTask task) {
        QueueRow queue = ensure(task.queue());
        TaskRow existing =
                task.address().isEmpty() ? null : holder(queue, task.address().get());
        if (existing != null) {
            return existing.id;
        }
        GroupRow group = unit.groups.hold(task.group().orElse(0));
        NewTask free = group != null && group.takesTasks() ? task : task.withoutGroup();
        TaskRow row = add(queue, free, unit.tasks.newId(), Map.of());
        unit.addEvent(row.event(TaskEvent.Kind.PUT));
        return row.id;
    }

    public QueueRow ensure(String name) {
        QueueRow queue = unit.queues.find(name);
        return queue != null ? queue : unit.queues.add(name, QueueOptions.standard(), QueueInfo.SetBy.CODE);
    }

    /** @param before the tasks that the new one comes after */
    public TaskRow add(QueueRow queue, NewTask task, long id, Map<Long, Until> before) {
        QueueOptions options = queue.options();
        TaskRow row = new TaskRow(id, queue, task, task.priority().orElse(options.priority()), unit.now);
        row.due = due(task);
        long ttl = Times.micros(TaskLimits.ttl(task, options));
        row.expires = ttl == 0 ? 0 : row.due + ttl;
        row.ttr = Times.micros(TaskLimits.ttr(task, options));
        row.random = queue.takesAtRandom() ? unit.randomPlace() : 0;
        row.takeType = queue.takeType(task);
        row.spread = queue.spread(task);
        row.payloadHash = EquivalenceHash.ofPayload(task);
        if (row.groupId() != 0) {
            unit.groups.counts.joined(row.groupId());
        }
        if (!before.isEmpty()) {
            unit.dependencies.follow(row, before);
        }
        row.waitsForOthers |= row.predecessorFailure != null;
        unit.lifecycle.passGates(row);
        if (row.predecessorFailure != null) {
            // SQLite takes the next id from the rows: the id of a row that is never written would be used again.
            unit.tasks.flush();
            unit.lifecycle.drop(row, TaskState.CANCELED, row.predecessorFailure);
            unit.addEvent(row.event(TaskEvent.Kind.DELETE));
        }
        return row;
    }

    private long due(NewTask task) {
        Instant now = unit.instant();
        Instant due = task.due().after(now);
        return due.equals(now) ? unit.now : Times.micros(due);
    }
}
