package dev.leat.sql.internal.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts between times and the microseconds that the database stores; 0 stands for none. */
public final class Times {
    private static final long PER_SECOND = 1_000_000;

    private Times() {}

    public static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), PER_SECOND), instant.getNano() / 1_000);
    }

    public static long micros(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), PER_SECOND), duration.getNano() / 1_000);
    }

    /** The microseconds, or 0 for none. */
    public static long micros(Optional<Duration> duration) {
        return duration.isPresent() ? micros(duration.get()) : 0;
    }

    public static long orNone(Optional<Instant> instant) {
        return instant.isPresent() ? micros(instant.get()) : 0;
    }

    public static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, PER_SECOND), Math.floorMod(micros, PER_SECOND) * 1_000);
    }

    public static @Nullable Instant instantOrNull(long micros) {
        return micros == 0 ? null : instant(micros);
    }

    public static Optional<Instant> optional(long micros) {
        return micros == 0 ? Optional.empty() : Optional.of(instant(micros));
    }

    public static Duration duration(long micros) {
        return Duration.ofSeconds(micros / PER_SECOND, micros % PER_SECOND * 1_000);
    }

    public static @Nullable Duration durationOrNull(long micros) {
        return micros == 0 ? null : duration(micros);
    }

    /** The earlier of two moments, where 0 stands for never. */
    public static long earlier(long a, long b) {
        return a == 0 || (b != 0 && b < a) ? b : a;
    }
}
