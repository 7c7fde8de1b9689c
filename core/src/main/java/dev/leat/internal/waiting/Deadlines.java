package dev.leat.internal.waiting;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Rounds deadlines up, so that many long waits end at one wake-up. */
final class Deadlines {
    /** A wait ends late by at most this fraction of its timeout, and by at most {@link #LATEST_NANOS}. */
    private static final long PER_WAIT = 100;

    private static final long LATEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private Deadlines() {}

    /**
     * Returns a deadline at or a little after the end of the timeout.
     *
     * @return a time of {@link System#nanoTime}
     */
    static long after(Duration timeout) {
        long nanos = Loop.clampedNanos(timeout);
        long end = System.nanoTime() + nanos;
        long step = Math.max(1, Math.min(nanos / PER_WAIT, LATEST_NANOS));
        return end + Math.floorMod(-end, step);
    }
}
