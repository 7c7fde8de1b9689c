package dev.leat.sql.internal;

import dev.leat.AddressInUseException;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.storage.Notice;
import dev.leat.storage.Redriven;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What people do to tasks and to whole queues, within one turn. */
final class Operators {
    private static final int BLOCK = 1_000;

    private final Turn turn;

    Operators(Turn turn) {
        this.turn = turn;
    }

    // One task

    TaskEvent kick(long taskId) {
        TaskRow row = turn.tasks.get(taskId);
        if (row.state != RowState.BURIED) {
            return row.event(TaskEvent.Kind.UNCHANGED);
        }
        TaskRow holder = addressHolder(row);
        if (holder != null) {
            throw new AddressInUseException(
                    row.queue.name(), row.given.address().orElseThrow(), holder.id);
        }
        turn.lifecycle.kick(row);
        return row.event(TaskEvent.Kind.KICK);
    }

    private @Nullable TaskRow addressHolder(TaskRow row) {
        return row.given.address().isEmpty()
                ? null
                : new TaskInserts(turn).holder(row.queue, row.given.address().get());
    }

    TaskEvent delete(long taskId) {
        TaskRow row = turn.tasks.get(taskId);
        if (!row.state.isLive()) {
            return row.event(TaskEvent.Kind.UNCHANGED);
        }
        turn.lifecycle.drop(row, TaskState.CANCELED, "deleted");
        return row.event(TaskEvent.Kind.DELETE);
    }

    TaskEvent cancel(long taskId, String reason) {
        TaskRow row = turn.tasks.get(taskId);
        if (row.state == RowState.TAKEN && !row.cancelRequested()) {
            turn.lifecycle.requestCancel(row, reason);
            if (row.session != null) {
                turn.notice(new Notice.SessionNews(row.session));
            }
        } else if (row.state.isLive() && row.state != RowState.TAKEN) {
            turn.lifecycle.drop(row, TaskState.CANCELED, reason);
            return row.event(TaskEvent.Kind.DELETE);
        }
        return row.event(TaskEvent.Kind.UNCHANGED);
    }

    TaskEvent bury(long taskId, String message) {
        TaskRow row = turn.tasks.get(taskId);
        if (!row.state.isLive() || row.state == RowState.BURIED) {
            return row.event(TaskEvent.Kind.UNCHANGED);
        }
        turn.lifecycle.drop(row, TaskState.BURIED, message);
        return row.event(TaskEvent.Kind.BURY);
    }

    // A queue

    /** Frees buried tasks by (priority, id); those whose address is taken stay. */
    List<TaskEvent> kick(String queue, int count) {
        QueueRow q = turn.queues.get(queue);
        List<TaskEvent> kicked = new ArrayList<>();
        List<Place> block = buried(q, new Place(Long.MIN_VALUE, 0));
        while (!block.isEmpty() && kicked.size() < count) {
            for (TaskRow row : turn.tasks.load(ids(block), RowState.BURIED)) {
                if (kicked.size() < count && addressHolder(row) == null) {
                    turn.lifecycle.kick(row);
                    kicked.add(row.event(TaskEvent.Kind.KICK));
                }
            }
            block = buried(q, block.get(block.size() - 1));
        }
        return kicked;
    }

    /** Frees the next of those that a query describes, by id; those whose address is taken stay. */
    Redriven redrive(TaskQuery query) {
        List<Long> ids = new Lookups(turn).buried(query);
        List<TaskEvent> kicked = new ArrayList<>();
        for (TaskRow row : turn.tasks.load(ids, RowState.BURIED)) {
            if (addressHolder(row) == null) {
                turn.lifecycle.kick(row);
                kicked.add(row.event(TaskEvent.Kind.KICK));
            }
        }
        boolean isMore = ids.size() == query.limit();
        return new Redriven(kicked, isMore ? OptionalLong.of(ids.get(ids.size() - 1)) : OptionalLong.empty());
    }

    private record Place(long priority, long id) {}

    private List<Place> buried(QueueRow queue, Place after) {
        turn.tasks.flush();
        return turn.tx.list(
                "buried-of-queue",
                row -> new Place(row.getLong(2), row.getLong(1)),
                queue.id(),
                after.priority,
                after.priority,
                after.id,
                BLOCK);
    }

    private static List<Long> ids(List<Place> places) {
        return places.stream().map(Place::id).toList();
    }

    void drop(String queue) {
        // First the queue, so that a group that ends by this puts its closing task into a new one.
        dropTasks(turn.queues.remove(queue), "queue dropped");
    }

    /** Ends tasks whose put, or take, was committed only after their queue was dropped. */
    void dropLeftovers(QueueRow queue) {
        dropTasks(queue, "queue dropped");
    }

    long truncate(String queue) {
        return dropTasks(turn.queues.get(queue), "queue truncated");
    }

    private long dropTasks(QueueRow queue, String why) {
        long id = queue.id();
        long dropped = 0;
        for (List<Long> block : blocks(turn.tasks.ids("live-of-queue", id, id, id, id, id, id))) {
            for (TaskRow row : turn.tasks.load(block, RowState.live())) {
                // An end may have been the end of others, such as those of a group.
                if (row.state.isLive()) {
                    turn.lifecycle.drop(row, TaskState.CANCELED, why);
                    turn.tellLater(row.event(TaskEvent.Kind.DELETE));
                    dropped++;
                }
            }
        }
        return dropped;
    }

    long releaseAll(String queue) {
        List<Long> taken =
                turn.tasks.ids("taken-of-queue", turn.queues.get(queue).id());
        long released = 0;
        for (List<Long> block : blocks(taken)) {
            for (TaskRow row : turn.tasks.load(block, RowState.TAKEN)) {
                turn.lifecycle.revoke(row);
                turn.tellLater(row.event(TaskEvent.Kind.RELEASE));
                released++;
            }
        }
        return released;
    }

    private static List<List<Long>> blocks(List<Long> ids) {
        List<List<Long>> blocks = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += BLOCK) {
            blocks.add(ids.subList(from, Math.min(from + BLOCK, ids.size())));
        }
        return blocks;
    }
}
