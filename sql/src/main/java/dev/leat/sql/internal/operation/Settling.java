package dev.leat.sql.internal.operation;

import dev.leat.Lease;
import dev.leat.Payload;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.queue.Retention;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.RowLifecycle;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.SettledBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Settles deliveries, within one unit of work. Most settles are acks without message and result, of tasks without key and group: three statements
 * move all of these. The other tasks are loaded together and go through {@link RowLifecycle} one by one.
 */
public final class Settling {
    private final UnitOfWork unit;
    private final Tx tx;

    public Settling(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    public List<SettleResult> settle(List<Settle> settles) {
        Map<Long, SettleResult> plain = tx.dialect().hasFastPath() ? Map.of() : ackPlain(settles);
        Set<Long> others = new HashSet<>();
        settles.forEach(settle -> others.add(settle.lease().taskId()));
        others.removeAll(plain.keySet());
        if (!others.isEmpty()) {
            unit.tasks.load(others);
        }
        SettleResult[] results = new SettleResult[settles.size()];
        for (int i : inOrderOfKeys(settles)) {
            SettleResult done = plain.get(settles.get(i).lease().taskId());
            results[i] = done != null ? done : settle(settles.get(i));
        }
        return List.of(results);
    }

    /** All processes free and enter several keys in the order of the keys, which avoids deadlocks. */
    private List<Integer> inOrderOfKeys(List<Settle> settles) {
        return IntStream.range(0, settles.size())
                .boxed()
                .sorted(Comparator.comparing(
                        i -> unit.tasks.keyOf(settles.get(i).lease().taskId())))
                .toList();
    }

    private SettleResult settle(Settle settle) {
        TaskRow row = unit.tasks.find(settle.lease().taskId());
        if (row == null) {
            return wasForgotten(settle);
        }
        long nonce = settle.lease().nonce();
        if (!row.isHeldUnder(nonce)) {
            boolean again = unit.tasks.wasSettled(row, nonce, SettledBy.of(settle));
            return again ? SettleResult.already(row.queue.name(), row.state.task) : SettleResult.gone();
        }
        unit.lifecycle.settled(row, settle, ThreadLocalRandom.current().nextDouble());
        return SettleResult.done(row.queue.name(), row.state.task);
    }

    /** The task does not exist. If its queue keeps no done tasks, a repeated ack is found among the forgotten acks. */
    private SettleResult wasForgotten(Settle settle) {
        if (!tx.dialect().hasFastPath() || !(settle instanceof Settle.Ack)) {
            return SettleResult.gone();
        }
        return tx.first(
                        "forgotten-ack",
                        row -> row.getString(1),
                        settle.lease().nonce(),
                        settle.lease().taskId())
                .map(queue -> SettleResult.already(queue, TaskState.DONE))
                .orElse(SettleResult.gone());
    }

    // Plain acks

    private record Delivered(long id, long nonce, long queueId) {}

    private Map<Long, SettleResult> ackPlain(List<Settle> settles) {
        Map<Long, Settle.Ack> silent = silentAcks(settles);
        if (silent.isEmpty()) {
            return Map.of();
        }
        List<Delivered> deliveries = tx.list(
                "plain-deliveries",
                row -> new Delivered(row.getLong(1), row.getLong(2), row.getLong(3)),
                tx.dialect().ids(silent.keySet()));
        Map<Long, List<Long>> byQueue = new HashMap<>();
        Map<Long, SettleResult> results = new HashMap<>(2 * deliveries.size());
        for (Delivered delivery : deliveries) {
            Settle.Ack ack = silent.get(delivery.id);
            if (ack != null && ack.lease().nonce() == delivery.nonce) {
                byQueue.computeIfAbsent(delivery.queueId, id -> new ArrayList<>())
                        .add(delivery.id);
                QueueRow queue = unit.queues.byId(delivery.queueId);
                results.put(delivery.id, SettleResult.done(queue.name(), TaskState.DONE));
            }
        }
        byQueue.forEach((queue, ids) -> finishPlain(unit.queues.byId(queue), ids));
        return results;
    }

    /** The acks without message and result, of tasks that this call settles only once. */
    public static Map<Long, Settle.Ack> silentAcks(List<Settle> settles) {
        Map<Long, Settle.@Nullable Ack> byTask = new HashMap<>(2 * settles.size());
        for (Settle settle : settles) {
            boolean silent = settle instanceof Settle.Ack ack
                    && ack.message().isEmpty()
                    && ack.result().isEmpty();
            long id = settle.lease().taskId();
            byTask.put(id, silent && !byTask.containsKey(id) ? (Settle.Ack) settle : null);
        }
        Map<Long, Settle.Ack> acks = new HashMap<>(2 * byTask.size());
        byTask.forEach((id, ack) -> {
            if (ack != null) {
                acks.put(id, ack);
            }
        });
        return acks;
    }

    private void finishPlain(QueueRow queue, List<Long> taskIds) {
        Retention retention = queue.options().retention();
        boolean keepPayload = retention.donePayload() == Retention.DonePayload.KEEP;
        Object ids = tx.dialect().ids(taskIds);
        tx.update(
                "finish-plain",
                unit.now,
                unit.now + Times.micros(retention.done()),
                SettledBy.ACK.code(),
                keepPayload,
                Payload.empty().contentType(),
                keepPayload,
                ids);
        tx.update("delete-plain", ids);
        unit.newsHere(taskIds);
        if (queue.isLimited()) {
            unit.ready(queue.name());
        }
    }

    // Running tasks

    public boolean chunk(Lease lease, int number) {
        TaskRow row = unit.tasks.find(lease.taskId());
        if (row == null || !row.isHeldUnder(lease.nonce())) {
            return false;
        }
        tx.update("set-chunk", number, number, row.id);
        unit.notifyWaiters(row);
        return true;
    }

    public List<Touch.Result> touch(List<Touch> touches) {
        unit.tasks.load(touches.stream().map(touch -> touch.lease().taskId()).toList());
        return touches.stream().map(this::touch).toList();
    }

    private Touch.Result touch(Touch touch) {
        TaskRow row = unit.tasks.find(touch.lease().taskId());
        if (row == null || !row.isHeldUnder(touch.lease().nonce())) {
            return Touch.Result.gone();
        }
        if (row.leaseUntil == 0) {
            return Touch.Result.unlimited(row.queue.name());
        }
        unit.lifecycle.touch(row, touch.by());
        return Touch.Result.extended(row.queue.name(), Times.instant(row.leaseUntil));
    }
}
