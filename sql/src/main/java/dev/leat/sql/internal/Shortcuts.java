package dev.leat.sql.internal;

import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutOutcomeUnknownException;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.StorageException;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.storage.HeartbeatReply;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The hot ways of a database where each is one statement: puts of plain tasks, takes in order, acks that concern nobody
 * else. Whatever is not plain goes the way of a {@link Turn}, which the answers say.
 *
 * <p>Queues come from the cache; every statement sees for itself that the row has not changed since, and does nothing
 * otherwise. Safe from any thread.
 */
final class Shortcuts {
    private static final int MOST_PUTS_AT_ONCE = 2_000;
    /** From so many tasks on, a put gains nothing by being done together with others. */
    private static final int LARGE_PUT = 100;
    /** Of these so many at a time, so that there are connections left for takes, acks and heartbeats. */
    private static final int LARGE_PUTS_AT_ONCE = 2;

    /** Hears what was done. */
    interface Listener {
        /** Rows were put ready, from this id on. */
        void fresh(QueueRow queue, int priority, long id);

        /** The queue has space. */
        void ready(QueueRow queue);

        /** Time changes a task at this moment. */
        void timer(long at);
    }

    private final Db db;
    private final QueueCache cache;
    private final Marks marks;
    private final LostTakes lostTakes;
    private final Listener listener;
    private final Semaphore largePuts = new Semaphore(LARGE_PUTS_AT_ONCE, true);
    private final ForgettingTakes forgettingTakes = new ForgettingTakes();
    private final SecureRandom random = new SecureRandom();
    private final Coalescer<Put> puts = new Coalescer<>(MOST_PUTS_AT_ONCE, put -> put.rows.size(), this::putAll);

