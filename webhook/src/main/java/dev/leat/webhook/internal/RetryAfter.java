package dev.leat.webhook.internal;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code Retry-After}: seconds, or a date. */
public final class RetryAfter {
    /** A receiver may slow us down, but not park a message for ever. */
    public static final Duration MOST = Duration.ofHours(1);

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");
    /** More digits than this are longer than {@link #MOST} anyway, and would not fit a number. */
    private static final int MOST_DIGITS = 9;

    private RetryAfter() {}

    /** Empty when it cannot be read; a date that has passed is zero. */
    public static Optional<Duration> parse(String text, Instant now) {
        String value = text.strip();
        if (SECONDS.matcher(value).matches()) {
            return Optional.of(value.length() > MOST_DIGITS ? MOST : within(Duration.ofSeconds(Long.parseLong(value))));
        }
        try {
            Instant date = DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from);
            return Optional.of(within(Duration.between(now, date)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Duration within(Duration wait) {
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(MOST) > 0 ? MOST : wait;
    }
}
