package dev.leat.json;

import dev.leat.InvalidRequestException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 1.5s}, {@code 200ms}, {@code 2m}, {@code 12h}, {@code 7d}, or a number of seconds. */
public final class DurationText {
    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)\\s*(ms|s|m|h|d)?");

    private DurationText() {}

    /** The names are what is written, in lower case; from the largest on. */
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

        Duration times(BigDecimal amount) {
            BigDecimal nanos = amount.multiply(BigDecimal.valueOf(millis)).movePointRight(6);
            BigDecimal[] parts =
                    nanos.setScale(0, RoundingMode.DOWN).divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
            return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
        }
    }

    /**
     * Reads a duration; ISO 8601 ({@code PT1M30S}) will do too.
     *
     * @param field what it is for, named when it cannot be read
     */
    public static Duration parse(String field, String text) {
        String trimmed = text.strip();
        Matcher amount = AMOUNT.matcher(trimmed.toLowerCase(Locale.ROOT));
        if (amount.matches()) {
            String unit = amount.group(2) == null ? "s" : amount.group(2);
            return Unit.valueOf(unit.toUpperCase(Locale.ROOT)).times(new BigDecimal(amount.group(1)));
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

    private static InvalidRequestException wrong(String field, String text) {
        return new InvalidRequestException(
                field, "must be a duration such as 1.5s, 2m or a number of seconds, was '" + text + "'");
    }

    /** In seconds with their microseconds, as JSON has it. */
    static double seconds(Duration duration) {
        return duration.dividedBy(1_000).toNanos() / 1e6;
    }

    /** Writes a duration for people: in the largest unit of which it has one, with a decimal at most. */
    public static String format(Duration duration) {
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        long millis = duration.toMillis();
        Unit unit = Unit.MS;
        for (Unit each : Unit.values()) {
            if (millis >= each.millis) {
                unit = each;
                break;
            }
        }
        String amount = String.format(Locale.ROOT, "%.1f", (double) millis / unit.millis);
        return amount.replaceFirst("\\.0$", "") + unit.name().toLowerCase(Locale.ROOT);
    }
}
