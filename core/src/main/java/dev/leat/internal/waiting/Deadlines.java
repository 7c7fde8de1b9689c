package dev.leat.internal.waiting;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** When somebody who waits is told that his time is over. */
final class Deadlines {
    /** He is told late by at most this part of the waiting, and {@link #LATEST_NANOS}. */
    private static final long PER_WAIT = 100;

    private static final long LATEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private Deadlines() {}

    /**
     * Not quite at the end of the time but a little later, so that many who wait for long are answered at one wake-up.
     *
     * @return on the clock of {@link System#nanoTime}
     */
    static long after(Duration timeout) {
        long nanos = Loop.clampedNanos(timeout);
        long end = System.nanoTime() + nanos;
        long step = Math.max(1, Math.min(nanos / PER_WAIT, LATEST_NANOS));
        return end + Math.floorMod(-end, step);
    }
}
