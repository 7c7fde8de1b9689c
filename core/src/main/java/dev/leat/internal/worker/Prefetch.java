package dev.leat.internal.worker;

import java.util.Arrays;

/**
 * How fast a queue's tasks were worked off during the last second, and how many to keep at hand for it (rule 13).
 * Guarded by the buffer's lock.
 */
final class Prefetch {
    private static final int SLICES = 10;
    private static final long SLICE_NANOS = 100_000_000L;
    /** A rate measured over less than this says nothing. */
    private static final long SHORTEST_NANOS = 1_000_000L;

    private static final double AHEAD_SECONDS = 0.1;
    private static final long SLOW_TASK_NANOS = 100_000_000L;
    /** More makes takes no faster, but lets less important tasks be taken before more important ones come. */
    private static final int MOST_AHEAD = 2_000;

    private final long[] tasks = new long[SLICES];
    private final long[] busyNanos = new long[SLICES];
    private final long origin;
    private long slice;

    Prefetch(long now) {
        this.origin = now;
    }

    void record(int count, long nanos, long now) {
        moveTo(now);
        tasks[(int) (slice % SLICES)] += count;
        busyNanos[(int) (slice % SLICES)] += nanos;
    }

    /** How many tasks to hold beyond the free processors: a tenth of a second's worth, none of slow tasks. */
    int prefetch(long now) {
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

    /** Nothing of the past holds any more. */
    void forget() {
        Arrays.fill(tasks, 0);
        Arrays.fill(busyNanos, 0);
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
