package dev.leat.sql.internal.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OwnNotifyPacingTest {
    private long now = 1_000_000;
    private final OwnNotifyPacing pacing = new OwnNotifyPacing(now);

    private boolean carriesNotifyAfter(long millis) {
        pass(millis);
        boolean carriesNotify = pacing.begin(now);
        if (!carriesNotify) {
            pacing.sent(now);
        }
        return carriesNotify;
    }

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void took(long millis) {
        pass(millis);
        pacing.end(now, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void aPutAfterASilenceCarriesItsOwnNotify() {
        assertThat(carriesNotifyAfter(20)).isTrue();
        took(0);
        assertThat(carriesNotifyAfter(20)).isTrue();
    }

    @Test
    void aPutSoonAfterAnotherDoesNot() {
        assertThat(carriesNotifyAfter(19)).isFalse();
        assertThat(carriesNotifyAfter(19)).isFalse();
        assertThat(carriesNotifyAfter(20)).isTrue();
    }

    @Test
    void aSlowCommitDelaysTheNextNotifyByTwentyTimesItsLength() {
        assertThat(carriesNotifyAfter(50)).isTrue();
        took(10); // so the pause is 200 ms

        assertThat(carriesNotifyAfter(50)).isFalse();
        assertThat(carriesNotifyAfter(50)).isFalse();
        assertThat(carriesNotifyAfter(50)).isFalse();
        assertThat(carriesNotifyAfter(50)).isTrue();
    }

    @Test
    void thePauseIsOneSecondAtMost() {
        assertThat(carriesNotifyAfter(50)).isTrue();
        took(30_000);

        assertThat(carriesNotifyAfter(999)).isFalse();
        assertThat(carriesNotifyAfter(50)).isTrue();
    }
}
