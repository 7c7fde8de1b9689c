package dev.leat.internal.waiting;

import java.time.Duration;

/**
 * Measures how long this process has reached the storage without a gap.
 *
 * <p>After a lost connection or a freeze, other sessions look silent to this process. So it ends silent sessions only after it has reached the
 * storage without a gap for the time that a session may be silent (rule 12).
 */
public final class Contact {
    private final long gapNanos;
    private long since;
    private long last;
    private boolean broken = true;

    /** @param gap the length of a silence that counts as a gap */
    public Contact(Duration gap) {
        this.gapNanos = gap.toNanos();
    }

    /** The storage has just answered. */
    public synchronized void seen() {
        long now = System.nanoTime();
        if (broken || now - last > gapNanos) {
            since = now;
            broken = false;
        }
        last = now;
    }

    /** The storage has just failed to answer. */
    public synchronized void failed() {
        broken = true;
    }

    public synchronized boolean unbrokenFor(Duration time) {
        long now = System.nanoTime();
        return !broken && now - last <= gapNanos && now - since >= time.toNanos();
    }
}
