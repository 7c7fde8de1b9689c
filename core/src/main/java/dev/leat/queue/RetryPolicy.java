package dev.leat.queue;

import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.Instant;

/**
 * The limits of attempts, and the delay before the next one.
 *
 * @param maxFailures the number of failures that exhausts the task
 * @param maxLosses the number of losses that exhausts the task
 * @param charge whether losses have a limit of their own or count as failures
 * @param backoff the delay before the next attempt
 * @param anchor the start of this delay
 */
public record RetryPolicy(int maxFailures, int maxLosses, Charge charge, Backoff backoff, Anchor anchor) {
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final RetryPolicy DEFAULT = new RetryPolicy(
            10, 10, Charge.SEPARATELY, Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10)), Anchor.NOW);

    /** Whether failures and losses share one limit. */
    public enum Charge {
        SEPARATELY,
        /** Failures plus losses count against {@code maxFailures}; {@code maxLosses} is not used. */
        TOGETHER
    }

    /** The start of the delay. */
    public enum Anchor {
        NOW,
        /** The due time of the failed attempt; a time in the past means at once. */
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

    /** For storages: whether a task with these counts is exhausted. */
    public boolean exhausted(int failures, int losses) {
        return switch (charge) {
            case SEPARATELY -> failures >= maxFailures || losses >= maxLosses;
            case TOGETHER -> (long) failures + losses >= maxFailures;
        };
    }

    /** For storages: the next due time of a task that failed now. */
    public Instant nextDue(int failures, Instant due, Instant now, double random) {
        Duration delay = backoff.delay(failures, random);
        return switch (anchor) {
            case NOW -> now.plus(delay);
            case DUE -> due.plus(delay);
        };
    }
}
