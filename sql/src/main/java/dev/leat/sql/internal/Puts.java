package dev.leat.sql.internal;

import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.QueueFullException;
import dev.leat.QueueInfo;
import dev.leat.QueueOptions;
import dev.leat.TaskEvent;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts tasks, within one turn. Whatever refuses one of them refuses all, since the transaction is rolled back. */
final class Puts {
    private static final long IDEMPOTENCY_KNOWN = Times.micros(Duration.ofMinutes(10));

    private final Turn turn;
    private final Tx tx;
    private final Set<QueueRow> filled = new HashSet<>(2);

    Puts(Turn turn) {
        this.turn = turn;
        this.tx = turn.tx;
    }

    List<PutResult> put(List<NewTask> tasks) {
        tasks.stream()
                .map(task -> turn.queues.get(task.queue()))
                .filter(queue -> queue.options().capacity() > 0)
                .distinct()
                .sorted(Comparator.comparingLong(QueueRow::id))
                .forEach(queue -> tx.first("lock-queue", row -> 1, queue.id()));
        turn.tasks.reserveIds(tasks.size());
        List<PutResult> results = new ArrayList<>(tasks.size());
        for (NewTask task : tasks) {
            results.add(put(task));
        }
        filled.forEach(this::checkCapacity);
        return results;
    }

    private PutResult put(NewTask task) {
        QueueRow queue = turn.queues.get(task.queue());
        if (task.group().isPresent()) {
            turn.groups.openForPut(task.group().getAsLong());
        }
        TaskRow existing = existing(queue, task);
        if (existing != null) {
            return new PutResult(existing.id, false, existing.state.task);
        }
        TaskRow row = add(queue, task);
        task.idempotencyKey().ifPresent(key -> remember(queue, key, row));
        if (queue.options().capacity() > 0) {
            filled.add(queue);
        }
        return new PutResult(row.id, true, row.state.task);
    }

    /** The task that has the address, or was put with the same idempotency key before. */
    private @Nullable TaskRow existing(QueueRow queue, NewTask task) {
        TaskRow holder =
                task.address().isEmpty() ? null : holder(queue, task.address().get());
        if (holder != null || task.idempotencyKey().isEmpty()) {
            return holder;
        }
        String key = task.idempotencyKey().get();
        long known = tx.number("find-idempotency", queue.id(), key, turn.now);
        return known == 0 ? null : turn.tasks.find(known);
    }

    /** The live, unburied task that has the address. */
    @Nullable
    TaskRow holder(QueueRow queue, String address) {
        List<Long> ids = turn.tasks.ids("find-address", queue.id(), address);
        return ids.isEmpty() ? null : turn.tasks.find(ids.get(0));
    }

    private void remember(QueueRow queue, String key, TaskRow row) {
        tx.update("forget-idempotency", queue.id(), key, turn.now);
        tx.update("insert-idempotency", queue.id(), key, row.id, turn.now + IDEMPOTENCY_KNOWN);
    }

    private void checkCapacity(QueueRow queue) {
        int capacity = queue.options().capacity();
        turn.tasks.flush();
        if (new Counts(turn).live(queue, capacity + 1) > capacity) {
            throw new QueueFullException(queue.name(), capacity);
        }
    }

    /**
     * Puts an end, abort or dead task, which nothing may refuse: it is made even over the queue's capacity, in a queue
     * that was dropped meanwhile, and outside a group that has ended.
     */
    long putInternal(NewTask task) {
        QueueRow queue = turn.queues.find(task.queue());
        if (queue == null) {
            queue = turn.queues.add(task.queue(), QueueOptions.standard(), QueueInfo.SetBy.CODE);
        }
        TaskRow existing =
                task.address().isEmpty() ? null : holder(queue, task.address().get());
        if (existing != null) {
            return existing.id;
        }
        GroupRow group = turn.groups.hold(task.group().orElse(0));
        TaskRow row = add(queue, group != null && group.isOpenForPuts() ? task : task.withoutGroup());
        turn.tellLater(row.event(TaskEvent.Kind.PUT));
        return row.id;
    }

    private TaskRow add(QueueRow queue, NewTask task) {
        QueueOptions options = queue.options();
        TaskRow row =
                new TaskRow(turn.tasks.newId(), queue, task, task.priority().orElse(options.priority()), turn.now);
        row.due = due(task);
        long ttl = ttl(task, options);
        row.expires = ttl == 0 ? 0 : row.due + ttl;
        row.ttr = ttr(task, options);
        row.random = queue.takesAtRandom() ? turn.randomPlace() : 0;
        row.takeType = queue.takeType(task);
        row.spread = queue.spread(task);
        row.payloadHash = task.externalKey().isPresent() && task.payload().size() > 0
                ? sha256(task.payload().bytes())
                : null;
        turn.lifecycle.passGates(row);
        return row;
    }

    /** How long the task may wait, in microseconds; 0 for ever. */
    static long ttl(NewTask task, QueueOptions options) {
        return task.ttl().or(options::ttl).map(Times::micros).orElse(0L);
    }

    /** How long one run may take, in microseconds; 0 for ever. */
    static long ttr(NewTask task, QueueOptions options) {
        Optional<Duration> ttr = task.ttr().or(options::ttr);
        if (ttr.isEmpty() && options.ttrDefault() == QueueOptions.TtrDefault.TTL) {
            return ttl(task, options);
        }
        return ttr.map(Times::micros).orElse(0L);
    }

    private long due(NewTask task) {
        Instant now = turn.instant();
        Instant due = task.due().after(now);
        return due.equals(now) ? turn.now : Times.micros(due);
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
