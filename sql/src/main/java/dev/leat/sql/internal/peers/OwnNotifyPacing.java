package dev.leat.sql.internal.peers;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a put may carry its own NOTIFY (ADR 11): after 20 ms without a notice, and for at most a twentieth of the
 * time. Commits with a NOTIFY wait for each other on the server, so a busy fleet sends fewer of them. All times are those of
 * {@link System#nanoTime}. Safe from any thread.
 */
final class OwnNotifyPacing {
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int SHARE = 20;
    /** A single commit that took very long says little about the next one. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long lastSent;
    private long nextOwn;

    OwnNotifyPacing(long now) {
        this.lastSent = now;
        this.nextOwn = now;
    }

    /** The notifier sends something. */
    synchronized void sent(long now) {
        lastSent = now;
    }

    /** Whether the next put may carry its own NOTIFY; if so, that counts as sent. */
    synchronized boolean begin(long now) {
        boolean mayCarry = now - lastSent >= SILENCE_NANOS && now - nextOwn >= 0;
        if (mayCarry) {
            lastSent = now;
            nextOwn = now;
        }
        return mayCarry;
    }

    /** The put with its own NOTIFY took this long. */
    synchronized void end(long now, long nanos) {
        nextOwn = now + Math.min(LONGEST_PAUSE_NANOS, SHARE * nanos);
    }
}
