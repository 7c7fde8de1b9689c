package dev.leat.schedule;

import dev.leat.error.InvalidRequestException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cron expression in a time zone: minute, hour, day of the month, month and day of the week. With six fields, the first is the second.
 *
 * <pre>{@code
 * Cron.of("30 2 * * MON-FRI", ZoneId.of("Europe/Berlin"))
 * }</pre>
 *
 * <p>A field is {@code *} (or {@code ?}), a value, a range {@code 1-5}, each with a step {@code /2}, or several of these with commas.
 * Months and days of the week have names; Sunday is 0 or 7. For days there are {@code L} (the last of the month), {@code L-2},
 * {@code 15W} (the working day nearest to the 15th, in the same month), {@code LW}, {@code FRI#2} (the second Friday) and {@code FRIL} (the
 * last). If both day fields are restricted, one match is enough; if one begins with {@code *}, both must match. {@code @yearly},
 * {@code @monthly}, {@code @weekly}, {@code @daily} and {@code @hourly} are understood.
 *
 * <p>At changes of the clock, each time runs once. A time in the skipped hour runs when the clock moves forward; a time in the repeated hour runs
 * the first time. An expression that runs in every hour follows the elapsed time instead: it runs in both repeated hours, and a skipped time runs
 * later by the length of the gap, unless the expression runs then anyway.
 *
 * <p>Immutable. Two are equal if their expressions and zones are equal.
 */
public final class Cron implements Cadence {
    private static final Map<String, String> NICKNAMES = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final int MAX_LENGTH = 512;
    private static final long ALL_HOURS = (1L << 24) - 1;
    /** The Gregorian calendar repeats after this many years. */
    private static final int CYCLE_YEARS = 400;

    private final String expression;
    private final ZoneId zone;
    private final long seconds;
    private final long minutes;
    private final long hours;
    private final long months;
    private final CronDays days;

    private Cron(String expression, ZoneId zone) {
        this.expression = expression;
        this.zone = zone.equals(ZoneOffset.UTC) ? UTC : zone; // prints as UTC instead of Z
        List<String> fields = fields(expression);
        boolean hasSeconds = fields.size() == 6;
        List<String> rest = hasSeconds ? fields.subList(1, 6) : fields;
        this.seconds = hasSeconds ? CronField.SECOND.bits(fields.get(0), expression) : 1;
        this.minutes = CronField.MINUTE.bits(rest.get(0), expression);
        this.hours = CronField.HOUR.bits(rest.get(1), expression);
        this.months = CronField.MONTH.bits(rest.get(3), expression);
        this.days = CronDays.parse(rest.get(2), rest.get(4), expression);
    }

    /** In UTC. */
    public static Cron of(String expression) {
        return of(expression, UTC);
    }

    /** @throws InvalidRequestException when the expression cannot be read, or no day ever matches */
    public static Cron of(String expression, ZoneId zone) {
        String normal = Stream.of(expression.strip().split("\\s+")).collect(Collectors.joining(" "));
        if (normal.length() > MAX_LENGTH) {
            throw new InvalidRequestException("cron", "must have at most " + MAX_LENGTH + " characters");
        }
        Cron cron = new Cron(normal, zone);
        if (cron.nextDate(LocalDate.of(2000, 1, 1)) == null) {
            throw new InvalidRequestException(
                    "cron", "'" + normal + "' never runs: no month of any year has such a day");
        }
        return cron;
    }

    private static List<String> fields(String expression) {
        String lower = expression.toLowerCase(Locale.ROOT);
        if (expression.startsWith("@") && !NICKNAMES.containsKey(lower)) {
            throw new InvalidRequestException(
                    "cron",
                    "'" + expression + "' is not known; known are "
                            + NICKNAMES.keySet().stream().sorted().collect(Collectors.joining(", ")));
        }
        List<String> fields = List.of(NICKNAMES.getOrDefault(lower, expression).split(" "));
        if (fields.size() != 5 && fields.size() != 6) {
            throw new InvalidRequestException(
                    "cron",
                    "'" + expression + "' has " + fields.size()
                            + " fields; it must have 5 (minute, hour, day of month, "
                            + "month, day of week) or 6 (second before them)");
        }
        return fields;
    }

    public String expression() {
        return expression;
    }

    public ZoneId zone() {
        return zone;
    }

    /** The same expression in another zone. */
    public Cron in(ZoneId other) {
        return new Cron(expression, other);
    }

    @Override
    public <T> T match(Function<? super Cron, T> cron, Function<? super FixedRate, T> fixedRate) {
        return cron.apply(this);
    }

    @Override
    public Cron begunAt(Instant now) {
        return this;
    }

    @Override
    public Instant next(Instant after) {
        return hours == ALL_HOURS ? nextByPassingTime(after) : nextByTheClock(after);
    }

