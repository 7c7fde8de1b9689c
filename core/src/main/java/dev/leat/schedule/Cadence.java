package dev.leat.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

/** When a schedule runs: at times of the clock on a wall, or again and again after the same time. */
public sealed interface Cadence permits Cron, FixedRate {

    /** @see Cron#of(String) */
    static Cadence cron(String expression) {
        return Cron.of(expression);
    }

    /** @see FixedRate */
    static Cadence every(Duration interval) {
        return FixedRate.of(interval);
    }

    /** The first time after {@code after} at which it runs. */
    Instant next(Instant after);

    /** For storages: the same, with everything decided that depends on when it was first put. */
    Cadence begunAt(Instant now);

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(Function<? super Cron, T> cron, Function<? super FixedRate, T> fixedRate);
}
