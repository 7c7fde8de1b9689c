package dev.leat.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares {@link Cron} with somebody who knows nothing of it: he looks at every minute of the days around a change of the clocks, and asks
 * whether it matches.
 */
@Tag("jvm")
class CronOracleTest {
    /** The days on which clocks are changed, in zones that do it by an hour or half an hour, in the night or at midnight. */
    private static final List<Change> CHANGES = Stream.of(
                    Change.in("Europe/Berlin", 2024),
                    Change.in("America/New_York", 2024),
                    Change.in("Australia/Lord_Howe", 2024),
                    Change.in("America/Sao_Paulo", 2018),
                    Change.in("Asia/Tehran", 2021),
                    Change.in("Africa/Cairo", 2014))
            .flatMap(List::stream)
            .toList();

    /** Days before and after the change that are looked at. */
    private static final int DAYS = 2;

    private static final int TRIES =
            Integer.getInteger("leat.cron.tries", Boolean.getBoolean("leat.soak") ? 4_000 : 1_000);
    private static final long SEED = Long.getLong("leat.cron.seed", 20261116);

    private final SplittableRandom random = new SplittableRandom(SEED);

    private record Change(ZoneId zone, Instant at) {
        static List<Change> in(String zone, int year) {
            ZoneId id = ZoneId.of(zone);
            List<Change> changes = new ArrayList<>();
            Instant from = LocalDateTime.of(year, 1, 1, 0, 0).toInstant(ZoneOffset.UTC);
            ZoneOffsetTransition next = id.getRules().nextTransition(from);
            while (next != null && next.getDateTimeBefore().getYear() == year) {
                changes.add(new Change(id, next.getInstant()));
                next = id.getRules().nextTransition(next.getInstant());
            }
            assertThat(changes).as("changes of the clocks in " + zone).hasSizeGreaterThanOrEqualTo(2);
            return changes;
        }
    }

    /** What a field says, and which values that are. */
    private record Field(String text, Set<Integer> values) {
        boolean isStar() {
            return text.startsWith("*");
        }
    }

    private record Fields(Field minute, Field hour, Field dayOfMonth, Field month, Field dayOfWeek) {
        String expression() {
            return String.join(" ", minute.text, hour.text, dayOfMonth.text, month.text, dayOfWeek.text);
        }

        boolean runsInEveryHour() {
            return hour.values.size() == 24;
        }

        boolean matches(LocalDateTime time) {
            boolean onDate = dayOfMonth.values.contains(time.getDayOfMonth());
            boolean onDay = dayOfWeek.values.contains(sundayIsZero(time.getDayOfWeek()));
            boolean either = !dayOfMonth.isStar() && !dayOfWeek.isStar();
            return minute.values.contains(time.getMinute())
                    && hour.values.contains(time.getHour())
                    && month.values.contains(time.getMonthValue())
                    && (either ? onDate || onDay : onDate && onDay);
        }

        private static int sundayIsZero(DayOfWeek day) {
            return day == DayOfWeek.SUNDAY ? 0 : day.getValue();
        }
    }

    private static Set<Instant> walk(Fields fields, ZoneId zone, Instant from, Instant to) {
        Set<Instant> runs = new TreeSet<>();
        LocalDateTime end = LocalDateTime.ofInstant(to, zone).plusHours(3);
        for (LocalDateTime time = LocalDateTime.ofInstant(from, zone)
                        .truncatedTo(ChronoUnit.MINUTES)
                        .minusHours(3);
                time.isBefore(end);
                time = time.plusMinutes(1)) {
            if (fields.matches(time)) {
                runs.addAll(moments(fields, time, zone));
            }
        }
        runs.removeIf(run -> !run.isAfter(from) || run.isAfter(to));
        return runs;
    }

    private static List<Instant> moments(Fields fields, LocalDateTime time, ZoneId zone) {
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
        if (offsets.isEmpty()) {
            // What java.time makes of a time that does not exist is as much later as the clock is put forward.
            return List.of(
                    fields.runsInEveryHour()
                            ? ZonedDateTime.of(time, zone).toInstant()
                            : firstMinuteThatExists(time, zone));
        }
        List<Instant> moments = offsets.stream().map(time::toInstant).sorted().toList();
        return fields.runsInEveryHour() ? moments : moments.subList(0, 1);
    }

