package dev.leat.json;

import dev.leat.error.InvalidRequestException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes durations for people: {@code 1.5s}, {@code 200ms}, {@code 2m}, {@code 1h30m}, {@code 7d}, or a number of seconds.
 */
public final class DurationText {
    private static final String AMOUNT = "(\\d{1,12}(?:\\.\\d{1,9})?)";
    private static final Pattern SECONDS = Pattern.compile(AMOUNT);
    /** One group for each unit, the largest first. */
    private static final Pattern SUM = Pattern.compile(Arrays.stream(Unit.values())
            .map(unit -> "(?:" + AMOUNT + "\\s*" + unit.text() + ")?")
            .collect(Collectors.joining()));

    /** Shorter durations are written in seconds only: 90s is easier to read than 1m30s. */
    private static final long SECONDS_ALONE_MILLIS = 120_000;

    private DurationText() {}

    /** The text of a unit is its name in lower case; the largest unit comes first. */
    private enum Unit {
        D(86_400_000),
        H(3_600_000),
        M(60_000),
        S(1_000),
        MS(1);

        final long millis;

        Unit(long millis) {
            this.millis = millis;
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        Duration times(BigDecimal amount) {
            BigDecimal nanos = amount.multiply(BigDecimal.valueOf(millis)).movePointRight(6);
            BigDecimal[] parts =
                    nanos.setScale(0, RoundingMode.DOWN).divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
            return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
        }
    }

    /**
     * Reads a duration, also in ISO 8601 ({@code PT1M30S}).
     *
     * @param field the field, for the message if the text is wrong
     */
    public static Duration parse(String field, String text) {
        String trimmed = text.strip();
        if (SECONDS.matcher(trimmed).matches()) {
            return Unit.S.times(new BigDecimal(trimmed));
        }
        Matcher sum = SUM.matcher(trimmed.toLowerCase(Locale.ROOT));
        if (!trimmed.isEmpty() && sum.matches()) {
            return sum(sum);
        }
        try {
            Duration iso = Duration.parse(trimmed);
            if (!iso.isNegative()) {
                return iso;
            }
        } catch (DateTimeParseException e) {
            throw wrong(field, text);
        }
        throw wrong(field, text);
    }

    private static Duration sum(Matcher amounts) {
        Duration sum = Duration.ZERO;
        for (Unit unit : Unit.values()) {
            @Nullable String amount = amounts.group(unit.ordinal() + 1);
            if (amount != null) {
                sum = sum.plus(unit.times(new BigDecimal(amount)));
            }
        }
        return sum;
    }

    private static InvalidRequestException wrong(String field, String text) {
        return new InvalidRequestException(
                field, "must be a duration such as 1.5s, 2m or a number of seconds, was '" + text + "'");
    }

    /** The duration in seconds, exact to the microsecond, for JSON. */
    static double seconds(Duration duration) {
        return duration.dividedBy(1_000).toNanos() / 1e6;
    }

    /** Writes a duration for people, exact to the millisecond: {@code 200ms}, {@code 1.5s}, {@code 90s}, {@code 1h30m}, {@code 7d}. */
    public static String format(Duration duration) {
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        long millis = duration.toMillis();
        if (millis > 0 && millis < Unit.S.millis) {
            return millis + Unit.MS.text();
        }
        if (millis < SECONDS_ALONE_MILLIS) {
            return secondsText(millis);
        }
        StringBuilder text = new StringBuilder();
        for (Unit unit : List.of(Unit.D, Unit.H, Unit.M)) {
            if (millis >= unit.millis) {
                text.append(millis / unit.millis).append(unit.text());
                millis %= unit.millis;
            }
        }
        return millis == 0 ? text.toString() : text.append(secondsText(millis)).toString();
    }

    private static String secondsText(long millis) {
        return BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString() + Unit.S.text();
    }
}
