package dev.leat.sql.internal;

import dev.leat.AddressInUseException;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.storage.Notice;
import java.util.ArrayList;
import java.util.List;
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
                : new Puts(turn).holder(row.queue, row.given.address().get());
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
        long priority = Long.MIN_VALUE;
        long id = 0;
        List<Long> block = buried(q, priority, id);
        while (!block.isEmpty() && kicked.size() < count) {
            turn.tasks.load(block);
            for (int i = 0; i < block.size() && kicked.size() < count; i++) {
                TaskRow row = turn.tasks.get(block.get(i));
                priority = row.priority;
                id = row.id;
                if (addressHolder(row) == null) {
                    turn.lifecycle.kick(row);
                    kicked.add(row.event(TaskEvent.Kind.KICK));
                }
            }
            block = buried(q, priority, id);
        }
        return kicked;
    }

    private List<Long> buried(QueueRow queue, long afterPriority, long afterId) {
        return turn.tasks.ids("buried-of-queue", queue.id(), afterPriority, afterId, BLOCK);
    }

    void drop(String queue) {
        // First the queue, so that a group that ends by this puts its closing task into a new one.
        dropTasks(turn.queues.remove(queue), "queue dropped");
    }

    long truncate(String queue) {
        return dropTasks(turn.queues.get(queue), "queue truncated");
    }

    private long dropTasks(QueueRow queue, String why) {
        long id = queue.id();
        long dropped = 0;
        for (List<Long> block : blocks(turn.tasks.ids("live-of-queue", id, id, id, id, id, id))) {
            turn.tasks.load(block);
            for (long taskId : block) {
                TaskRow row = turn.tasks.find(taskId);
                if (row != null && row.state.isLive()) {
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
        for (List<Long> block : blocks(taken)) {
            turn.tasks.load(block);
            for (long id : block) {
                TaskRow row = turn.tasks.get(id);
                turn.lifecycle.revoke(row);
                turn.tellLater(row.event(TaskEvent.Kind.RELEASE));
            }
        }
        return taken.size();
    }

    private static List<List<Long>> blocks(List<Long> ids) {
        List<List<Long>> blocks = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += BLOCK) {
            blocks.add(ids.subList(from, Math.min(from + BLOCK, ids.size())));
        }
        return blocks;
    }
}
