package dev.leat.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that moves only when told to. Safe from any thread. */
public final class ManualClock implements InstantSource {
    private volatile Instant now;

    public ManualClock(Instant start) {
        this.now = start;
    }

    /** Starts at noon of an ordinary day. */
    public ManualClock() {
        this(Instant.parse("2026-03-10T12:00:00Z"));
    }

    @Override
    public Instant instant() {
        return now;
    }

    /** Moves on, or back when negative. */
    public synchronized void advance(Duration by) {
        now = now.plus(by);
    }
}
