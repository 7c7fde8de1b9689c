package dev.leat.schedule;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Function;

/**
 * Again and again after the same time, whatever clocks on walls show.
 *
 * @param interval the time between two runs, at least a second
 * @param start when the first run is; empty for one interval after the schedule is first put, so that many of them do not all run at
 *     the same moment
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

    /** The same, with a first run at {@code first}. */
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

    /** Whether two are the same to who does not say when it starts. */
    boolean isLike(FixedRate other) {
        return interval.equals(other.interval) && (start.isEmpty() || start.equals(other.start));
    }

    @Override
    public String toString() {
        return "every " + interval;
    }
}
