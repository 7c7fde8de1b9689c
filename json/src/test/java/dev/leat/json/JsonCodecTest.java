package dev.leat.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.Leat;
import dev.leat.Payload;
import dev.leat.error.PayloadException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JsonCodecTest {
    record Email(String to, List<String> cc, Instant at) {}

    private final JsonCodec codec = new JsonCodec();
    private final Email email =
            new Email("ada@example.org", List.of("grace@example.org"), Instant.parse("2026-03-10T12:00:00Z"));

    @Test
    void anObjectComesBackAsItWas() { // R2
        Payload payload = codec.encode(email);

        assertThat(payload.contentType()).isEqualTo("application/json");
        assertThat(payload.text()).contains("\"2026-03-10T12:00:00Z\"");
        assertThat(codec.decode(payload, Email.class)).isEqualTo(email);
    }

    @Test
    void aFieldThatTheClassDoesNotHaveIsIgnored() {
        Payload payload = json("{\"to\":\"ada@example.org\",\"since\":7}");

        assertThat(codec.decode(payload, Email.class).to()).isEqualTo("ada@example.org");
    }

    @Test
    void jsonIsRecognisedByItsContentType() {
        assertThat(codec.reads("application/json; charset=utf-8")).isTrue();
        assertThat(codec.reads("application/problem+json")).isTrue();
        assertThat(codec.reads("text/plain")).isFalse();
    }

    @Test
    void badJsonIsRefusedWithTheClassInTheMessage() {
        assertThatThrownBy(() -> codec.decode(json("{"), Email.class))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("Email");
        assertThatThrownBy(() -> codec.decode(json("null"), Email.class)).isInstanceOf(PayloadException.class);
    }

    @Test
    void aLeatFindsTheCodecByItselfAndAHandlerGetsTheObject() throws Exception { // R2
        CompletableFuture<Email> handled = new CompletableFuture<>();
        try (Leat leat = Leat.open("memory:")) {
            leat.put("emails", email);
            leat.worker()
                    .handle("emails", Email.class, (received, task) -> handled.complete(received))
                    .start();

            assertThat(handled.get(Duration.ofSeconds(10).toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo(email);
        }
    }

    private static Payload json(String text) {
        return Payload.of(text.getBytes(UTF_8), Payload.JSON);
    }
}