    Shortcuts(Db db, QueueCache cache, Marks marks, LostTakes lostTakes, Listener listener) {
        this.db = db;
        this.cache = cache;
        this.marks = marks;
        this.lostTakes = lostTakes;
        this.listener = listener;
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

    /** What one caller puts; its results are filled in by whoever does the work. */
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

    /** Puts all of them, together with what others put at this moment; empty when they are not plain. */
    Optional<List<PutResult>> put(List<NewTask> tasks) {
        List<PlainRow> rows = new ArrayList<>(tasks.size());
        for (NewTask task : tasks) {
            QueueRow queue = cache.latest(task.queue());
            if (queue == null || !queue.takesPlainPuts() || !isPlain(task)) {
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

    private static boolean isPlain(NewTask task) {
        return task.due() instanceof When.In && task.idempotencyKey().isEmpty() && Rows.isPlain(task);
    }

    private void putAll(List<Put> together) {
        List<PlainRow> rows =
                together.stream().flatMap(put -> put.rows.stream()).toList();
        try {
            List<PutResult> results = putRows(rows);
            int from = 0;
            for (Put put : together) {
                // Nothing at all: a queue has changed, and everybody finds out by himself which.
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

    /** Somebody's tasks were refused: each gets his own answer. */
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
            ttls[i] = Rows.orNull(Puts.ttl(row.task, row.queue.options()));
            ttrs[i] = Rows.orNull(Puts.ttr(row.task, row.queue.options()));
            keys[i] = row.task.key().map(db.dialect()::storable).orElse(null);
            types[i] = Rows.contentType(row.task.payload());
            payloads[i] = row.task.payload().bytes();
        }
        List<Stored> stored = db.atOnce(
                Db.Repeat.NEVER,
                tx -> tx.list(
                        "put-at-once",
                        row -> new Stored(row.getLong(1), RowState.of(row.getInt(2)), row.getLong(3)),
                        seen.stream().mapToLong(QueueRow::id).toArray(),
                        seen.stream().mapToLong(QueueRow::revision).toArray(),
                        queues,
                        priorities,
                        delays,
                        ttls,
                        ttrs,
                        keys,
                        types,
                        payloads));
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
        firsts.forEach((lane, id) -> listener.fresh(lane.queue, lane.priority, id));
        return results;
    }

    // Takes

    /**
     * A row that a take met: it was taken, parked behind its busy key, or left alone. The last one is no row, but says that
     * there are no more.
     */
    private record Met(
            Lane lane,
            int priority,
            long id,
            @Nullable String busyKey,
            @Nullable TaskRow taken) {
        /** In the order of the takes, the last one behind them. */
        static final Comparator<Met> ORDER = Comparator.comparing((Met met) -> met.lane == Lane.END)
                .thenComparingInt(Met::priority)
                .thenComparingLong(Met::id);

        boolean isLeft() {
            return lane != Lane.END && busyKey == null && taken == null;
        }
    }

    private enum Lane {
        FRESH,
        BACK,
        /** Of a fresh row that had to be left because others are more important; and of all such behind it. */
        BEYOND,
        /** Of the row that is none. */
        END;

        static Lane of(ResultSet row) throws SQLException {
            int code = row.getInt(13);
            return row.wasNull() ? END : values()[code];
        }
    }

    /** Takes in order; empty when the request, the queue, the session or what stands first wants a closer look. */
    Optional<List<TakenTask>> take(TakeRequest request) {
        QueueRow queue = cache.latest(request.queue());
        if (queue == null || queue.paused() || !queue.takesInOrder(request)) {
            return Optional.empty();
        }
        List<TakenTask> taken = new ArrayList<>();
        try {
            boolean isMore = true;
            while (isMore && taken.size() < request.count()) {
                int limit = request.count() - taken.size();
                List<Met> met = take(queue, request, limit);
                if (met.isEmpty()) {
                    cache.forget(queue); // it has changed, or the session has ended
                    return taken.isEmpty() ? Optional.empty() : Optional.of(taken);
                }
                met.stream().filter(row -> row.taken != null).forEach(row -> taken.add(row.taken.taken()));
                isMore = taken.size() < request.count() && isMore(met, limit);
                if (taken.isEmpty() && !isMore && met.stream().anyMatch(Met::isLeft)) {
                    return Optional.empty();
                }
            }
        } catch (StorageException e) {
            if (taken.isEmpty()) {
                throw e;
            } // else these are ours already
        }
        return Optional.of(taken);
    }

    /** Whether another read finds more: only if this one was full, and has moved something out of the way. */
    private static boolean isMore(List<Met> met, int limit) {
        return met.stream().anyMatch(row -> row.busyKey != null)
                && met.stream().filter(row -> row.lane != Lane.END).count() >= limit;
    }

    private List<Met> take(QueueRow queue, TakeRequest request, int limit) {
        Marks.Start start = marks.begin(queue.id(), request.maxPriority());
        AtomicLong nanos = new AtomicLong();
        try {
            List<Met> met = takeOnce(queue, request, limit, start, nanos);
            marks.end(queue.id(), start, farthest(met), left(met), nanos.get());
            return met;
        } catch (RuntimeException e) {
            marks.fail(queue.id(), start);
            throw e;
        }
    }

    private List<Met> takeOnce(QueueRow queue, TakeRequest request, int limit, Marks.Start start, AtomicLong nanos) {
        long nonce = random.nextLong();
        String session = request.session().orElse(null);
        Long ttr = request.ttr().map(Times::micros).orElse(null);
        List<@Nullable Object> values = new ArrayList<>();
        values.add(session);
        values.add(queue.id());
        values.add(queue.revision());
        values.add(session);
        if (start.isHead()) {
            values.add(request.maxPriority());
        } else {
            values.add(start.from());
            values.add(start.after());
            values.add(start.below());
            values.add(limit);
        }
        values.add(limit);
        values.add(request.maxPriority());
        values.add(limit);
        values.add(limit);
        values.add(nonce);
        values.add(session);
        values.add(ttr);
        values.add(session);
        Tx.Reader<Met> reader = row -> new Met(
                Lane.of(row),
                row.getInt(2),
                row.getLong(1),
                row.getString(14),
                row.getInt(7) == 0 ? null : Rows.taken(row, queue, nonce));
        String statement = start.isHead() ? "take-from-head" : "take-from-marks";
        @Nullable Object[] bound = values.toArray();
        List<Met> met;
        try {
            met = db.atOnce(Db.Repeat.NEVER, tx -> {
                long began = System.nanoTime();
                List<Met> found = tx.list(statement, reader, bound);
                nanos.set(System.nanoTime() - began);
                return found;
            });
        } catch (Tx.Failure e) {
            if (!e.isInDoubt()) {
                throw e;
            }
            met = lostTakes.find(queue.name(), nonce).stream()
                    .map(row -> new Met(Lane.BACK, row.priority, row.id, null, row))
                    .toList();
        }
        List<TaskRow> taken =
                met.stream().map(Met::taken).filter(Objects::nonNull).toList();
        taken.forEach(row -> listener.timer(row.timerAt()));
        forgettingTakes.add(queue, nonce, taken);
        return met.stream().sorted(Met.ORDER).toList();
    }

    /** How far the fresh lane was read in each priority; not beyond a row that was left. */
    private static List<Marks.Seen> farthest(List<Met> met) {
        Map<Integer, Long> last = new HashMap<>();
        Set<Integer> stopped = new HashSet<>();
        for (Met row : met) {
            if (row.lane == Lane.FRESH && !stopped.contains(row.priority)) {
                last.put(row.priority, row.isLeft() ? row.id - 1 : row.id);
                if (row.isLeft()) {
                    stopped.add(row.priority);
                }
            }
        }
        return last.entrySet().stream()
                .map(entry -> new Marks.Seen(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static List<Marks.Seen> left(List<Met> met) {
        return met.stream()
                .filter(row -> row.isLeft() && row.lane != Lane.BACK)
                .map(row -> new Marks.Seen(row.priority, row.id))
                .toList();
    }

    // Acks

    private record Acked(long id, long queueId) {}

    /**
     * Acknowledges those of the deliveries that concern nobody else; all others are missing in the answer. Deliveries of
     * queues that forget and of others are two statements.
     */
    Map<Long, SettleResult> ack(Collection<Settle.Ack> acks) {
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
            QueueRow queue = queues.computeIfAbsent(one.queueId, this::queue);
            results.put(one.id, SettleResult.done(queue.name(), TaskState.DONE));
        }
        queues.values().stream().filter(queue -> queue.options().capacity() > 0).forEach(listener::ready);
    }

    /** Only its name and capacity matter here, and the first never changes. */
    private QueueRow queue(long id) {
        QueueRow known = cache.latest(id);
        if (known != null) {
            return known;
        }
        QueueRow read = db.read(tx -> tx.first("queue-by-id", Queues::read, id).orElseThrow());
        cache.keep(read);
        return read;
    }

    // Heartbeats

    HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
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
}
