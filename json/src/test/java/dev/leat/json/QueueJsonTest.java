package dev.leat.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.error.InvalidRequestException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.queue.TakeOrder;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class QueueJsonTest {
    static Stream<QueueOptions> options() {
        return Stream.of(
                QueueOptions.standard(),
                QueueOptions.nsj(),
                QueueOptions.visibilityTimeout(),
                QueueOptions.rsqueue(),
                QueueOptions.tube(Duration.ofMinutes(5)),
                QueueOptions.opsqueue(),
                QueueOptions.builder().tenants(QueueOptions.Tenants.IN_TURN).build(),
                QueueOptions.builder().tenantLimit(7).build(),
                QueueOptions.builder()
                        .priority(-4)
                        .ttl(Duration.ofMillis(1500))
                        .ttr(Duration.ofMinutes(2))
                        .capacity(9)
                        .lifetime(QueueOptions.Lifetime.values()[1])
                        .retry(RetryPolicy.standard()
                                .maxFailures(RetryPolicy.UNLIMITED)
                                .maxLosses(3)
                                .backoff(Backoff.linear(Duration.ofSeconds(7), Duration.ofHours(1)))
                                .anchor(RetryPolicy.Anchor.DUE))
                        .exhaustion(Exhaustion.FAIL_GROUP)
                        .retention(Retention.all(Duration.ofDays(3)).donePayload(Retention.DonePayload.KEEP))
                        .takeOrder(TakeOrder.random())
                        .takeOrder(TakeOrder.preferDistinct("company", TakeOrder.Simple.NEWEST))
                        .typeFilter(QueueOptions.TypeFilter.values()[1])
                        .number(5)
                        .build());
    }

    @ParameterizedTest
    @MethodSource("options")
    void optionsAreReadAsTheyWereWritten(QueueOptions options) {
        assertThat(QueueJson.options(QueueJson.of(options))).isEqualTo(options);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"tll": 5}                             | tll is not a field of a queue
            {"capacity": -1}                       | capacity must be at least 0
            {"exhausted": "explode"}               | exhausted must be one of bury, dead_handler, fail, fail_group, was 'explode'
            {"backoff": {"kind": "random"}}        | backoff.kind must be one of fixed, linear, exponential, was 'random'
            {"backoff": {"kind": "fixed", "d": 1}} | backoff.d is not a field of a queue
            {"keep": {"done": "ever"}}             | keep.done must be a duration
            {"maxFailures": "many"}                | maxFailures must be a whole number of 32 bits, was "many"
            {"tenantLimit": -1}                    | tenantLimit must be at least 0
            {"tenantLimit": 1, "orders": ["random"]} | tenants cannot be taken in turn
            {"orders": ["best"]}                   | order must be one of oldest, newest, random, was 'best'
            {"orders": [{"preferDistinct": 1}]}    | preferDistinct must be a string, was 1
            """)
    void whatIsWrongIsNamed(String json, String words) {
        assertThatThrownBy(() -> QueueJson.options(JsonFields.parse("queue", json.getBytes(UTF_8))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(words);
    }
}
