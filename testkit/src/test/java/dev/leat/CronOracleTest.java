package dev.leat;

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
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Compares {@link Cron} with somebody who knows nothing of it: he looks at every minute of the days around a change of the clocks, and asks
 * whether it matches.
 */
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

    @Property(tries = 2_000, seed = "20261116", edgeCases = EdgeCasesMode.NONE)
    void aCronRunsAtTheMinutesThatMatch(@ForAll("changes") Change change, @ForAll("fields") Fields fields) {
        Instant from = change.at.minus(Duration.ofDays(DAYS));
        Instant to = change.at.plus(Duration.ofDays(DAYS));
        Cron cron = Cron.of(fields.expression(), change.zone);

        List<Instant> runs = new ArrayList<>();
        for (Instant run = cron.next(from); !run.isAfter(to); run = cron.next(run)) {
            runs.add(run);
        }

        assertThat(runs)
                .as("%s in %s from %s to %s", fields.expression(), change.zone, from, to)
                .containsExactlyElementsOf(walk(fields, change.zone, from, to));
    }

    /** Also from a moment at which it does not run. */
    @Property(tries = 2_000, seed = "20261116", edgeCases = EdgeCasesMode.NONE)
    void theNextRunIsTheFirstAfterAnyMoment(
            @ForAll("changes") Change change, @ForAll("fields") Fields fields, @ForAll("seconds") int second) {
        Instant from = change.at.plusSeconds(second);
        Instant to = change.at.plus(Duration.ofDays(DAYS));
        Cron cron = Cron.of(fields.expression(), change.zone);

        Instant next = cron.next(from);

        Set<Instant> expected = walk(fields, change.zone, from, to);
        if (expected.isEmpty()) {
            assertThat(next).isAfter(to);
        } else {
            assertThat(next)
                    .as("%s in %s after %s", fields.expression(), change.zone, from)
                    .isEqualTo(expected.iterator().next());
        }
    }

    @Provide
    Arbitrary<Change> changes() {
        return Arbitraries.of(CHANGES);
    }

    /** Within three hours of the change. */
    @Provide
    Arbitrary<Integer> seconds() {
        return Arbitraries.integers().between(-3 * 3_600, 3 * 3_600);
    }

    @Provide
    Arbitrary<Fields> fields() {
        return Combinators.combine(
                        Arbitraries.oneOf(star(0, 59), values(0, 59), steps(0, 59), ranges(0, 59)),
                        // The hours in which clocks are changed, more often than others.
                        Arbitraries.oneOf(star(0, 23), values(0, 3), values(0, 23), steps(0, 23), ranges(0, 23)),
                        Arbitraries.frequencyOf(
                                Tuple.of(4, star(1, 31)), Tuple.of(1, values(1, 31)), Tuple.of(1, steps(1, 31))),
                        Arbitraries.frequencyOf(Tuple.of(4, star(1, 12)), Tuple.of(1, ranges(1, 12))),
                        Arbitraries.frequencyOf(
                                Tuple.of(4, star(0, 6)), Tuple.of(1, values(0, 6)), Tuple.of(1, steps(0, 6))))
                .as(Fields::new)
                .filter(fields ->
                        !fields.dayOfMonth.values.equals(Set.of(31)) && !fields.dayOfMonth.values.equals(Set.of(30)));
    }

    private static Arbitrary<Field> star(int least, int most) {
        return Arbitraries.just(new Field("*", every(least, most, 1)));
    }

    private static Arbitrary<Field> values(int least, int most) {
        return Arbitraries.integers()
                .between(least, most)
                .set()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(set -> new Field(set.stream().map(String::valueOf).collect(Collectors.joining(",")), set));
    }

    private static Arbitrary<Field> steps(int least, int most) {
        return Arbitraries.integers().between(2, 20).map(step -> new Field("*/" + step, every(least, most, step)));
    }

    private static Arbitrary<Field> ranges(int least, int most) {
        return Combinators.combine(
                        Arbitraries.integers().between(least, most),
                        Arbitraries.integers().between(least, most),
                        Arbitraries.integers().between(1, 7))
                .as((a, b, step) -> {
                    int from = Math.min(a, b);
                    int to = Math.max(a, b);
                    return new Field(from + "-" + to + "/" + step, every(from, to, step));
                });
    }

    private static Set<Integer> every(int from, int to, int step) {
        return IntStream.rangeClosed(from, to)
                .filter(value -> (value - from) % step == 0)
                .boxed()
                .collect(Collectors.toSet());
    }
}