    private static Instant firstMinuteThatExists(LocalDateTime time, ZoneId zone) {
        LocalDateTime later = time;
        while (zone.getRules().getValidOffsets(later).isEmpty()) {
            later = later.plusMinutes(1);
        }
        return later.atZone(zone).toInstant();
    }

    @Test
    void aCronRunsAtTheMinutesThatMatch() {
        for (int i = 0; i < TRIES; i++) {
            Change change = anyOf(CHANGES);
            Fields fields = fields();
            Instant from = change.at.minus(Duration.ofDays(DAYS));
            Instant to = change.at.plus(Duration.ofDays(DAYS));
            Cron cron = Cron.of(fields.expression(), change.zone);

            List<Instant> runs = new ArrayList<>();
            for (Instant run = cron.next(from); !run.isAfter(to); run = cron.next(run)) {
                runs.add(run);
            }

            assertThat(runs)
                    .as("%s in %s from %s to %s, seed %d", fields.expression(), change.zone, from, to, SEED)
                    .containsExactlyElementsOf(walk(fields, change.zone, from, to));
        }
    }

    /** Also from a moment at which it does not run. */
    @Test
    void theNextRunIsTheFirstAfterAnyMoment() {
        for (int i = 0; i < TRIES; i++) {
            Change change = anyOf(CHANGES);
            Fields fields = fields();
            Instant from = change.at.plusSeconds(between(-3 * 3_600, 3 * 3_600));
            Instant to = change.at.plus(Duration.ofDays(DAYS));
            Cron cron = Cron.of(fields.expression(), change.zone);

            Instant next = cron.next(from);

            Set<Instant> expected = walk(fields, change.zone, from, to);
            if (expected.isEmpty()) {
                assertThat(next).isAfter(to);
            } else {
                assertThat(next)
                        .as("%s in %s after %s, seed %d", fields.expression(), change.zone, from, SEED)
                        .isEqualTo(expected.iterator().next());
            }
        }
    }

    private Fields fields() {
        Field day = seldom(() -> values(1, 31), () -> steps(1, 31), 1, 31);
        while (day.values.equals(Set.of(31)) || day.values.equals(Set.of(30))) {
            day = values(1, 31);
        }
        return new Fields(
                anyOf(List.of(star(0, 59), values(0, 59), steps(0, 59), ranges(0, 59))),
                // The hours in which clocks are changed, more often than others.
                anyOf(List.of(star(0, 23), values(0, 3), values(0, 23), steps(0, 23), ranges(0, 23))),
                day,
                between(0, 4) == 0 ? ranges(1, 12) : star(1, 12),
                seldom(() -> values(0, 6), () -> steps(0, 6), 0, 6));
    }

    /** Every value in four of six cases, else one of the two. */
    private Field seldom(Supplier<Field> one, Supplier<Field> other, int least, int most) {
        return switch (between(0, 5)) {
            case 0 -> one.get();
            case 1 -> other.get();
            default -> star(least, most);
        };
    }

    private static Field star(int least, int most) {
        return new Field("*", every(least, most, 1));
    }

    private Field values(int least, int most) {
        Set<Integer> set = Stream.generate(() -> between(least, most))
                .limit(between(1, 4))
                .collect(Collectors.toCollection(TreeSet::new));
        return new Field(set.stream().map(String::valueOf).collect(Collectors.joining(",")), set);
    }

    private Field steps(int least, int most) {
        int step = between(2, 20);
        return new Field("*/" + step, every(least, most, step));
    }

    private Field ranges(int least, int most) {
        int from = between(least, most);
        int to = between(from, most);
        int step = between(1, 7);
        return new Field(from + "-" + to + "/" + step, every(from, to, step));
    }

    private int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    private <T> T anyOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static Set<Integer> every(int from, int to, int step) {
        return IntStream.rangeClosed(from, to)
                .filter(value -> (value - from) % step == 0)
                .boxed()
                .collect(Collectors.toSet());
    }
}
