package dev.leat.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.error.InvalidRequestException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "90, PT1M30S",
        "0.25, PT0.25S",
        "1.5s, PT1.5S",
        "200ms, PT0.2S",
        "2m, PT2M",
        "1.5 h, PT1H30M",
        "7d, PT168H",
        "1h30m, PT1H30M",
        "1d2h3m4.5s, PT26H3M4.5S",
        "2m5ms, PT2M0.005S",
        "2M, PT2M",
        "PT3S, PT3S",
        "0.000000001, PT0.000000001S"
    })
    void isReadAsPeopleWriteIt(String text, String expected) {
        assertThat(DurationText.parse("delay", text)).isEqualTo(Duration.parse(expected));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-1s", "1.s", "1e9", "1y", "1s 2m", "30m1h", "1h 30m", "h", "9999999999999d"})
    void anythingElseIsRefusedByName(String text) {
        assertThatThrownBy(() -> DurationText.parse("delay", text))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("delay must be a duration")
                .hasMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.2S, 200ms",
        "PT1.5S, 1.5s",
        "PT1M30S, 90s",
        "PT2M, 2m",
        "PT2M30S, 2m30s",
        "PT1H30M, 1h30m",
        "PT2H, 2h",
        "P1D, 1d",
        "PT26H3M4.567S, 1d2h3m4.567s"
    })
    void isWrittenSoThatItCanBeReadAgain(String duration, String expected) {
        String text = DurationText.format(Duration.parse(duration));

        assertThat(text).isEqualTo(expected);
        assertThat(DurationText.parse("delay", text)).isEqualTo(Duration.parse(duration));
    }

    @Test
    void aNegativeDurationIsWrittenWithItsSign() {
        assertThat(DurationText.format(Duration.ofSeconds(-3))).isEqualTo("-3s");
    }
}
