package dev.leat.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many tasks a worker keeps at hand, by the rate at which it has worked them off. */
class PrefetchTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Prefetch rate = new Prefetch(0);

    private int prefetchAfterASecondOf(int tasks, long nanosOfEach) {
        for (long now = 0; now < SECOND; now += SECOND / 10) {
            rate.record(tasks / 10, tasks / 10 * nanosOfEach, now);
        }
        return rate.prefetch(SECOND - 1);
    }

    @Test
    void aTenthOfASecondsWorkIsKeptAtHand() {
        assertThat(prefetchAfterASecondOf(5_000, 1_000)).isBetween(500, 501);
    }

    @Test
    void noMoreThanTwoThousandAreKeptAtHand() {
        assertThat(prefetchAfterASecondOf(500_000, 1_000)).isEqualTo(2_000);
    }

    @Test
    void tasksThatTakeMoreThanATenthOfASecondAreNotTakenAhead() {
        assertThat(prefetchAfterASecondOf(500, SECOND / 10 + 1)).isZero();
    }

    @Test
    void theRateOfMoreThanASecondAgoIsForgotten() {
        prefetchAfterASecondOf(5_000, 1_000);

        assertThat(rate.prefetch(2 * SECOND)).isZero();
    }
}
