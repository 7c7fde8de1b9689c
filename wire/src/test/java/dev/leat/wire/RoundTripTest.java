package dev.leat.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.ErrorCode;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.QueueNotFoundException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What was written is read as it was, by way of bytes. The contract through a server proves the rest. */
class RoundTripTest {
    private static final Lease LEASE = Lease.of(7, -3);

    private static JsonNode overTheWire(JsonNode map) {
        return Cbor.read(Cbor.write(List.of(map))).get(0);
    }

    private static NewTask.Builder fullTask() {
        return NewTask.to("q")
                .payload(Payload.of(new byte[] {0, 1, -1}, "application/x-test"))
                .priority(-5)
                .ttl(Duration.ofNanos(1_500_000))
                .ttr(Duration.ofDays(30_000))
                .key("k")
                .address("a")
                .group(9)
                .type("t")
                .tenant("te")
                .businessGroup("b")
                .origin("o")
                .destination("d")
                .externalKey("e")
                .tag("n", Long.MIN_VALUE)
                .trace("traceparent", "00-…")
                .idempotencyKey("i", "f");
    }

    @Test
    void aNewTaskStaysAsItWas() {
        for (When due : List.of(
                When.now(), When.in(Duration.ofMillis(1)), When.at(Instant.parse("8999-12-31T23:59:59.123456Z")))) {
            NewTask task = fullTask().due(due).unlessEquivalent().build();

            assertThat(TaskMessages.newTask(overTheWire(TaskMessages.of(task)))).isEqualTo(task);
        }
    }

    @Test
    void aTakenTaskStaysAsItWas() {
        Instant now = Instant.parse("2026-01-31T12:00:00.000001Z");
        Task task = Task.of(7, fullTask().build(), TaskState.TAKEN, now, now.plusSeconds(1))
                .priority(3)
                .counts(1, 2, 3, 4)
                .cancelRequested(true)
                .payloadHash("00ff")
                .message("words")
                .failureCode(-1)
                .result(Payload.of("done"))
                .expires(now)
                .previousDue(now)
                .finished(now)
                .ttr(Duration.ofMillis(2))
                .build();

        TakenTask read = TaskMessages.taken(overTheWire(TaskMessages.of(new TakenTask(task, LEASE, Optional.of(now)))));

        assertThat(read.lease()).isEqualTo(LEASE);
        assertThat(read.leaseUntil()).contains(now);
        assertThat(read.task())
                .usingRecursiveComparison()
                .ignoringFields("given")
                .isEqualTo(task);
        assertThat(read.payload()).isEqualTo(task.payload());
        assertThat(read.task().tags()).isEqualTo(task.tags());
    }

    @Test
    void everySettleStaysAsItWas() {
        List<Settle> settles = List.of(
                new Settle.Ack(LEASE, "fine", Optional.of(Payload.of("x"))),
                Settle.ack(LEASE),
                new Settle.Fail(LEASE, "bad", 42),
                Settle.fail(LEASE, new IllegalStateException("worse")),
                Settle.retry(LEASE, When.in(Duration.ofSeconds(3)), "later"),
                Settle.retry(LEASE, When.at(Instant.parse("2027-01-01T00:00:00Z")), "then"),
                Settle.release(LEASE, Duration.ofMillis(1)),
                Settle.bury(LEASE, "aside"),
                Settle.cancel(LEASE, "not needed"),
                Settle.giveBack(LEASE),
                Settle.giveBack(LEASE, Duration.ofMillis(100)));

        settles.forEach(settle -> assertThat(SettleMessages.settle(overTheWire(SettleMessages.of(settle))))
                .isEqualTo(settle));
    }

    @Test
    void everyRefusalIsThrownAgainAsItWas() {
        for (ErrorCode refusal : ErrorCode.values()) {
            LeatException thrown = refusal.told("words");

            assertThat(Errors.error(overTheWire(Errors.of(thrown))))
                    .hasSameClassAs(thrown)
                    .hasMessage(thrown.getMessage());
        }
        InvalidRequestException advised = new InvalidRequestException("types", "are not filtered", "; declare it");
        assertThat(Errors.error(overTheWire(Errors.of(advised)))).hasMessage(advised.getMessage());
        assertThat(Errors.of(advised).get("detail").textValue()).isEqualTo("are not filtered");
        assertThat(Errors.error(overTheWire(Errors.of(new QueueNotFoundException("q")))))
                .hasMessageContaining("'q'");
    }

    @Test
    void aFieldThatNobodyKnowsIsNamed() {
        ObjectNode task = TaskMessages.of(fullTask().build()).put("prioritty", 1);

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> TaskMessages.newTask(overTheWire(task)))
                .withMessageContaining("prioritty");
    }

    @Test
    void whatIsNoMessageIsRefused() {
        for (byte[] bytes : List.of("words".getBytes(StandardCharsets.UTF_8), new byte[] {(byte) 0xbf, 0x61})) {
            assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> Cbor.read(bytes));
        }
    }

    @Test
    void halfACharacterKeepsNothingFromBeingSent() {
        assertThat(overTheWire(Cbor.map().put("words", "\ud800")).has("words")).isTrue();
    }
}
