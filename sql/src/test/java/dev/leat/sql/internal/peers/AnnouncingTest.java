package dev.leat.sql.internal.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Only seldom does a put tell of itself. */
class AnnouncingTest {
    private long now = 1_000_000;
    private final Announcing announcing = new Announcing(now);

    private boolean isAnnouncedAfter(long millis) {
        pass(millis);
        boolean isAnnounced = announcing.begin(now);
        if (!isAnnounced) {
            announcing.told(now);
        }
        return isAnnounced;
    }

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void took(long millis) {
        pass(millis);
        announcing.end(now, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void aPutAfterASilenceTellsOfItself() {
        assertThat(isAnnouncedAfter(20)).isTrue();
        took(0);
        assertThat(isAnnouncedAfter(20)).isTrue();
    }

    @Test
    void aPutThatFollowsAnotherDoesNot() {
        assertThat(isAnnouncedAfter(19)).isFalse();
        assertThat(isAnnouncedAfter(19)).isFalse();
        assertThat(isAnnouncedAfter(20)).isTrue();
    }

    @Test
    void afterASlowOneTheNextComeLaterAlsoAmongOthers() {
        assertThat(isAnnouncedAfter(50)).isTrue();
        took(10); // 200 ms are to follow

        assertThat(isAnnouncedAfter(50)).isFalse();
        assertThat(isAnnouncedAfter(50)).isFalse();
        assertThat(isAnnouncedAfter(50)).isFalse();
        assertThat(isAnnouncedAfter(50)).isTrue();
    }

    @Test
    void oneThatStoodStillForLongIsForgottenAfterASecond() {
        assertThat(isAnnouncedAfter(50)).isTrue();
        took(30_000);

        assertThat(isAnnouncedAfter(999)).isFalse();
        assertThat(isAnnouncedAfter(50)).isTrue();
    }
}
