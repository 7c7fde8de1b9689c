package dev.leat.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.error.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FixedRateTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final FixedRate RATE = FixedRate.of(Duration.ofSeconds(90)).startingAt(START);

    @Test
    void theRunsAreTheIntervalApartFromTheStartOn() {
        assertThat(RATE.next(START.minusSeconds(1_000))).isEqualTo(START);
        assertThat(RATE.next(START.minusNanos(1))).isEqualTo(START);
        assertThat(RATE.next(START)).isEqualTo(START.plusSeconds(90));
        assertThat(RATE.next(START.plusSeconds(89))).isEqualTo(START.plusSeconds(90));
        assertThat(RATE.next(START.plusSeconds(90))).isEqualTo(START.plusSeconds(180));
        assertThat(RATE.next(START.plusSeconds(90_000_001))).isEqualTo(START.plusSeconds(90_000_090));
    }

    @Test
    void theFirstRunOfOneWithoutAStartIsAfterTheInterval() {
        FixedRate begun = FixedRate.of(Duration.ofSeconds(90)).begunAt(START);

        assertThat(begun.next(START)).isEqualTo(START.plusSeconds(90));
        assertThat(RATE.begunAt(START.plusSeconds(1))).isEqualTo(RATE);
    }

    @Test
    void whatIsWrongIsNamed() {
        for (Runnable deed : List.<Runnable>of(
                () -> FixedRate.of(Duration.ZERO),
                () -> FixedRate.of(Duration.ofMillis(999)),
                () -> FixedRate.of(Duration.ofDays(100_000)),
                () -> RATE.startingAt(Instant.EPOCH.minusSeconds(1)),
                () -> RATE.startingAt(Instant.MAX))) {
            assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(deed::run);
        }
    }
}
