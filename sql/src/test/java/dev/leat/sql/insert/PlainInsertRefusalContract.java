package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Payload;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A plain INSERT of what no put would take is refused. Covers rule 6, 23. */
abstract class PlainInsertRefusalContract extends PlainInsertTest {
    @Test
    void aQueueWithAnImpossibleNameIsRefused() {
        for (String name : List.of("", "a b", "ä", "a\n", "x".repeat(129))) {
            assertThatExceptionOfType(SQLException.class).as(name).isThrownBy(() -> insertInto(name));
        }
    }

    @Test
    void aTaskWithoutAQueueIsRefused() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> insertRow(List.of("text", "x", "priority", 1)))
                .withMessageContaining("needs the name of its queue");
    }

    @Test
    void aFullQueueIsRefused() throws SQLException {
        options(QueueOptions.builder().capacity(2));
        insert("due", micros(leat.storage().now().plusSeconds(60)));
        insert("task_key", "key");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> insert("text", "one too many"))
                .withMessageContaining("is full");

        assertThat(live()).isEqualTo(2);
    }

    @Test
    void manyRowsThatDoNotAllFitAreAllRefused() {
        options(QueueOptions.builder().capacity(2));

        assertRefused(
                "is full",
                () -> Sql.execute(
                        connection,
                        "INSERT INTO leat_task (queue) VALUES ('" + q + "'), ('" + q + "'), ('" + q + "')"));
    }

    @Test
    void columnsThatAreLeatsOwnAreRefused() throws SQLException {
        leat.delete(insert());
        for (String column : List.of(
                "queue_id",
                "state",
                "place",
                "random",
                "previous_due",
                "own_ttr",
                "attempts",
                "failures",
                "losses",
                "releases",
                "nonce",
                "taken_at",
                "lease_until",
                "revoke_at",
                "settled_nonce",
                "settled_by",
                "dead_of",
                "error_code")) {
            assertRefused("column " + column + " is Leat's own", () -> insert(column, 5));
        }
        for (String column : List.of("take_type", "spread", "session_id", "payload_hash", "message")) {
            assertRefused("column " + column + " is Leat's own", () -> insert(column, "x"));
        }
        assertRefused("column id is Leat's own", () -> insert("id", 1L));
    }

    @Test
    void whatLeatCouldNotReadIsRefused() {
        for (String column : List.of(
                "task_key",
                "address",
                "type",
                "tenant",
                "business_group",
                "origin",
                "destination",
                "external_key",
                "content_type")) {
            assertRefused(column, () -> insert(column, " \t\n"));
            assertRefused("", () -> insert(column, "ä".repeat(257)));
        }
        for (String json : List.of(
                "x",
                "[]",
                "{\"a\":1.5}",
                "{\"a\":{}}",
                "{\" \":1}",
                "{\"a\":null}",
                "{\"a\":1" + "0".repeat(20) + "}")) {
            assertRefused("", () -> insert("tags", json));
        }
        for (String json : List.of("x", "[]", "{\"a\":{}}", "{\"\":\"x\"}", "{\"a\":null}", "{\"a\":[1]}")) {
            assertRefused("", () -> insert("trace", json));
        }
        String tooMany = "{"
                + String.join(
                        ",",
                        IntStream.rangeClosed(1, 65)
                                .mapToObj(i -> "\"t" + i + "\":1")
                                .toList()) + "}";
        assertRefused("tags", () -> insert("tags", tooMany));
        assertRefused("both text and payload", () -> insert("text", "x", "payload", new byte[1]));
        assertRefused("due", () -> insert("due", Instant.now().toEpochMilli()));
        assertRefused("due", () -> insert("due", Long.MAX_VALUE));
        assertRefused("expires", () -> insert("expires", 60_000_000L));
        assertRefused("ttr", () -> insert("ttr", 0L));
        assertRefused("ttr", () -> insert("ttr", Long.MAX_VALUE));
    }

    @Test
    void payloadsOverTheLimitAreRefused() {
        assertRefused("16777216", () -> insert("text", "x".repeat(Payload.MAX_BYTES + 1)));
        assertRefused("16777216", () -> insert("payload", new byte[Payload.MAX_BYTES + 1]));
    }
}
