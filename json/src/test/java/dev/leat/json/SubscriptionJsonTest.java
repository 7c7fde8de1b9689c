package dev.leat.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.error.InvalidRequestException;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SubscriptionJsonTest {
    private static final Webhook FULL = Webhook.to("https://h.test/p?token=s3cret")
            .method("PATCH")
            .header("X-Key", "s3cret \"\\")
            .secret("whsec_s3cret")
            .secret("whsk_s3cret")
            .timeout(Duration.ofMillis(1_500));

    static Stream<Subscription> subscriptions() {
        Subscription plain = Subscription.to("orders", "billing");
        return Stream.of(
                plain,
                plain.queue("bills").tenant("acme").businessGroup("north"),
                plain.disabled("it moved").created(Instant.parse("2026-01-31T12:00:00.123456Z")),
                plain.webhook(Webhook.to("http://h.test")),
                plain.webhook(FULL),
                plain.webhook(new Webhook("none", "fetch", Map.of("", "no\nheader"), List.of("?"), Optional.empty())));
    }

    @ParameterizedTest
    @MethodSource("subscriptions")
    void subscriptionsAreReadAsTheyWereWritten(Subscription subscription) {
        assertThat(SubscriptionJson.read(JsonFields.parse(
                        "body", SubscriptionJson.of(subscription).toString().getBytes(UTF_8))))
                .isEqualTo(subscription);
    }

    @Test
    void whatIsShownHasNoSecrets() {
        Webhook odd = FULL.secret("s3cret_of_its_own");

        String shown = SubscriptionJson.shown(
                        Subscription.to("orders", "billing").webhook(odd))
                .toString();

        assertThat(shown)
                .doesNotContain("s3cret")
                .contains("\"url\":\"https://h.test/p?…\"")
                .contains("\"headers\":{\"X-Key\":\"…\"}")
                .contains("\"secrets\":[\"whsec_…\",\"whsk_…\",\"whsec_…\"]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"id": "a"}                                                    | topic is missing
            {"id": "a", "topic": "t", "url": "x"}                          | url is not a field of a subscription
            {"id": "a", "topic": "t", "webhook": {}}                       | url is missing in the webhook
            {"id": "a", "topic": "t", "webhook": "s3cret"}                 | webhook must be an object, was something else
            {"id": "a", "topic": "t", "webhook": {"url": 4711}}            | webhook.url must be a string, was something else
            {"id": "a", "topic": "t", "webhook": {"url": "x", "secret": 1}} | webhook.secret is not a field of a subscription
            {"id": "a", "topic": "t", "webhook": {"url": "x", "secrets": "s3cret"}} | webhook.secrets must be an array, was something else
            {"id": "a", "topic": "t", "webhook": {"url": "x", "headers": {"A": 4711}}} | webhook.headers.A must be a string, was something else
            """)
    void mistakesAreNamedWithoutSecrets(String json, String message) {
        assertThatThrownBy(() -> SubscriptionJson.read(JsonFields.parse("body", json.getBytes(UTF_8))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(message);
    }
}
