package dev.leat.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskJsonTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    private static NewTask read(String json) {
        return TaskJson.newTask("q", JsonFields.parse("task", json.getBytes(UTF_8)));
    }

    private static ObjectNode written(NewTask task) {
        return TaskJson.of(Task.of(7, task, TaskState.READY, NOW, NOW).build());
    }

    @Test
    void everyFieldOfATaskIsRead() {
        NewTask task = read("""
                {"payload": [1, 2], "priority": -3, "delay": "2m", "ttl": 60, "ttr": 1.5, "key": "k", "address": "a", "group": 9,
                 "type": "t", "tenant": "n", "businessGroup": "b", "origin": "o", "destination": "d", "externalKey": "e",
                 "idempotencyKey": "i", "unlessEquivalent": true, "tags": {"size": 4}, "trace": {"traceparent": "00-1"}}""");

        assertThat(task)
                .isEqualTo(NewTask.to("q")
                        .payload(Payload.of("[1,2]".getBytes(UTF_8), Payload.JSON))
                        .priority(-3)
                        .delay(Duration.ofMinutes(2))
                        .ttl(Duration.ofMinutes(1))
                        .ttr(Duration.ofMillis(1500))
                        .key("k")
                        .address("a")
                        .group(9)
                        .type("t")
                        .tenant("n")
                        .businessGroup("b")
                        .origin("o")
                        .destination("d")
                        .externalKey("e")
                        .idempotencyKey("i")
                        .unlessEquivalent()
                        .tag("size", 4)
                        .trace("traceparent", "00-1")
                        .build());
        assertThat(read("{\"due\": \"2026-01-31T12:00:00Z\"}").due()).isEqualTo(When.at(NOW));
        assertThat(read("{\"payload\": 1, \"externalKey\": \"e\", \"unlessEquivalent\": [\"taken\"]}")
                        .unlessEquivalent()
                        .orElseThrow()
                        .states())
                .containsExactly(TaskState.TAKEN);
        assertThat(read("{\"unlessEquivalent\": false}").unlessEquivalent()).isEmpty();
        assertThat(read("{}").payload()).isEqualTo(Payload.empty());
        assertThat(read("{\"payload\": 1, \"key\": null}").key()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"colour": 1}                                  | colour is not a field of a task
            {"id": 1}                                      | id is not a field of a task
            {"unlessEquivalent": true}                     | externalKey is needed to look for equivalent tasks
            {"unlessEquivalent": ["now"]}                  | unlessEquivalent must be of [waiting, scheduled,
            {"unlessEquivalent": []}                       | unlessEquivalent must name a state
            {"unlessEquivalent": 1}                        | unlessEquivalent must be true or false, was 1
            {"priority": 1.5}                              | priority must be a whole number of 32 bits, was 1.5
            {"priority": 3000000000}                       | priority must be a whole number of 32 bits
            {"group": "g"}                                 | group must be a whole number of 64 bits, was "g"
            {"delay": {}}                                  | delay must be a duration such as 1.5 or "2m", was an object
            {"delay": -1}                                  | delay must be a duration
            {"due": "tomorrow"}                            | due must be a time such as
            {"key": 5}                                     | key must be a string, was 5
            {"key": ""}                                    | key must not be blank
            {"tags": [1]}                                  | tags must be an object, was an array
            {"tags": {"a": "b"}}                           | tags.a must be a whole number of 64 bits, was "b"
            {"payload": 1, "contentType": "image/png"}     | encoding must be base64 for a payload of the type 'image/png'
            {"payload": 1, "contentType": "text/plain"}    | payload must be a string, was 1
            {"payload": "x", "encoding": "hex"}            | encoding must be base64, was 'hex'
            {"payload": "*", "encoding": "base64"}         | payload is not valid base64
            """)
    void whatIsWrongIsNamed(String json, String words) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "{} {}", "nothing"})
    void whatIsNotJsonIsRefused(String text) {
        assertThatThrownBy(() -> JsonFields.parse("body", text.getBytes(UTF_8)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageStartingWith("body ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"n\":100.00}", "\"text\"", "null", "[]", "12345678901234567890.123", "1.50"})
    void aJsonPayloadStaysAsItWasWritten(String value) {
        Payload payload = read("{\"payload\": " + value + "}").payload();
        assertThat(payload.text()).isEqualTo(value);

        assertThat(written(NewTask.to("q").payload(payload).build())
                        .get("payload")
                        .toString())
                .isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({"90.0, PT1M30S", "1e1, PT10S", "0.30000000000000004, PT0.3S", "3.1536E7, PT8760H", "20, PT20S"})
    void aDurationIsANumberOfAnyForm(String number, String expected) {
        assertThat(read("{\"delay\": " + number + "}").due()).isEqualTo(When.in(Duration.parse(expected)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999999999", "-1", "1e-999999999", "\"-PT5S\""})
    void aDurationOfNoSenseIsRefused(String number) {
        assertThatThrownBy(() -> read("{\"delay\": " + number + "}"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("delay must be a duration");
    }

    @Test
    void whatIsAmbiguousOrTooDeepIsRefused() {
        assertThatThrownBy(() -> read("{\"priority\": 1, \"priority\": 2}"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("priority");
        assertThatThrownBy(() -> read("{\"payload\": " + "[".repeat(600) + "]".repeat(600) + "}"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("depth");
    }

    @Test
    void payloadsOfEveryKindComeBack() {
        assertComesBack(Payload.of("Grüße"));
        assertComesBack(Payload.of(new byte[] {0, -1, 7}));
        assertComesBack(Payload.of(new byte[] {0, -1, 7}, "image/png"));
        assertComesBack(Payload.of(new byte[] {-1, -2}, Payload.TEXT));
        assertComesBack(Payload.of(new byte[] {'{'}, Payload.JSON));
        assertComesBack(Payload.of("{\"a\":1}".getBytes(UTF_8), Payload.JSON));
        assertComesBack(Payload.of("{\"a\":1}".getBytes(UTF_8), "application/x+json"));
        assertComesBack(Payload.of(("[".repeat(990) + "]".repeat(990)).getBytes(UTF_8), Payload.JSON));
        assertComesBack(Payload.of(new byte[Payload.MAX_BYTES]));
    }

    private static void assertComesBack(Payload payload) {
        ObjectNode json = written(NewTask.to("q").payload(payload).build());
        json.retain("payload", "contentType", "encoding");

        assertThat(TaskJson.newTask("q", json).payload()).isEqualTo(payload);
    }

    @Test
    void aTakenTaskHasItsLease() {
        Task task =
                Task.of(7, NewTask.to("q").build(), TaskState.TAKEN, NOW, NOW).build();
        Lease lease = Lease.of(7, 1);

        ObjectNode json = TaskJson.of(new TakenTask(task, lease, Optional.of(NOW)));

        assertThat(json.get("lease").textValue()).isEqualTo(lease.token());
        assertThat(json.get("leaseUntil").textValue()).isEqualTo("2026-01-31T12:00:00Z");
        assertThat(json.get("state").textValue()).isEqualTo("taken");
        assertThat(json.has("payload")).isFalse();
        assertThat(json.has("key")).isFalse();
    }
}
