package dev.leat.queue;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Duration;
import java.util.function.Function;

/** Computes the delay before the next attempt from the number of failures. */
public sealed interface Backoff {

    static Backoff none() {
        return new Fixed(Duration.ZERO);
    }

    static Backoff fixed(Duration delay) {
        return new Fixed(delay);
    }

    /** {@code step} × failures. */
    static Backoff linear(Duration step) {
        return new Linear(step, Duration.ofDays(365));
    }

    static Backoff linear(Duration step, Duration most) {
        return new Linear(step, most);
    }

    /** {@code first}, then twice as long each time up to {@code most}, with a jitter of a tenth. */
    static Backoff exponential(Duration first, Duration most) {
        return new Exponential(first, most, 0.1);
    }

    static Backoff exponential(Duration first, Duration most, double jitter) {
        return new Exponential(first, most, jitter);
    }

    /**
     * The delay before the next attempt.
     *
     * @param failures how many attempts have failed, the last one included; at least 1
     * @param random a number from 0 (inclusive) to 1 (exclusive) that chooses the delay within its jitter
     */
    Duration delay(int failures, double random);

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(
            Function<? super Fixed, T> fixed,
            Function<? super Linear, T> linear,
            Function<? super Exponential, T> exponential);

    record Fixed(Duration delay) implements Backoff {
        public Fixed {
            Checks.notNegative("backoff", delay);
        }

        @Override
        public Duration delay(int failures, double random) {
            return delay;
        }

        @Override
        public <T> T match(
                Function<? super Fixed, T> fixed,
                Function<? super Linear, T> linear,
                Function<? super Exponential, T> exponential) {
            return fixed.apply(this);
        }
    }

    record Linear(Duration step, Duration most) implements Backoff {
        public Linear {
            Checks.notNegative("backoff step", step);
            Checks.notNegative("backoff most", most);
        }

        @Override
        public Duration delay(int failures, double random) {
            Duration delay = step.multipliedBy(failures);
            return delay.compareTo(most) > 0 ? most : delay;
        }

        @Override
        public <T> T match(
                Function<? super Fixed, T> fixed,
                Function<? super Linear, T> linear,
                Function<? super Exponential, T> exponential) {
            return linear.apply(this);
        }
    }

    /**
     * Doubling delays.
     *
     * @param jitter the part of a delay by which it can be longer or shorter; 0 to 1
     */
    record Exponential(Duration first, Duration most, double jitter) implements Backoff {
        /** Prevents an overflow; no sensible {@code most} needs more doublings. */
        private static final int MAX_DOUBLINGS = 30;

        public Exponential {
            Checks.positive("backoff first", first);
            Checks.positive("backoff most", most);
            if (!(jitter >= 0 && jitter <= 1)) {
                throw new InvalidRequestException("backoff jitter", "must be from 0 to 1, was " + jitter);
            }
        }

        @Override
        public Duration delay(int failures, double random) {
            double exact = (double) first.toNanos() * (double) (1L << Math.min(failures - 1, MAX_DOUBLINGS));
            double capped = Math.min(exact, (double) most.toNanos());
            return Duration.ofNanos((long) (capped * (1 + jitter * (2 * random - 1))));
        }

        @Override
        public <T> T match(
                Function<? super Fixed, T> fixed,
                Function<? super Linear, T> linear,
                Function<? super Exponential, T> exponential) {
            return exponential.apply(this);
        }
    }
}