    /** Runs each local time once. */
    private Instant nextByTheClock(Instant after) {
        ZoneRules rules = zone.getRules();
        LocalDateTime time = nextLocal(secondAfter(after, rules.getOffset(after)));
        while (true) {
            ZoneOffsetTransition transition = rules.getTransition(time);
            if (transition == null) {
                return time.toInstant(rules.getOffset(time));
            }
            if (transition.isGap()) {
                return transition.getInstant();
            }
            Instant first = time.toInstant(transition.getOffsetBefore());
            if (first.isAfter(after)) {
                return first;
            }
            time = nextLocal(transition.getDateTimeBefore()); // the times of the repeated hour have run
        }
    }

    /** Runs each matching moment, and the skipped times later by the length of the gap. */
    private Instant nextByPassingTime(Instant after) {
        ZoneRules rules = zone.getRules();
        Instant best = leftOut(rules.previousTransition(after.plusNanos(1)), after);
        Instant segment = after;
        ZoneOffset offset = rules.getOffset(after);
        LocalDateTime from = secondAfter(after, offset);
        while (true) {
            Instant next = nextLocal(from).toInstant(offset);
            ZoneOffsetTransition change = rules.nextTransition(segment);
            if (change == null || next.isBefore(change.getInstant())) {
                return earlier(best, next);
            }
            Instant late = leftOut(change, after);
            best = late == null ? best : earlier(best, late);
            segment = change.getInstant();
            offset = change.getOffsetAfter();
            from = change.getDateTimeAfter();
        }
    }

    /** The first skipped time after {@code after}, by the offset before the gap. */
    private @Nullable Instant leftOut(@Nullable ZoneOffsetTransition change, Instant after) {
        if (change == null || !change.isGap()) {
            return null;
        }
        LocalDateTime from = later(secondAfter(after, change.getOffsetBefore()), change.getDateTimeBefore());
        LocalDateTime next = nextLocal(from);
        return next.isBefore(change.getDateTimeAfter()) ? next.toInstant(change.getOffsetBefore()) : null;
    }

    private static Instant earlier(@Nullable Instant a, Instant b) {
        return a != null && a.isBefore(b) ? a : b;
    }

    private static LocalDateTime later(LocalDateTime a, LocalDateTime b) {
        return a.isAfter(b) ? a : b;
    }

    private static LocalDateTime secondAfter(Instant moment, ZoneOffset offset) {
        return LocalDateTime.ofInstant(moment, offset)
                .truncatedTo(ChronoUnit.SECONDS)
                .plusSeconds(1);
    }

    /** The first time at or after {@code from} that matches: jumps from field to field. */
    private LocalDateTime nextLocal(LocalDateTime from) {
        LocalDate date = date(from.toLocalDate());
        LocalTime time = date.equals(from.toLocalDate()) ? nextTime(from.toLocalTime()) : nextTime(LocalTime.MIDNIGHT);
        if (time == null) {
            date = date(date.plusDays(1));
            time = nextTime(LocalTime.MIDNIGHT);
        }
        if (time == null) {
            throw new IllegalStateException("'" + expression + "' has no time of day");
        }
        return date.atTime(time);
    }

    private LocalDate date(LocalDate from) {
        LocalDate found = nextDate(from);
        if (found == null) {
            throw new IllegalStateException("'" + expression + "' has no day");
        }
        return found;
    }

    private @Nullable LocalDate nextDate(LocalDate from) {
        LocalDate date = from;
        while (date.getYear() <= from.getYear() + CYCLE_YEARS) {
            int month = nextBit(months, date.getMonthValue());
            if (month < 0) {
                date = LocalDate.of(date.getYear() + 1, 1, 1);
                continue;
            }
            date = month == date.getMonthValue() ? date : LocalDate.of(date.getYear(), month, 1);
            int day = nextBit(days.inMonthOf(date), date.getDayOfMonth());
            if (day > 0) {
                return date.withDayOfMonth(day);
            }
            date = date.withDayOfMonth(1).plusMonths(1);
        }
        return null;
    }

    private @Nullable LocalTime nextTime(LocalTime from) {
        int hour = from.getHour();
        int minute = from.getMinute();
        int second = nextBit(seconds, from.getSecond());
        if (second < 0) {
            minute++;
        }
        if ((hours & 1L << hour) != 0) {
            int next = nextBit(minutes, minute);
            if (next >= 0) {
                return LocalTime.of(hour, next, next == minute && second >= 0 ? second : first(seconds));
            }
        }
        int nextHour = nextBit(hours, hour + 1);
        return nextHour < 0 ? null : LocalTime.of(nextHour, first(minutes), first(seconds));
    }

    /** The lowest set bit at or above {@code from}; -1 for none. */
    private static int nextBit(long bits, int from) {
        long left = from > 63 ? 0 : bits >>> from << from;
        return left == 0 ? -1 : Long.numberOfTrailingZeros(left);
    }

    private static int first(long bits) {
        return Long.numberOfTrailingZeros(bits);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Cron that && expression.equals(that.expression) && zone.equals(that.zone);
    }

    @Override
    public int hashCode() {
        return expression.hashCode();
    }

    @Override
    public String toString() {
        return expression + " " + zone;
    }
}
