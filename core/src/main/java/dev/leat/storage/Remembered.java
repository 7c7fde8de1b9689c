package dev.leat.storage;

import java.time.Duration;

/** How long, and how much, a storage remembers beyond the retention of a queue. */
public final class Remembered {
    /** A put with the same idempotency key returns the first task for this time (rule 22). */
    public static final Duration IDEMPOTENCY_KEYS = Duration.ofMinutes(10);

    /** The outcome of an addressed task is known for at least this time after its end (rule 17). */
    public static final Duration OUTCOMES = Duration.ofMinutes(10);

    /** A repeated settle is recognised for at least this time (rule 9). */
    public static final Duration SETTLES = Duration.ofMinutes(5);

    /** Unsuccessful attempts kept per task, so that a task that is retried forever does not grow (rule 20). */
    public static final int ATTEMPTS_PER_TASK = 1_000;

    /** Task changes kept for the next sweep. Further changes are lost: listeners have no guarantee (rule 26). */
    public static final int EVENTS_FOR_SWEEP = 10_000;

    private Remembered() {}
}
