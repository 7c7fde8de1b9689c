package dev.leat.internal;

import java.time.Duration;
import java.util.Locale;

/** Writes durations and counts into messages for people. */
public final class InWords {
    private static final long UNITS_SHOWN_FROM = 2;

    private InWords() {}

    /** The duration in its largest unit of which there are at least two, such as {@code 90 s} or {@code 2 min}. */
    public static String duration(Duration duration) {
        if (duration.toDays() >= UNITS_SHOWN_FROM) {
            return duration.toDays() + " days";
        }
        if (duration.toHours() >= UNITS_SHOWN_FROM) {
            return duration.toHours() + " h";
        }
        if (duration.toMinutes() >= UNITS_SHOWN_FROM) {
            return duration.toMinutes() + " min";
        }
        return duration.toMillis() >= 1_000
                ? String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1e3)
                        .replace(".0 s", " s")
                : duration.toMillis() + " ms";
    }

    /** {@code 1 task}, or {@code 4,812 tasks}. */
    public static String count(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }
}
