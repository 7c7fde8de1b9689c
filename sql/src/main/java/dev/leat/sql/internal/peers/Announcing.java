package dev.leat.sql.internal.peers;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a put may tell of itself (ADR 11): after a silence, and so seldom that the commits of many processes, which
 * wait for each other, take a twentieth of each one's time at most. Times are those of {@link System#nanoTime}. Safe from any
 * thread.
 */
final class Announcing {
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int SHARE = 20;
    /** One commit that stood still for long says little about the next. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long lastTold;
    private long nextAnnouncement;

    Announcing(long now) {
        this.lastTold = now;
        this.nextAnnouncement = now;
    }

    /** Something is told, in whatever way. */
    synchronized void told(long now) {
        lastTold = now;
    }

    /** Whether the next put may tell of itself; if so, it counts as told. */
    synchronized boolean begin(long now) {
        boolean mayAnnounce = now - lastTold >= SILENCE_NANOS && now - nextAnnouncement >= 0;
        if (mayAnnounce) {
            lastTold = now;
            nextAnnouncement = now;
        }
        return mayAnnounce;
    }

    /** It took so long. */
    synchronized void end(long now, long nanos) {
        nextAnnouncement = now + Math.min(LONGEST_PAUSE_NANOS, SHARE * nanos);
    }
}
