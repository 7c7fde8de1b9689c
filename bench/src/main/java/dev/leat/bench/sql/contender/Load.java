package dev.leat.bench.sql.contender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Puts tasks into a contender in the ways that the workloads ask for. */
final class Load {
    private static final Duration LOOK_EVERY = Duration.ofMillis(1);
    private static final Duration RETRY_AFTER = Duration.ofMillis(10);

    private final Contender contender;

    Load(Contender contender) {
        this.contender = contender;
    }

    /** Puts {@code tasks} from {@code threads}, in batches of {@code batch}; answers how long that took. */
    long put(int tasks, int threads, int batch) throws Exception {
        AtomicLong left = new AtomicLong(tasks);
        return fromThreads(threads, () -> {
            for (long before = left.getAndAdd(-batch); before > 0; before = left.getAndAdd(-batch)) {
                putBatch((int) Math.min(batch, before));
            }
            return null;
        });
    }

    /** The same for a while instead of so many tasks; answers the tasks per second. */
    double putFor(Duration time, int threads, int batch) throws Exception {
        LongAdder put = new LongAdder();
        long end = System.nanoTime() + time.toNanos();
        long nanos = fromThreads(threads, () -> {
            while (System.nanoTime() < end) {
                putBatch(batch);
                put.add(batch);
            }
            return null;
        });
        return put.sum() / (nanos / 1e9);
    }

    private static long fromThreads(int threads, Callable<Void> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long start = System.nanoTime();
            List<Future<Void>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(work));
            }
            for (Future<Void> each : all) {
                each.get();
            }
            return System.nanoTime() - start;
        } finally {
            pool.shutdownNow();
        }
    }

    /**
     * Puts in batches for a while, never more than {@code window} ahead of the handler.
     *
     * @return how many were put
     */
    long sustain(Handled handled, Duration time, int window, int batch) throws Exception {
        return keepAhead(handled, time, window, batch, () -> {
            putBatch(batch);
            return batch;
        });
    }

    /** The same through a time in which puts fail: each is tried again a little later. */
    long sustainThroughFaults(Handled handled, Duration time, int window, int batch) throws Exception {
        return keepAhead(handled, time, window, batch, () -> {
            try {
                putBatch(batch);
                return batch;
            } catch (Exception e) {
                LockSupport.parkNanos(RETRY_AFTER.toNanos());
                return 0;
            }
        });
    }

    private static long keepAhead(Handled handled, Duration time, int window, int batch, Callable<Integer> put)
            throws Exception {
        long before = handled.count();
        long end = System.nanoTime() + time.toNanos();
        long total = 0;
        while (System.nanoTime() < end) {
            if (total + batch - (handled.count() - before) > window) {
                LockSupport.parkNanos(LOOK_EVERY.toNanos());
            } else {
                total += put.call();
            }
        }
        return total;
    }

    /** Puts a batch at each beat, whether or not the one before is worked off; answers how many were put. */
    long pace(Duration time, Duration beat, int batch) throws Exception {
        long start = System.nanoTime();
        long beats = time.dividedBy(beat);
        for (long i = 0; i < beats; i++) {
            long due = start + i * beat.toNanos();
            for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            putBatch(batch);
        }
        return beats * batch;
    }

    /** Waits until as many tasks are handled and settled. */
    void awaitSettled(Handled handled, long tasks, Duration timeout) throws Exception {
        long end = System.nanoTime() + timeout.toNanos();
        while (handled.count() < tasks || !contender.isSettled(tasks)) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("only " + handled.count() + " of " + tasks + " tasks after " + timeout);
            }
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
        }
    }

    private void putBatch(int size) throws Exception {
        if (size == 1) {
            contender.put(Payloads.now());
        } else {
            contender.putAll(Payloads.now(size));
        }
    }
}
