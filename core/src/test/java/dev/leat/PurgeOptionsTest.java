package dev.leat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.error.InvalidRequestException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** N44: minutes as crontab has them. */
class PurgeOptionsTest {
    private static final Instant FIVE_PAST = Instant.parse("2026-03-10T12:05:59Z");

    @Test
    void withoutMinutesEveryMomentIsRight() {
        assertThat(PurgeOptions.standard().mayBeginAt(FIVE_PAST)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"'5', true", "'0, 5,10', true", "'0', false", "'4,6', false"})
    void onlyInTheMinutesThatAreNamed(String minutes, boolean mayBegin) { // N44
        assertThat(PurgeOptions.standard().minutes(minutes).mayBeginAt(FIVE_PAST))
                .isEqualTo(mayBegin);
    }

    @ParameterizedTest
    @ValueSource(strings = {"60", "-1", "", "0,", "*/5", "five"})
    void whatIsNoMinuteIsRefused(String minutes) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> PurgeOptions.standard().minutes(minutes))
                .withMessageContaining("minutes");
    }

    @Test
    void aRunThatMayRemoveNothingIsRefused() {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> PurgeOptions.standard().mostPerRun(0))
                .withMessageContaining("mostPerRun");
    }
}
