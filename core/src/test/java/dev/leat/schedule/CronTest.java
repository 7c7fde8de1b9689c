package dev.leat.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.error.InvalidRequestException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cron expressions mean; {@link CronOracleTest} compares the rest with somebody who walks through every minute. */
@Tag("jvm")
class CronTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
    private static final ZoneId LORD_HOWE = ZoneId.of("Australia/Lord_Howe");
    private static final ZoneId SAO_PAULO = ZoneId.of("America/Sao_Paulo");

    private static Instant utc(String local) {
        return LocalDateTime.parse(local).toInstant(ZoneOffset.UTC);
    }

    private static List<String> next(int count, Cron cron, Instant after) {
        return Stream.iterate(cron.next(after), cron::next)
                .limit(count)
                .map(instant -> OffsetDateTime.ofInstant(instant, cron.zone()).toString())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "* * * * *           | 2026-01-01T00:00 | 2026-01-01T00:01",
                "*/15 * * * *        | 2026-01-01T00:46 | 2026-01-01T01:00",
                "5/20 * * * *        | 2026-01-01T00:26 | 2026-01-01T00:45",
                "30 2 * * *          | 2026-01-01T02:30 | 2026-01-02T02:30",
                "0 9-17/4 * * *      | 2026-01-01T10:00 | 2026-01-01T13:00",
                "0 0 1,15 * ?        | 2026-01-02T00:00 | 2026-01-15T00:00",
                "0 0 * FEB,Nov *     | 2026-03-01T00:00 | 2026-11-01T00:00",
                "0 0 29 2 *          | 2096-03-01T00:00 | 2104-02-29T00:00",
                "0 12 * * 1-5        | 2026-01-02T12:00 | 2026-01-05T12:00",
                "0 12 * * fri-sun    | 2026-01-04T12:00 | 2026-01-09T12:00",
                "0 12 ? * 7          | 2026-01-01T00:00 | 2026-01-04T12:00",
                "0 12 ? * 0          | 2026-01-01T00:00 | 2026-01-04T12:00",
                "0 0 13 * FRI        | 2026-01-10T00:00 | 2026-01-13T00:00",
                "0 0 13 * FRI        | 2026-01-13T00:00 | 2026-01-16T00:00",
                "0 0 */2 * FRI       | 2026-01-01T00:00 | 2026-01-09T00:00",
                "0 0 L * *           | 2028-02-01T00:00 | 2028-02-29T00:00",
                "0 0 L-2 * *         | 2026-02-01T00:00 | 2026-02-26T00:00",
                "0 0 L-30 * *        | 2026-02-01T00:00 | 2026-03-01T00:00",
                "0 0 15W * *         | 2026-08-01T00:00 | 2026-08-14T00:00",
                "0 0 15W * *         | 2026-11-01T00:00 | 2026-11-16T00:00",
                "0 0 1W * *          | 2026-08-01T00:00 | 2026-08-03T00:00",
                "0 0 31W * *         | 2026-05-01T00:00 | 2026-05-29T00:00",
                "0 0 LW * *          | 2026-05-01T00:00 | 2026-05-29T00:00",
                "0 0 * * FRI#2       | 2026-01-01T00:00 | 2026-01-09T00:00",
                "0 0 * * 5#5         | 2026-02-01T00:00 | 2026-05-29T00:00",
                "0 0 * * FRIL        | 2026-01-01T00:00 | 2026-01-30T00:00",
                "0 0 * * 0l          | 2026-01-01T00:00 | 2026-01-25T00:00",
                "0 0 L * FRI         | 2026-01-01T00:00 | 2026-01-02T00:00",
                "*/10 * * * * *      | 2026-01-01T00:00:50 | 2026-01-01T00:01",
                "30 59 23 31 12 *    | 2026-12-31T23:59:30 | 2027-12-31T23:59:30",
                "@yearly             | 2026-01-01T00:00 | 2027-01-01T00:00",
                "@Monthly            | 2026-01-01T00:00 | 2026-02-01T00:00",
                "@weekly             | 2026-01-01T00:00 | 2026-01-04T00:00",
                "@daily              | 2026-01-01T00:00 | 2026-01-02T00:00",
                "@hourly             | 2026-01-01T00:00 | 2026-01-01T01:00",
            })
    void theNextTimeIsTheFirstThatMatches(String expression, String after, String next) {
        assertThat(Cron.of(expression).next(utc(after))).isEqualTo(utc(next));
    }

    @Test
    void aMomentBetweenTwoSecondsIsFollowedByTheNextSecond() {
        assertThat(Cron.of("* * * * * *").next(utc("2026-01-01T00:00:00.999999")))
                .isEqualTo(utc("2026-01-01T00:00:01"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "* * * *            | has 4 fields; it must have 5",
                "* * * * * * *      | has 7 fields; it must have 5",
                "60 * * * *         | wrong minute: '60' must be from 0 to 59",
                "61 * * * * *       | wrong second: '61' must be from 0 to 59",
                "0 24 * * *         | wrong hour: '24' must be from 0 to 23",
                "0 0 32 * *         | wrong day of month: '32' must be from 1 to 31",
                "0 0 0 * *          | wrong day of month: '0' must be from 1 to 31",
                "0 0 * 13 *         | wrong month: '13' must be from 1 to 12, or a name such as JAN",
                "0 0 * * 8          | wrong day of week: '8' must be from 0 to 7, or a name such as SUN",
                "0 0 * * FRIDAY     | wrong day of week: 'FRIDAY' must be from 0 to 7",
                "0 22-2 * * *       | wrong hour: the range '22-2' ends before it begins",
                "*/0 * * * *        | wrong minute: the step of '*/0' must be a number of at least 1",
                "*/x * * * *        | wrong minute: the step of '*/x'",
                "1,,2 * * * *       | wrong minute: '1,,2' has a comma too many",
                "-5 * * * *         | wrong minute: '-5' must be from 0 to 59",
                "1- * * * *         | wrong minute: '' must be from 0 to 59",
                "0 0 L-31 * *       | wrong day of month: 'L-31' must have a number from 1 to 30",
                "0 0 LX * *         | wrong day of month: 'LX' is none of L, LW and L-3",
                "0 0 32W * *        | wrong day of month: '32' must be from 1 to 31",
                "0 0 * * L          | wrong day of week: 'L' needs a day before it",
                "0 0 * * FRI#6      | wrong day of week: 'FRI#6' must have a number from 1 to 5",
                "@reboot            | '@reboot' is not known; known are @annually, @daily",
                "0 0 30 2 *         | never runs",
                "0 0 31 4,6 *       | never runs",
            })
    void anErrorNamesTheFieldAndWhatIsWrong(String expression, String problem) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> Cron.of(expression))
                .satisfies(e -> assertThat(e.field()).isEqualTo("cron"))
                .withMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   "})
    void nothingIsNoExpression(String nothing) {
        assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> Cron.of(nothing));
    }

    @Test
    void twoAreEqualIfTheyRunAtTheSameTimesByTheSameClocks() {
        assertThat(Cron.of(" 0  2 * * * ", BERLIN)).isEqualTo(Cron.of("0 2 * * *", BERLIN));
        assertThat(Cron.of("0 2 * * *").in(BERLIN)).isEqualTo(Cron.of("0 2 * * *", BERLIN));
        assertThat(Cron.of("0 2 * * *", BERLIN)).isNotEqualTo(Cron.of("0 2 * * *"));
    }

    // When clocks are changed

    @Test
    void aTimeThatTheClockLeavesOutRunsWhenItIsPutForward() {
        assertThat(next(3, Cron.of("30 2 * * *", BERLIN), utc("2024-03-30T00:00")))
                .containsExactly("2024-03-30T02:30+01:00", "2024-03-31T03:00+02:00", "2024-04-01T02:30+02:00");
        assertThat(next(2, Cron.of("*/20 2 * * *", NEW_YORK), utc("2024-03-10T06:00")))
                .as("all that is left out, once")
                .containsExactly("2024-03-10T03:00-04:00", "2024-03-11T02:00-04:00");
    }

    @Test
    void aDayWithoutMidnightBeginsAtOne() {
        assertThat(next(3, Cron.of("@daily", SAO_PAULO), utc("2018-11-03T12:00")))
                .containsExactly("2018-11-04T01:00-02:00", "2018-11-05T00:00-02:00", "2018-11-06T00:00-02:00");
    }

    @Test
    void aDayThatWasLeftOutRunsAtTheBeginningOfTheNext() {
        assertThat(next(2, Cron.of("0 12 30 12 *", ZoneId.of("Pacific/Apia")), utc("2011-12-01T00:00")))
                .containsExactly("2011-12-31T00:00+14:00", "2012-12-30T12:00+14:00");
    }

    @Test
    void aTimeThatTheClockShowsTwiceRunsTheFirstTime() {
        assertThat(next(3, Cron.of("30 2 * * *", BERLIN), utc("2024-10-26T12:00")))
                .containsExactly("2024-10-27T02:30+02:00", "2024-10-28T02:30+01:00", "2024-10-29T02:30+01:00");
        assertThat(next(1, Cron.of("* * 2 * * *", BERLIN), utc("2024-10-27T01:15")))
                .as("asked while the clock shows it for the second time")
                .containsExactly("2024-10-28T02:00+01:00");
    }

    @Test
    void whatRunsInEveryHourRunsInBothHoursThatLookTheSame() {
        assertThat(next(4, Cron.of("30 * * * *", BERLIN), utc("2024-10-26T23:00")))
                .containsExactly(
                        "2024-10-27T01:30+02:00",
                        "2024-10-27T02:30+02:00",
                        "2024-10-27T02:30+01:00",
                        "2024-10-27T03:30+01:00");
    }

    @Test
    void whatRunsInEveryHourSeesNoGap() {
        assertThat(next(3, Cron.of("30 * * * *", BERLIN), utc("2024-03-31T00:00")))
                .containsExactly("2024-03-31T01:30+01:00", "2024-03-31T03:30+02:00", "2024-03-31T04:30+02:00");
        assertThat(next(4, Cron.of("5,15 * * * *", LORD_HOWE), utc("2024-10-05T14:45")))
                .as("half an hour is left out, from 2:00 to 2:30")
                .containsExactly(
                        "2024-10-06T02:35+11:00",
                        "2024-10-06T02:45+11:00",
                        "2024-10-06T03:05+11:00",
                        "2024-10-06T03:15+11:00");
    }

    @Test
    void everySecondIsEverySecond() {
        Cron cron = Cron.of("* * * * * *", BERLIN);
        Instant second = utc("2024-10-26T23:00");
        for (int i = 0; i < 3 * 3600; i++) {
            assertThat(cron.next(second)).isEqualTo(second.plusSeconds(1));
            second = second.plusSeconds(1);
        }
    }
}
