package dev.leat.sql.internal.fast;

import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.jdbc.Values;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.row.FlatJson;
import dev.leat.sql.internal.row.PlainTasks;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRowMapper;
import dev.leat.sql.internal.work.QueueRows;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.TaskLimits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts of plain tasks, takes in order, and acks without effects on other tasks, in one statement each. A call that the fast
 * path cannot serve returns empty, and the caller runs a {@link UnitOfWork} instead.
 *
 * <p>Queues come from the cache. Every statement checks that the queue's row has not changed since, and does nothing if the row
 * has changed. Safe from any thread.
 */
public final class FastPath implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FastPath.class);
    private static final int MOST_PUTS_AT_ONCE = 2_000;
    /** A put of this many tasks gains nothing from sharing a statement. */
    private static final int LARGE_PUT = 100;
    /** Leaves connections for takes, acks and heartbeats. */
    private static final int LARGE_PUTS_AT_ONCE = 2;

    /** Is notified of what the fast path has done. */
    public interface Listener {
        /** The NOTIFY that a put of one ready row can carry. */
        Optional<Peers.OwnNotify> ownNotify(QueueRow queue, int priority);

        /** A put with its own NOTIFY took this long. */
        void ownNotifyTook(long nanos);

        /**
         * Ready rows were put, from this id on.
         *
         * @param isSent whether the put has notified other processes
         */
        void fresh(QueueRow queue, int priority, long id, boolean isSent);

        /** A task has ended; other processes may wait for the task if it has an address. */
        void acked(long id, boolean hasAddress);

        /** The queue has space. */
        void ready(QueueRow queue);

        /** A timed change is due at this moment. */
        void timer(long at);
    }

    private final Db db;
    private final QueueCache cache;
    private final Listener listener;
    private final Semaphore largePuts = new Semaphore(LARGE_PUTS_AT_ONCE, true);
    private final ForgettingTakes forgettingTakes = new ForgettingTakes();
    private final FastTakes takes;
    private final Coalescer<Put> puts = new Coalescer<>(MOST_PUTS_AT_ONCE, put -> put.rows.size(), this::putAll);

    public FastPath(Db db, QueueCache cache, Watermarks watermarks, LostTakes lostTakes, Listener listener) {
        this.db = db;
        this.cache = cache;
        this.listener = listener;
        this.takes = new FastTakes(db, cache, watermarks, lostTakes, forgettingTakes, listener);
    }

    // Puts

    private record PlainRow(QueueRow queue, NewTask task) {
        int priority() {
            return task.priority().orElse(queue.options().priority());
        }

        long delay() {
            return task.due() instanceof When.In in ? Times.micros(in.delay()) : 0;
        }
    }

    /** The put of one caller. The thread that runs the shared statement fills in results or error. */
    private static final class Put {
        final List<PlainRow> rows;

        @Nullable
        List<PutResult> results;

        @Nullable
        RuntimeException error;

        Put(List<PlainRow> rows) {
            this.rows = rows;
        }
    }

    /** Puts all tasks, in one statement with the puts of other callers at this moment; empty if a task is not plain. */
    public Optional<List<PutResult>> put(List<NewTask> tasks) {
        List<PlainRow> rows = new ArrayList<>(tasks.size());
        for (NewTask task : tasks) {
            QueueRow queue = cache.latest(task.queue());
            if (queue == null || !PlainTasks.canUseFastPath(queue, task)) {
                return Optional.empty();
            }
            rows.add(new PlainRow(queue, task));
        }
        Put put = new Put(rows);
        if (rows.size() < LARGE_PUT) {
            puts.run(put);
        } else {
            largePuts.acquireUninterruptibly();
            try {
                putAll(List.of(put));
            } finally {
                largePuts.release();
            }
        }
        if (put.error != null) {
            throw put.error;
        }
        return Optional.ofNullable(put.results);
    }

    private void putAll(List<Put> together) {
        List<PlainRow> rows =
                together.stream().flatMap(put -> put.rows.stream()).toList();
        try {
            List<PutResult> results = putRows(rows);
            int from = 0;
            for (Put put : together) {
                // Without results a queue has changed, and each caller takes the general path.
                put.results = results.isEmpty() ? null : results.subList(from, from + put.rows.size());
                from += put.rows.size();
            }
        } catch (Tx.Failure e) {
            if (e.isInDoubt()) {
                together.forEach(put -> put.error = new PutOutcomeUnknownException(e));
            } else if (together.size() == 1) {
                throw e;
            } else {
                together.forEach(this::putAlone);
            }
        }
    }

    /** Runs after the shared statement failed, so that each caller gets the answer to its own tasks. */
    private void putAlone(Put put) {
        try {
            putAll(List.of(put));
        } catch (RuntimeException e) {
            put.error = e;
        }
    }

    private record Stored(long id, RowState state, long timer) {}

    private List<PutResult> putRows(List<PlainRow> rows) {
        int n = rows.size();
        long[] queues = new long[n];
        int[] priorities = new int[n];
        long[] delays = new long[n];
        @Nullable Long[] ttls = new @Nullable Long[n];
        @Nullable Long[] ttrs = new @Nullable Long[n];
        @Nullable String[] keys = new @Nullable String[n];
        @Nullable String[] types = new @Nullable String[n];
        byte[][] payloads = new byte[n][];
        Set<QueueRow> seen = new LinkedHashSet<>();
        for (int i = 0; i < n; i++) {
            PlainRow row = rows.get(i);
            seen.add(row.queue);
            queues[i] = row.queue.id();
            priorities[i] = row.priority();
            delays[i] = row.delay();
            ttls[i] = TaskRowMapper.orNull(Times.micros(TaskLimits.ttl(row.task, row.queue.options())));
            ttrs[i] = TaskRowMapper.orNull(Times.micros(TaskLimits.ttr(row.task, row.queue.options())));
            keys[i] = row.task.key().map(db.dialect()::storable).orElse(null);
            types[i] = TaskRowMapper.contentType(row.task.payload());
            payloads[i] = row.task.payload().bytes();
        }
        UnaryOperator<Values> columns = values -> values.set(
                        "queues", seen.stream().mapToLong(QueueRow::id).toArray())
                .set("revisions", seen.stream().mapToLong(QueueRow::revision).toArray())
                .set("queue_ids", queues)
                .set("priorities", priorities)
                .set("delays", delays)
                .set("ttls", ttls)
                .set("ttrs", ttrs)
                .set("task_keys", keys)
                .set("content_types", types)
                .set("payloads", payloads);
        Written written = write(columns, ownNotify(rows));
        List<Stored> stored = written.rows;
        if (stored.isEmpty()) {
            seen.forEach(cache::forget);
            return List.of();
        }
        List<PutResult> results = new ArrayList<>(n);
        record Lane(QueueRow queue, int priority) {}
        Map<Lane, Long> firsts = new LinkedHashMap<>();
        for (int i = 0; i < n; i++) {
            Stored one = stored.get(i);
            PlainRow row = rows.get(i);
            results.add(new PutResult(one.id, true, one.state.task));
            if (one.state == RowState.READY) {
                firsts.merge(new Lane(row.queue, row.priority()), one.id, Math::min);
            }
            listener.timer(one.timer);
        }
        firsts.forEach((lane, id) -> listener.fresh(lane.queue, lane.priority, id, written.isSent));
        return results;
    }

    /** @param isSent whether the statement has notified other processes */
    private record Written(List<Stored> rows, boolean isSent) {}

    private Written write(UnaryOperator<Values> columns, Optional<Peers.OwnNotify> ownNotify) {
        if (ownNotify.isPresent()) {
            String channel = ownNotify.get().channel();
            String payload = ownNotify.get().payloadBeforeId();
            UnaryOperator<Values> withNotify =
                    values -> columns.apply(values).set("channel", channel).set("beginning", payload);
            try {
                return new Written(store("put-and-announce", withNotify, listener::ownNotifyTook), true);
            } catch (Tx.Failure e) {
                if (e.isInDoubt()) {
                    throw e;
                }
                log.debug("Could not put with a NOTIFY, so puts without: {}", e.toString());
            }
        }
        return new Written(store("put-at-once", columns, nanos -> {}), false);
    }

    private List<Stored> store(String statement, UnaryOperator<Values> columns, LongConsumer took) {
        return db.atOnce(Db.Repeat.NEVER, tx -> {
            long began = System.nanoTime();
            List<Stored> stored = tx.list(
                    columns.apply(tx.values(statement)),
                    row -> new Stored(row.getLong(1), RowState.of(row.getInt(2)), row.getLong(3)));
            took.accept(System.nanoTime() - began);
            return stored;
        });
    }

    private Optional<Peers.OwnNotify> ownNotify(List<PlainRow> rows) {
        if (rows.size() != 1 || rows.get(0).delay() > 0) {
            return Optional.empty();
        }
        PlainRow only = rows.get(0);
        return listener.ownNotify(only.queue, only.priority());
    }

    // Takes

    /** Takes in order; empty if the request, the queue, the session or the first tasks need the general path. */
    public Optional<List<TakenTask>> take(TakeRequest request) {
        return takes.take(request);
    }

    // Acks

    /** @param queue negative if the task has an address */
    private record Acked(long id, long queue) {
        long queueId() {
            return Math.abs(queue);
        }
    }

    /**
     * Acknowledges the deliveries without effects on other tasks; the others are missing in the result. Queues that forget
     * DONE tasks have a statement of their own.
     */
    public Map<Long, SettleResult> ack(Collection<Settle.Ack> acks) {
        Map<Long, SettleResult> results = new HashMap<>(2 * acks.size());
        Set<Long> forgettingQueues = new HashSet<>();
        List<Lease> forgettable = new ArrayList<>();
        List<Lease> others = new ArrayList<>();
        for (Settle.Ack ack : acks) {
            Long queue = forgettingTakes.queue(ack.lease().nonce());
            if (queue == null) {
                others.add(ack.lease());
            } else {
                forgettable.add(ack.lease());
                forgettingQueues.add(queue);
            }
        }
        ack("ack-and-forget", forgettable, results, db.dialect().ids(forgettingQueues));
        forgettable.stream()
                .filter(lease -> !results.containsKey(lease.taskId()))
                .forEach(others::add);
        ack("ack-at-once", others, results);
        return results;
    }

    private void ack(
            String statement, List<Lease> leases, Map<Long, SettleResult> results, @Nullable Object... moreValues) {
        if (leases.isEmpty()) {
            return;
        }
        long[] ids = leases.stream().mapToLong(Lease::taskId).toArray();
        long[] nonces = leases.stream().mapToLong(Lease::nonce).toArray();
        List<@Nullable Object> values = new ArrayList<>(List.of(ids, ids, nonces));
        Collections.addAll(values, moreValues);
        @Nullable Object[] bound = values.toArray();
        List<Acked> acked = db.atOnce(
                Db.Repeat.HARMLESS, tx -> tx.list(statement, row -> new Acked(row.getLong(1), row.getLong(2)), bound));
        Map<Long, QueueRow> queues = new HashMap<>();
        for (Acked one : acked) {
            QueueRow queue = queues.computeIfAbsent(one.queueId(), this::queue);
            results.put(one.id, SettleResult.done(queue.name(), TaskState.DONE));
            listener.acked(one.id, one.queue < 0);
        }
        queues.values().stream().filter(QueueRow::isLimited).forEach(listener::ready);
    }

    /** Callers use the name, which never changes, and the limits. */
    private QueueRow queue(long id) {
        QueueRow known = cache.latest(id);
        if (known != null) {
            return known;
        }
        QueueRow read =
                db.read(tx -> tx.first("queue-by-id", QueueRows::read, id).orElseThrow());
        cache.keep(read);
        return read;
    }

    // Heartbeats

    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        List<Lease> toStop = new ArrayList<>();
        boolean alive = db.atOnce(Db.Repeat.HARMLESS, tx -> {
            toStop.clear();
            return !tx.list(
                            "heartbeat-at-once",
                            row -> row.getLong(1) == 0 || toStop.add(Lease.of(row.getLong(1), row.getLong(2))),
                            FlatJson.write(waiting),
                            session)
                    .isEmpty();
        });
        return new HeartbeatReply(alive, toStop);
    }

    @Override
    public void close() {
        takes.close();
    }
}
