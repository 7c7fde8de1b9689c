package dev.leat.schedule;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Function;

/**
 * Runs again after the same interval, without regard to time zones.
 *
 * @param interval the time between two runs, at least a second
 * @param start the first run; empty for one interval after the first put, so that many schedules do not all run at the same moment
 */
public record FixedRate(Duration interval, Optional<Instant> start) implements Cadence {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    public FixedRate {
        if (Checks.positive("every", interval).compareTo(SHORTEST) < 0) {
            throw new InvalidRequestException("every", "must be at least " + SHORTEST + ", was " + interval);
        }
        interval = interval.truncatedTo(ChronoUnit.MICROS);
        start = start.map(FixedRate::checked);
    }

    private static Instant checked(Instant start) {
        if (start.isBefore(Instant.EPOCH)) {
            throw new InvalidRequestException("start", "must not be before " + Instant.EPOCH + ", was " + start);
        }
        return Checks.notTooLate("start", start).truncatedTo(ChronoUnit.MICROS);
    }

    public static FixedRate of(Duration interval) {
        return new FixedRate(interval, Optional.empty());
    }

    /** A copy with its first run at {@code first}. */
    public FixedRate startingAt(Instant first) {
        return new FixedRate(interval, Optional.of(first));
    }

    @Override
    public Instant next(Instant after) {
        Instant first = start.orElseThrow(() -> new IllegalStateException("has not begun"));
        if (after.isBefore(first)) {
            return first;
        }
        long past = Duration.between(first, after).dividedBy(interval);
        return first.plus(interval.multipliedBy(past + 1));
    }

    @Override
    public <T> T match(Function<? super Cron, T> cron, Function<? super FixedRate, T> fixedRate) {
        return fixedRate.apply(this);
    }

    @Override
    public FixedRate begunAt(Instant now) {
        return start.isPresent() ? this : startingAt(now.plus(interval));
    }

    /** Whether the intervals are equal, and the starts too if this one has a start. */
    boolean isLike(FixedRate other) {
        return interval.equals(other.interval) && (start.isEmpty() || start.equals(other.start));
    }

    @Override
    public String toString() {
        return "every " + interval;
    }
}
