package dev.leat.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many tasks a worker takes ahead, by the rate at which its processors run them. */
class PrefetchTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Prefetch prefetch = new Prefetch(0);

    private int aheadAfterASecondOf(int tasks, long nanosOfEach) {
        for (long now = 0; now < SECOND; now += SECOND / 10) {
            prefetch.record(tasks / 10, tasks / 10 * nanosOfEach, now);
        }
        return prefetch.ahead(SECOND - 1);
    }

    @Test
    void aTenthOfASecondsWorkIsTakenAhead() {
        assertThat(aheadAfterASecondOf(5_000, 1_000)).isBetween(500, 501);
    }

    @Test
    void noMoreThanTwoThousandAreTakenAhead() {
        assertThat(aheadAfterASecondOf(500_000, 1_000)).isEqualTo(2_000);
    }

    @Test
    void tasksThatTakeMoreThanATenthOfASecondAreNotTakenAhead() {
        assertThat(aheadAfterASecondOf(500, SECOND / 10 + 1)).isZero();
    }

    @Test
    void theRateOfMoreThanASecondAgoIsForgotten() {
        aheadAfterASecondOf(5_000, 1_000);

        assertThat(prefetch.ahead(2 * SECOND)).isZero();
    }
}
