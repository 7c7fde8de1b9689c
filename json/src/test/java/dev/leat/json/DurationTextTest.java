package dev.leat.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.InvalidRequestException;
import java.time.Duration;
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
        "2M, PT2M",
        "PT3S, PT3S",
        "0.000000001, PT0.000000001S"
    })
    void isReadAsPeopleWriteIt(String text, String expected) {
        assertThat(DurationText.parse("delay", text)).isEqualTo(Duration.parse(expected));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-1s", "1.s", "1e9", "1y", "1s 2m", "9999999999999d"})
    void anythingElseIsRefusedByName(String text) {
        assertThatThrownBy(() -> DurationText.parse("delay", text))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("delay must be a duration")
                .hasMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0ms", "PT0.2S, 200ms", "PT1.5S, 1.5s", "PT1M30S, 1.5m", "PT2H, 2h", "P7D, 7d", "-PT3S, -3s"})
    void isWrittenShortly(String duration, String expected) {
        assertThat(DurationText.format(Duration.parse(duration))).isEqualTo(expected);
    }
}
