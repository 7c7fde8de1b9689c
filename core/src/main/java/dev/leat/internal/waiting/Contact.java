package dev.leat.internal.waiting;

import java.time.Duration;

/**
 * Since when this process has seen the storage without a gap.
 *
 * <p>A process that was cut off, or frozen, must not judge others by their silence: it may have been its own. Only after
 * it has been in touch without a gap for as long as a session may be silent, it may end one (rule 12).
 */
public final class Contact {
    private final long gapNanos;
    private long since;
    private long last;
    private boolean broken = true;

    /** @param gap a silence of this length is a gap */
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
