package dev.leat.sql.internal.fast;

import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.jdbc.Values;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.row.TaskRowMapper;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in order, in one statement. While a queue has only fresh tasks without keys, the statement is a short one.
 *
 * <p>Large takes from a queue with many such tasks run as two halves in parallel, one on a thread of this class. A statement uses
 * one core of the database, and the worker runs the tasks faster than one statement takes them.
 *
 * <p>Safe from any thread.
 */
final class FastTakes implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FastTakes.class);
    /** From this size on, a take is worth two statements. */
    private static final int LARGE_TAKE = 500;

    /** After this many reads that met tasks of busy keys, a take parks further tasks of these keys in blocks. */
    private static final int READS_BEFORE_BLOCKS = 3;

    private static final int PARKED_BLOCK = 1_000;
    private static final long HELPER_IDLE_SECONDS = 10;
    private static final Comparator<TakenTask> IN_ORDER =
            Comparator.comparingInt((TakenTask task) -> task.task().priority()).thenComparingLong(TakenTask::id);

    private final Db db;
    private final QueueCache cache;
    private final Watermarks watermarks;
    private final LostTakes lostTakes;
    private final ForgettingTakes forgettingTakes;
    private final FastPath.Listener listener;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, LastTake> lastTakes = new ConcurrentHashMap<>();
    private final Semaphore helperIsFree = new Semaphore(1);
    /** Its thread ends when idle. After the shutdown the caller runs both halves. */
    private final ThreadPoolExecutor helper = new ThreadPoolExecutor(
            1,
            1,
            HELPER_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            FastTakes::helperThread,
            (half, pool) -> half.run());

    FastTakes(
            Db db,
            QueueCache cache,
            Watermarks watermarks,
            LostTakes lostTakes,
            ForgettingTakes forgettingTakes,
            FastPath.Listener listener) {
        this.db = db;
        this.cache = cache;
        this.watermarks = watermarks;
        this.lostTakes = lostTakes;
        this.forgettingTakes = forgettingTakes;
        this.listener = listener;
        helper.allowCoreThreadTimeOut(true);
    }

    private static Thread helperThread(Runnable run) {
        Thread thread = new Thread(run, "leat-second-taker");
        thread.setDaemon(true);
        return thread;
    }

    /** The kind of tasks that the last take of a queue met. */
    private enum LastTake {
        /** As many as requested, all fresh and without keys. */
        PLENTY,
        /** Fewer than requested, all fresh and without keys. */
        PLAIN,
        /** Also tasks with keys, or tasks that came back. */
        MIXED
    }

    private enum Read {
        FROM_HEAD("take-from-head", true),
        FROM_WATERMARKS("take-from-watermarks", false),
        PLAIN_FROM_HEAD("take-plain-from-head", true),
        /** The plain statements take nothing if they meet a task that is not plain. */
        PLAIN_FROM_WATERMARKS("take-plain-from-watermarks", false);

        final String statement;
        final boolean isFromHead;

        Read(String statement, boolean isFromHead) {
            this.statement = statement;
            this.isFromHead = isFromHead;
        }

        static Read of(Watermarks.Start start) {
            return start.isHead() ? FROM_HEAD : FROM_WATERMARKS;
        }

        static Read plain(Watermarks.Start start) {
            return start.isHead() ? PLAIN_FROM_HEAD : PLAIN_FROM_WATERMARKS;
        }
    }

    /**
     * A row that a take met, and took, parked behind its busy key, or left. The statement ends with a row of the lane END,
     * which stands for no task.
     */
    private record Met(
            Lane lane,
            int priority,
            long id,
            @Nullable String busyKey,
            @Nullable TaskRow taken) {
        /** The order in which tasks are taken; END is the last. */
        static final Comparator<Met> ORDER = Comparator.comparing((Met met) -> met.lane == Lane.END)
                .thenComparingInt(Met::priority)
                .thenComparingLong(Met::id);

        boolean isLeft() {
            return lane != Lane.END && busyKey == null && taken == null;
        }

        boolean isPlain() {
            return lane == Lane.END || lane == Lane.FRESH && taken != null && taken.key() == null;
        }
    }

    private enum Lane {
        FRESH,
        BACK,
        /** A fresh row skipped in favour of better priorities, and every fresh row after it. */
        BEYOND,
        /** The row that stands for no task. */
        END;

        static Lane of(ResultSet row) throws SQLException {
            int code = row.getInt(13);
            return row.wasNull() ? END : values()[code];
        }
    }

    /** Takes in order; empty if the request, the queue, the session or the first tasks need the general path. */
    Optional<List<TakenTask>> take(TakeRequest request) {
        QueueRow queue = cache.latest(request.queue());
        if (queue == null || queue.paused() || !queue.takesInOrder(request)) {
            return Optional.empty();
        }
        boolean isLarge = request.count() >= LARGE_TAKE && lastTakes.get(queue.id()) == LastTake.PLENTY;
        if (!isLarge || !helperIsFree.tryAcquire()) {
            return takeMore(queue, request, new ArrayList<>());
        }
        try {
            return takeHalves(queue, request);
        } finally {
            helperIsFree.release();
        }
    }

    private record Half(List<Met> met, @Nullable RuntimeException error) {
        /** Whether the longer statement must take: a task is not plain, or the queue's row has changed. */
        boolean isRefused() {
            return error == null && (met.isEmpty() || met.stream().anyMatch(Met::isLeft));
        }
    }

    private Optional<List<TakenTask>> takeHalves(QueueRow queue, TakeRequest request) {
        int count = request.count() / 2;
        CompletableFuture<Half> helped = CompletableFuture.supplyAsync(() -> takeHalf(queue, request, count), helper);
        Half own = takeHalf(queue, request, request.count() - count);
        List<Half> halves = List.of(own, helped.join());
        List<TakenTask> taken = new ArrayList<>();
        halves.forEach(half -> addTaken(half.met, taken));
        for (Half half : halves) {
            if (half.error != null && taken.isEmpty()) {
                throw half.error;
            } else if (half.error != null) {
                log.debug("One half of a take failed, the other one has tasks", half.error);
            }
        }
        // Runs after both halves, because it would skip a row that a half has locked and leaves.
        Optional<List<TakenTask>> all =
                halves.stream().anyMatch(Half::isRefused) ? takeMore(queue, request, taken) : Optional.of(taken);
        all.ifPresent(tasks -> tasks.sort(IN_ORDER));
        return all;
    }

    /** Returns the error, since the caller must keep the tasks of the other half. */
    private Half takeHalf(QueueRow queue, TakeRequest request, int limit) {
        try {
            Watermarks.Start start = watermarks.begin(queue.id(), request.maxPriority());
            return new Half(takeFrom(start, Read.plain(start), queue, request, limit), null);
        } catch (RuntimeException e) {
            return new Half(List.of(), e);
        }
    }

    /** @param taken the tasks taken before; this method adds more */
    private Optional<List<TakenTask>> takeMore(QueueRow queue, TakeRequest request, List<TakenTask> taken) {
        try {
            boolean isMore = true;
            for (int reads = 1; isMore && taken.size() < request.count(); reads++) {
                int limit = request.count() - taken.size();
                List<Met> met = take(queue, request, limit);
                if (met.isEmpty()) {
                    cache.forget(queue); // the queue's row has changed, or the session has ended
                    return taken.isEmpty() ? Optional.empty() : Optional.of(taken);
                }
                addTaken(met, taken);
                isMore = taken.size() < request.count() && isMore(met, limit);
                if (taken.isEmpty() && !isMore && met.stream().anyMatch(Met::isLeft)) {
                    return Optional.empty();
                }
                if (isMore && reads >= READS_BEFORE_BLOCKS) {
                    parkMore(queue, request, met);
                }
            }
        } catch (StorageException e) {
            if (taken.isEmpty()) {
                throw e;
            } // otherwise the caller needs the leases it has
        }
        return Optional.of(taken);
    }

    private static void addTaken(List<Met> met, List<TakenTask> taken) {
        met.stream().filter(row -> row.taken != null).forEach(row -> taken.add(row.taken.taken()));
    }

    /** Whether another read can find more: this one met as many rows as it could, and parked some of them. */
    private static boolean isMore(List<Met> met, int limit) {
        return met.stream().anyMatch(row -> row.busyKey != null)
                && met.stream().filter(row -> row.lane != Lane.END).count() >= limit;
    }

    /** Parks the tasks right behind the rows just parked, up to the first task of another key. */
    private void parkMore(QueueRow queue, TakeRequest request, List<Met> met) {
        List<Met> parked = met.stream()
                .filter(row -> row.busyKey != null && row.lane == Lane.FRESH)
                .toList();
        if (parked.isEmpty()) {
            return;
        }
        String[] keys = parked.stream().map(Met::busyKey).distinct().toArray(String[]::new);
        Met last = parked.get(parked.size() - 1);
        Watermarks.Seen end = new Watermarks.Seen(last.priority, last.id);
        List<Watermarks.Seen> more;
        do {
            more = parkBlock(queue, request, keys, end);
            end = more.stream().max(Watermarks.Seen.ORDER).orElse(end);
        } while (more.size() == PARKED_BLOCK);
    }

    private List<Watermarks.Seen> parkBlock(QueueRow queue, TakeRequest request, String[] keys, Watermarks.Seen after) {
        return db.atOnce(
                Db.Repeat.HARMLESS,
                tx -> tx.list(
                        "park-in-line",
                        row -> new Watermarks.Seen(row.getInt(1), row.getLong(2)),
                        queue.id(),
                        keys,
                        queue.id(),
                        queue.id(),
                        after.priority(),
                        after.id(),
                        request.maxPriority(),
                        PARKED_BLOCK));
    }

    private List<Met> take(QueueRow queue, TakeRequest request, int limit) {
        Watermarks.Start start = watermarks.begin(queue.id(), request.maxPriority());
        if (lastTakes.get(queue.id()) != LastTake.MIXED) {
            List<Met> met = takeFrom(start, Read.plain(start), queue, request, limit);
            if (met.stream().noneMatch(Met::isLeft)) {
                return met;
            }
            start = watermarks.begin(queue.id(), request.maxPriority());
        }
        return takeFrom(start, Read.of(start), queue, request, limit);
    }

    private List<Met> takeFrom(Watermarks.Start start, Read read, QueueRow queue, TakeRequest request, int limit) {
        AtomicLong nanos = new AtomicLong();
        try {
            List<Met> met = takeOnce(start, read, queue, request, limit, nanos);
            watermarks.end(queue.id(), start, farthest(met), left(met), nanos.get());
            remember(queue, met, limit);
            return met;
        } catch (RuntimeException e) {
            watermarks.fail(queue.id(), start);
            throw e;
        }
    }

    private void remember(QueueRow queue, List<Met> met, int limit) {
        long taken = met.stream().filter(row -> row.taken != null).count();
        if (!met.stream().allMatch(Met::isPlain)) {
            lastTakes.put(queue.id(), LastTake.MIXED);
        } else if (taken > 0) {
            lastTakes.put(queue.id(), taken == limit ? LastTake.PLENTY : LastTake.PLAIN);
        } else {
            lastTakes.replace(queue.id(), LastTake.PLENTY, LastTake.PLAIN);
        }
    }

    private List<Met> takeOnce(
            Watermarks.Start start, Read read, QueueRow queue, TakeRequest request, int limit, AtomicLong nanos) {
        long nonce = random.nextLong();
        String session = request.session().orElse(null);
        Long ttr = request.ttr().map(Times::micros).orElse(null);
        Tx.Reader<Met> reader = row -> new Met(
                Lane.of(row),
                row.getInt(2),
                row.getLong(1),
                row.getString(14),
                row.getInt(7) == 0 ? null : TaskRowMapper.taken(row, queue, nonce));
        List<Met> met;
        try {
            met = db.atOnce(Db.Repeat.NEVER, tx -> {
                Values values = tx.values(read.statement)
                        .set("session", session)
                        .set("queue_id", queue.id())
                        .set("revision", queue.revision())
                        .set("max_priority", request.maxPriority())
                        .set("limit", limit)
                        .set("last", limit - 1)
                        .set("nonce", nonce)
                        .set("ttr", ttr);
                if (!read.isFromHead) {
                    values.set("priorities", start.from())
                            .set("after", start.after())
                            .set("below", start.below());
                }
                long began = System.nanoTime();
                List<Met> found = tx.list(values, reader);
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

    /** How far the read got in each priority of the fresh lane; not beyond a row that it left. */
    private static List<Watermarks.Seen> farthest(List<Met> met) {
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
                .map(entry -> new Watermarks.Seen(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static List<Watermarks.Seen> left(List<Met> met) {
        return met.stream()
                .filter(row -> row.isLeft() && row.lane != Lane.BACK)
                .map(row -> new Watermarks.Seen(row.priority, row.id))
                .toList();
    }

    /** Later takes still work, without a second thread. */
    @Override
    public void close() {
        helper.shutdown();
    }
}
