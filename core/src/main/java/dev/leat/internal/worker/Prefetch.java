package dev.leat.internal.worker;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Decides how many tasks of one queue the worker takes before a processor is free, and when it gives them back (rule 13).
 *
 * <p>The buffer holds what the rate of the last second works off in a tenth of a second. It holds none ahead for tasks that take longer
 * than 100 ms, for a queue with time limits, and under priority limits. Guarded by the buffer's lock, except {@link #timeLimited}.
 */
final class Prefetch {
    private static final int SLICES = 10;
    private static final long SLICE_NANOS = 100_000_000L;
    /** A rate measured over a shorter time is too inaccurate. */
    private static final long SHORTEST_NANOS = 1_000_000L;

    private static final double AHEAD_SECONDS = 0.1;
    private static final long SLOW_TASK_NANOS = 100_000_000L;
    /** A larger number makes takes no faster, but starts low priorities before higher ones that are put later. */
    private static final int MOST_AHEAD = 2_000;
    /** After this long without a start, the tasks go back to the queue for other workers. */
    private static final long STALE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final long[] tasks = new long[SLICES];
    private final long[] busyNanos = new long[SLICES];
    private final long origin;
    private long slice;
    private long lastStart;
    private boolean underPriorityLimits;
    /** The feeder writes it without the buffer's lock, when it reads the options of the queue. */
    private volatile boolean timeLimited;

    Prefetch(long now) {
        this.origin = now;
    }

    /** Processors have run {@code count} tasks in {@code nanos}. */
    void record(int count, long nanos, long now) {
        moveTo(now);
        tasks[(int) (slice % SLICES)] += count;
        busyNanos[(int) (slice % SLICES)] += nanos;
    }

    /** A processor has started tasks, or tasks have come into an empty buffer. */
    void restartStaleTime(long now) {
        lastStart = now;
    }

    /** Whether the queue gives its tasks a time limit, which would run out in the buffer. */
    void timeLimited(boolean isLimited) {
        timeLimited = isLimited;
    }

    void underPriorityLimits(boolean isLimited) {
        underPriorityLimits = isLimited;
    }

    /** How many tasks to hold on top of those that free processors start. */
    int ahead(long now) {
        return underPriorityLimits || timeLimited ? 0 : drainedInATenthOfASecond(now);
    }

    /** Whether half of the tasks ahead are used up, so that the feeder takes the next ones. */
    boolean isLow(int buffered, long now) {
        return 2 * buffered <= ahead(now);
    }

    /**
     * How many tasks to take now. Without a free processor it waits until half of the tasks ahead are used up, so that takes stay large.
     *
     * @param startable the tasks that free processors can start
     * @param buffered the tasks in the buffer
     * @param atLeast holds this many ahead even if the rate asks for fewer
     */
    int wanted(int startable, int buffered, int atLeast, long now) {
        int ahead = Math.max(ahead(now), atLeast);
        int wanted = startable + ahead - buffered;
        boolean isUrgent = startable > buffered;
        return isUrgent || 2 * wanted >= ahead ? wanted : 0;
    }

    /** Whether no task was started for so long that other workers should get the tasks. */
    boolean isStale(long now) {
        return now - lastStart > STALE_NANOS;
    }

    /** Forgets the rate, which no longer describes the handlers. */
    void forget() {
        Arrays.fill(tasks, 0);
        Arrays.fill(busyNanos, 0);
    }

    private int drainedInATenthOfASecond(long now) {
        moveTo(now);
        long done = 0;
        long busy = 0;
        long since = now - origin;
        for (long s = Math.max(0, slice - SLICES + 1); s <= slice; s++) {
            int i = (int) (s % SLICES);
            if (done == 0 && tasks[i] > 0) {
                since = now - origin - s * SLICE_NANOS;
            }
            done += tasks[i];
            busy += busyNanos[i];
        }
        if (done == 0 || busy / done > SLOW_TASK_NANOS) {
            return 0;
        }
        double seconds = Math.max(SHORTEST_NANOS, since) / 1e9;
        return (int) Math.min(MOST_AHEAD, done / seconds * AHEAD_SECONDS);
    }

    private void moveTo(long now) {
        long current = (now - origin) / SLICE_NANOS;
        for (long s = Math.max(slice + 1, current - SLICES + 1); s <= current; s++) {
            tasks[(int) (s % SLICES)] = 0;
            busyNanos[(int) (s % SLICES)] = 0;
        }
        slice = Math.max(slice, current);
    }
}
