package dev.leat.queue;

import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.Instant;

/**
 * How often a task is tried again, and when.
 *
 * @param maxFailures how many failed attempts a task may have; the one that reaches it exhausts the task
 * @param maxLosses how many lost leases a task may have, likewise
 * @param charge whether losses have a limit of their own or count as failures
 * @param backoff the delay before the next attempt
 * @param anchor what that delay counts from
 */
public record RetryPolicy(int maxFailures, int maxLosses, Charge charge, Backoff backoff, Anchor anchor) {
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final RetryPolicy DEFAULT = new RetryPolicy(
            10, 10, Charge.SEPARATELY, Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10)), Anchor.NOW);

    /** Whether failures and losses share one limit. */
    public enum Charge {
        SEPARATELY,
        /** Failures plus losses are held against {@code maxFailures}; {@code maxLosses} is not used. */
        TOGETHER
    }

    /** What the delay counts from. */
    public enum Anchor {
        NOW,
        /** The due time of the failed attempt; a moment that has passed already means at once. */
        DUE
    }

    public RetryPolicy {
        Checks.atLeast("maxFailures", 1, maxFailures);
        Checks.atLeast("maxLosses", 1, maxLosses);
    }

    /** 10 failures, 10 losses, exponential from 1 second to 10 minutes. */
    public static RetryPolicy standard() {
        return DEFAULT;
    }

    public RetryPolicy maxFailures(int maxFailures) {
        return new RetryPolicy(maxFailures, maxLosses, charge, backoff, anchor);
    }

    public RetryPolicy maxLosses(int maxLosses) {
        return new RetryPolicy(maxFailures, maxLosses, charge, backoff, anchor);
    }

    public RetryPolicy charge(Charge charge) {
        return new RetryPolicy(maxFailures, maxLosses, charge, backoff, anchor);
    }

    public RetryPolicy backoff(Backoff backoff) {
        return new RetryPolicy(maxFailures, maxLosses, charge, backoff, anchor);
    }

    public RetryPolicy anchor(Anchor anchor) {
        return new RetryPolicy(maxFailures, maxLosses, charge, backoff, anchor);
    }

    /** For storages: whether a task with these counts has had its last attempt. */
    public boolean exhausted(int failures, int losses) {
        return switch (charge) {
            case SEPARATELY -> failures >= maxFailures || losses >= maxLosses;
            case TOGETHER -> (long) failures + losses >= maxFailures;
        };
    }

    /** For storages: when a task that failed just now is due again. */
    public Instant nextDue(int failures, Instant due, Instant now, double random) {
        Duration delay = backoff.delay(failures, random);
        return switch (anchor) {
            case NOW -> now.plus(delay);
            case DUE -> due.plus(delay);
        };
    }
}
