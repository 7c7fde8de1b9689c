package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A plain INSERT makes the task that a put makes. Covers N12, rule 23, 24, 28. */
abstract class PlainInsertArrivalContract extends PlainInsertTest {
    @Test
    void aPlainInsertIsTakenWithItsText() throws SQLException { // N12
        long id = insert("text", "hellö");

        TakenTask taken = leat.take(q).orElseThrow();

        assertThat(taken.id()).isEqualTo(id);
        assertThat(taken.payload()).isEqualTo(Payload.of("hellö"));
        assertThat(taken.task().attempts()).isEqualTo(1);
        leat.ack(taken);
        assertThat(peek(id).state()).isEqualTo(TaskState.DONE);
    }

    @Test
    void whatNsjQueueLibNamesIsEnough() throws SQLException { // N12
        options(QueueOptions.nsj().toBuilder());

        long id = insert(
                "origin", "loja", "destination", "erp", "type", "faturar", "external_key", "pedido 9", "text", "{}");

        Task task = peek(id);
        assertThat(task.state()).isEqualTo(TaskState.READY);
        assertThat(task.attempts()).isZero();
        assertThat(task.priority()).isZero();
        assertThat(task.due()).isEqualTo(task.created());
        assertThat(task.origin()).contains("loja");
        assertThat(task.destination()).contains("erp");
        assertThat(task.type()).contains("faturar");
        assertThat(task.externalKey()).contains("pedido 9");
        assertThat(leat.take(q).orElseThrow().payload().text()).isEqualTo("{}");
    }

    @Test
    void bytesComeWithTheirContentType() throws SQLException {
        byte[] bytes = {0, (byte) 0xff, 7};
        long id = insert("payload", bytes, "content_type", Payload.BINARY);

        assertThat(peek(id).payload()).isEqualTo(Payload.of(bytes));
    }

    @Test
    void textMayBeOfAnyContentType() throws SQLException {
        long id = insert("text", "{\"to\":\"ada\"}", "content_type", Payload.JSON);

        assertThat(peek(id).payload().contentType()).isEqualTo(Payload.JSON);
    }

    @Test
    void aTaskNeedsNoPayload() throws SQLException {
        assertThat(peek(insert()).payload().size()).isZero();
    }

    @Test
    void aPlainInsertWritesWhatAPutWrites() throws SQLException { // N12
        assertWritesWhatAPutWrites(QueueOptions.builder());
        assertWritesWhatAPutWrites(QueueOptions.builder()
                .priority(5)
                .ttl(Duration.ofHours(26).plusMinutes(3).plusMillis(4_500))
                .ttr(Duration.ofMillis(250)));
        assertWritesWhatAPutWrites(
                QueueOptions.builder().ttl(Duration.ofMinutes(90)).ttrDefault(QueueOptions.TtrDefault.TTL));
        assertWritesWhatAPutWrites(QueueOptions.builder()
                .placeBy(QueueOptions.PlaceBy.DUE_TIME)
                .typeFilter(QueueOptions.TypeFilter.ON)
                .takeOrder(TakeOrder.random()));
        assertWritesWhatAPutWrites(QueueOptions.builder()
                .takeOrder(TakeOrder.newest())
                .takeOrder(TakeOrder.preferDistinct("tag with 100% \"spaces\"", TakeOrder.Simple.NEWEST)));
    }

    private void assertWritesWhatAPutWrites(QueueOptions.Builder options) throws SQLException {
        options(options);
        assertAlike(insert(), leat.put(NewTask.to(q).payload("").build()).id());
        long inserted = insert(
                "text",
                "x",
                "priority",
                0,
                "ttr",
                7_000_000L,
                "task_key",
                "key",
                "type",
                "type",
                "tenant",
                "tenant",
                "business_group",
                "group",
                "origin",
                "origin",
                "destination",
                "destination",
                "tags",
                "{\"tag with 100% \\\"spaces\\\"\": 17, \"other\": -1}",
                "trace",
                "{\"traceparent\": \"00-\\u0061\"}");
        NewTask put = NewTask.to(q)
                .payload("x")
                .priority(0)
                .ttr(Duration.ofSeconds(7))
                .key("key")
                .type("type")
                .tenant("tenant")
                .businessGroup("group")
                .origin("origin")
                .destination("destination")
                .tag("tag with 100% \"spaces\"", 17)
                .tag("other", -1)
                .trace("traceparent", "00-a")
                .build();
        assertAlike(inserted, leat.put(put).id());
    }

    private void assertAlike(long inserted, long put) throws SQLException {
        assertThat(columns(inserted)).isEqualTo(columns(put));
        assertThat(peek(inserted).tags()).isEqualTo(peek(put).tags());
        assertThat(peek(inserted).trace()).isEqualTo(peek(put).trace());
        assertThat(peek(inserted).payload().bytes())
                .isEqualTo(peek(put).payload().bytes());
    }

    private List<String> columns(long id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT queue_id, state, priority,"
                        + " CASE WHEN place = 0 THEN 0 ELSE place - due END, CASE WHEN random > 0 THEN 1 END,"
                        + " take_type, spread, due - created, expires - due, ttr, own_ttr, task_key, group_id, type,"
                        + " tenant, business_group, origin, destination, external_key, payload_hash, content_type,"
                        + " timer_at - due, nonce, session_id, taken_at, lease_until, revoke_at, settled_nonce, settled_by,"
                        + " attempts, failures, losses, releases, dead_of, message, error_code, queue, text"
                        + " FROM leat_task WHERE id = " + id)) {
            assertThat(row.next()).isTrue();
            List<String> values = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                values.add(row.getMetaData().getColumnLabel(i) + "=" + row.getString(i));
            }
            return values;
        }
    }

    @Test
    void idsAscendThroughPutsAndPlainInserts() throws SQLException {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(insert());
            ids.add(leat.put(q, "put"));
            ids.add(insert());
            leat.take(TakeRequest.from(q).count(9)).forEach(leat::ack);
        }

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void oneInsertMayHaveManyRows() throws SQLException {
        Sql.execute(
                connection,
                "INSERT INTO leat_task (queue, text, priority) VALUES ('" + q + "', 'a', 2), ('" + q + "', 'b', 1), ('"
                        + q + "', 'c', 1)");

        assertThat(leat.take(TakeRequest.from(q).count(9)))
                .extracting(taken -> taken.payload().text())
                .containsExactly("b", "c", "a");
    }

    @Test
    void aMissingQueueIsMade() throws SQLException {
        String missing = q + "-missing";

        insertInto(missing, "text", "x");

        assertThat(leat.queue(missing).info().orElseThrow().options()).isEqualTo(QueueOptions.standard());
        assertThat(leat.take(missing)).isPresent();
    }

    @Test
    void aDroppedQueueIsMadeAnew() throws SQLException {
        insert();
        leat.queue(q).drop();

        insert();

        assertThat(takeIds(9)).hasSize(1);
    }
}
