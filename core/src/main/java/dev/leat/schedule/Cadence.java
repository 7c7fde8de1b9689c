package dev.leat.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

/** When a schedule runs: at times of the day by cron, or at a fixed rate. */
public sealed interface Cadence permits Cron, FixedRate {

    /** @see Cron#of(String) */
    static Cadence cron(String expression) {
        return Cron.of(expression);
    }

    /** @see FixedRate */
    static Cadence every(Duration interval) {
        return FixedRate.of(interval);
    }

    /** The first run after {@code after}. */
    Instant next(Instant after);

    /** For storages: this cadence with the values that depend on the first put, such as the start of a fixed rate. */
    Cadence begunAt(Instant now);

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(Function<? super Cron, T> cron, Function<? super FixedRate, T> fixedRate);
}
