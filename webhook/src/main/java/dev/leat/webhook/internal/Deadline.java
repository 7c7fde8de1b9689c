package dev.leat.webhook.internal;

import java.time.Duration;

/** The end of an exchange's time, on the monotonic clock. */
public final class Deadline {
    private final long end;

    private Deadline(long end) {
        this.end = end;
    }

    public static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    boolean over() {
        return nanosLeft() <= 0;
    }

    /** Not negative. */
    long nanosLeft() {
        return Math.max(0, end - System.nanoTime());
    }
}
