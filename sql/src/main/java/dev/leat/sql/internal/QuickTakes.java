package dev.leat.sql.internal;

import dev.leat.StorageException;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
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
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes in order, by one statement. Large takes are made in two halves side by side: the database is busy with a take for
 * much longer than the worker with what it gets, and would use one core for all of them. Safe from any thread.
 */
final class QuickTakes implements AutoCloseable {
    private static final int LARGE_TAKE = 500;
    private static final long HELPER_IDLE_SECONDS = 10;

    private final Db db;
    private final QueueCache cache;
    private final Marks marks;
    private final LostTakes lostTakes;
    private final ForgettingTakes forgettingTakes;
    private final Shortcuts.Listener listener;
    private final SecureRandom random = new SecureRandom();
    /** Queues in which a task with a key was met. */
    private final Set<Long> keyedQueues = ConcurrentHashMap.newKeySet();
    /** One thread for second halves; while it is busy, others do theirs after the first. */
    private final ThreadPoolExecutor helper = new ThreadPoolExecutor(
            0,
            1,
            HELPER_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            QuickTakes::helperThread,
            (half, pool) -> half.run());

    QuickTakes(
            Db db,
            QueueCache cache,
            Marks marks,
            LostTakes lostTakes,
            ForgettingTakes forgettingTakes,
            Shortcuts.Listener listener) {
        this.db = db;
        this.cache = cache;
        this.marks = marks;
        this.lostTakes = lostTakes;
        this.forgettingTakes = forgettingTakes;
        this.listener = listener;
    }

    private static Thread helperThread(Runnable run) {
        Thread thread = new Thread(run, "leat-second-taker");
        thread.setDaemon(true);
        return thread;
    }

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
        boolean inHalves = request.count() >= LARGE_TAKE && !keyedQueues.contains(queue.id());
        return inHalves ? takeHalves(queue, request) : takeAll(queue, request);
    }

    private record Half(
            Optional<List<TakenTask>> tasks, @Nullable StorageException error) {}

    private Optional<List<TakenTask>> takeHalves(QueueRow queue, TakeRequest request) {
        int count = request.count() / 2;
        CompletableFuture<Half> helped =
                CompletableFuture.supplyAsync(() -> takeHalf(queue, request.count(count)), helper);
        Half own = takeHalf(queue, request.count(request.count() - count));
        List<Half> halves = List.of(own, helped.join());
        List<TakenTask> taken = halves.stream()
                .flatMap(half -> half.tasks.stream().flatMap(List::stream))
                .sorted(Comparator.comparingInt((TakenTask task) -> task.task().priority())
                        .thenComparingLong(task -> task.task().id()))
                .toList();
        if (!taken.isEmpty()) {
            return Optional.of(taken);
        }
        for (Half half : halves) {
            if (half.error != null) {
                throw half.error;
            }
        }
        return halves.stream().allMatch(half -> half.tasks.isPresent()) ? Optional.of(taken) : Optional.empty();
    }

    /** What one half has taken is not lost by an error of the other. */
    private Half takeHalf(QueueRow queue, TakeRequest request) {
        try {
            return new Half(takeAll(queue, request), null);
        } catch (StorageException e) {
            return new Half(Optional.empty(), e);
        }
    }

    private Optional<List<TakenTask>> takeAll(QueueRow queue, TakeRequest request) {
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
        if (start.isHead()) {
            return takeBy("take-from-head", queue, request, limit, start, nanos);
        }
        if (!keyedQueues.contains(queue.id())) {
            List<Met> met = takeBy("take-without-keys", queue, request, limit, start, nanos);
            if (met.stream().allMatch(row -> row.busyKey == null)) {
                return met;
            }
            keyedQueues.add(queue.id());
        }
        return takeBy("take-from-marks", queue, request, limit, start, nanos);
    }

    private List<Met> takeBy(
            String statement, QueueRow queue, TakeRequest request, int limit, Marks.Start start, AtomicLong nanos) {
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

    /** For a storage that takes no more. */
    @Override
    public void close() {
        helper.shutdown();
    }
}
