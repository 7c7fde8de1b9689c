package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.leat.Backoff;
import dev.leat.Exhaustion;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.QueueOptions;
import dev.leat.QueueStats;
import dev.leat.Retention;
import dev.leat.RetryPolicy;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storage.Sweep;
import dev.leat.testkit.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the views of docs/sql.md show. Covers N4, N15, N18 to N21, N24, N58.
 *
 * <p>Tasks live by a clock that tests move, two hours behind the database's, which the views go by. Each test has a queue of
 * its own in one database: making the tables takes longer than all of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ViewsContract {
    private static final Duration BEHIND = Duration.ofHours(2);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Set<String> FLAGS = Set.of(
            "cancel_requested",
            "requeued",
            "exhausted",
            "paused",
            "reenfileirado",
            "estouro_tentativas",
            "dead",
            "pub_sub");

    private final ManualClock clock =
            new ManualClock(Instant.now().truncatedTo(ChronoUnit.SECONDS).minus(BEHIND));
    private Storage storage;
    private Connection connection;
    private String queue;

    /** The URL for Leat of an empty database. */
    abstract String leatUrl();

    /** The URL of the same database for anybody else. */
    abstract String jdbcUrl();

    /** What a column of time says. */
    abstract Optional<Instant> time(ResultSet row, int column) throws SQLException;

    @BeforeAll
    void open() throws SQLException {
        storage = Storages.open(leatUrl(), StorageSettings.at(clock));
        connection = DriverManager.getConnection(jdbcUrl());
    }

    @AfterAll
    void close() throws SQLException {
        connection.close();
        storage.close();
    }

    @BeforeEach
    void nameQueue(TestInfo test) {
        queue = test.getTestMethod().orElseThrow().getName();
    }

    // Doing

    private void create(QueueOptions.Builder options) {
        storage.createQueue(queue, options.build());
    }

    private static QueueOptions.Builder retrying(int maxFailures) {
        return QueueOptions.builder()
                .retry(RetryPolicy.standard().maxFailures(maxFailures).backoff(Backoff.fixed(MINUTE)));
    }

    private NewTask.Builder task() {
        return NewTask.to(queue);
    }

    private long put(NewTask.Builder task) {
        return storage.put(List.of(task.build())).get(0).id();
    }

    private TakenTask take() {
        return storage.take(TakeRequest.from(queue)).get(0);
    }

    private void settle(Settle settle) {
        storage.settle(List.of(settle));
    }

    private void fail(String message) {
        settle(Settle.fail(take().lease(), message));
    }

    private void ack() {
        settle(Settle.ack(take().lease()));
    }

    // Seeing

    private static boolean isTime(String column) {
        return column.endsWith("_at")
                || column.endsWith("_until")
                || column.startsWith("data_hora")
                || column.equals("proxima_tentativa");
    }

    /** Times as instants, flags as booleans, payloads as they are, all else as text. */
    private List<Map<String, Object>> rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<Map<String, Object>> rows = new ArrayList<>();
            while (row.next()) {
                Map<String, Object> values = new LinkedHashMap<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    String column = row.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT);
                    values.put(column, value(row, i, column));
                }
                rows.add(values);
            }
            return rows;
        }
    }

    private Object value(ResultSet row, int i, String column) throws SQLException {
        if (isTime(column)) {
            return time(row, i).orElse(null);
        } else if (FLAGS.contains(column)) {
            return row.getBoolean(i);
        } else if (column.equals("payload") || column.equals("result")) {
            return row.getBytes(i) == null ? null : new String(row.getBytes(i), StandardCharsets.UTF_8);
        }
        return row.getString(i);
    }

    private Map<String, Object> row(String sql) throws SQLException {
        List<Map<String, Object>> rows = rows(sql);
        assertThat(rows).as(sql).hasSize(1);
        return rows.get(0);
    }

    private Map<String, Object> task(long id) throws SQLException {
        return row("SELECT * FROM leat_tasks WHERE id = " + id);
    }

    private List<Map<String, Object>> attempts(long id) throws SQLException {
        return rows("SELECT * FROM leat_attempts WHERE task_id = " + id + " ORDER BY attempt");
    }

    private List<Map<String, Object>> tarefas(long id) throws SQLException {
        return rows("SELECT * FROM leat_tarefas WHERE id_leat = " + id + " ORDER BY tentativa");
    }

    private List<Object> statuses(long id) throws SQLException {
        return attempts(id).stream().map(row -> row.get("status")).toList();
    }

    private Map<String, Object> summary() throws SQLException {
        return row("SELECT * FROM leat_queues WHERE queue = '" + queue + "'");
    }

    // Tasks

    @Test
    void aTaskShowsAllThatItWasPutWith() throws SQLException {
        create(QueueOptions.builder());
        long group = storage.createGroup(GroupSpec.named("night")).id();
        Instant put = clock.instant();
        long id = put(task().payload("{\"to\":\"Ada\"}")
                .priority(-7)
                .delay(MINUTE)
                .ttl(Duration.ofHours(3))
                .ttr(Duration.ofMillis(1_500))
                .key("k")
                .address("a")
                .group(group)
                .type("email")
                .tenant("47")
                .businessGroup("north")
                .origin("shop")
                .destination("mail")
                .externalKey("order 9")
                .tag("size", 3)
                .trace("traceparent", "00-1"));

        assertThat(task(id))
                .contains(
                        entry("queue", queue),
                        entry("state", "WAITING"),
                        entry("waits_for", "GROUP"),
                        entry("priority", "-7"),
                        entry("put_at", put),
                        entry("due_at", put.plus(MINUTE)),
                        entry("previous_due_at", null),
                        entry("expires_at", put.plus(MINUTE).plus(Duration.ofHours(3))),
                        entry("attempts", "0"),
                        entry("task_key", "k"),
                        entry("address", "a"),
                        entry("group_id", Long.toString(group)),
                        entry("group_name", "night"),
                        entry("type", "email"),
                        entry("tenant", "47"),
                        entry("business_group", "north"),
                        entry("origin", "shop"),
                        entry("destination", "mail"),
                        entry("external_key", "order 9"),
                        entry("tags", "{\"size\":3}"),
                        entry("trace", "{\"traceparent\":\"00-1\"}"),
                        entry("dead_of", null),
                        entry("payload", "{\"to\":\"Ada\"}"),
                        entry("payload_text", "{\"to\":\"Ada\"}"))
                .hasEntrySatisfying("ttr_seconds", ttr -> assertThat(Double.parseDouble((String) ttr))
                        .isEqualTo(1.5))
                .hasEntrySatisfying(
                        "payload_hash", hash -> assertThat((String) hash).hasSize(64));
    }

    @Test
    void aTakenTaskShowsWhoHasItAndForHowLong() throws SQLException {
        create(QueueOptions.builder());
        long id = put(task());
        String session = storage.openSession(SessionSpec.named("worker"));
        storage.take(TakeRequest.from(queue).session(session).ttr(MINUTE));

        assertThat(task(id))
                .contains(
                        entry("state", "TAKEN"),
                        entry("attempts", "1"),
                        entry("session", session),
                        entry("taken_at", clock.instant()),
                        entry("lease_until", clock.instant().plus(MINUTE)),
                        entry("cancel_requested", false));

        storage.cancel(id, "not needed");

        assertThat(task(id)).contains(entry("cancel_requested", true));
        storage.closeSession(session);
    }

    @Test
    void aFinishedTaskShowsHowItEndedForAsLongAsItIsKept() throws SQLException {
        Duration kept = BEHIND.plusHours(1);
        create(QueueOptions.builder().retention(Retention.all(kept)));
        long id = put(task().payload("a"));
        Payload result = Payload.of("{}".getBytes(StandardCharsets.UTF_8), Payload.JSON);
        settle(new Settle.Ack(take().lease(), "sent", Optional.of(result)));

        assertThat(task(id))
                .contains(
                        entry("state", "DONE"),
                        entry("message", "sent"),
                        entry("finished_at", clock.instant()),
                        entry("kept_until", clock.instant().plus(kept)),
                        entry("payload_text", null),
                        entry("result_type", Payload.JSON),
                        entry("result", "{}"),
                        entry("result_text", "{}"));
    }

    @Test
    void aFinishedTaskThatIsNoLongerKeptIsNotShown() throws SQLException {
        create(retrying(10).retention(Retention.all(BEHIND.minusHours(1))));
        long id = put(task());
        fail("boom");
        clock.advance(MINUTE);
        ack();

        assertThat(rows("SELECT * FROM leat_tasks WHERE id = " + id)).isEmpty();
        assertThat(attempts(id)).isEmpty();
        assertThat(summary()).contains(entry("done", "0"));
        assertThat(rows("SELECT * FROM leat_failures WHERE queue = '" + queue + "'"))
                .isEmpty();
    }

    /** Leat never looks inside a payload, so nobody has promised that text is text. */
    @Test
    void onlyTextIsShownAsText() throws SQLException {
        create(QueueOptions.builder());
        byte[] notUtf8 = {(byte) 0xc3, 0, 'a'};
        long html = put(task().payload(Payload.of("<p>ä</p>".getBytes(StandardCharsets.UTF_8), "text/html")));
        long json = put(task().payload(Payload.of("1".getBytes(StandardCharsets.UTF_8), "application/x+json")));
        long binary = put(task().payload(notUtf8));
        long broken = put(task().payload(Payload.of(notUtf8, Payload.TEXT)));

        assertThat(task(html)).contains(entry("payload_text", "<p>ä</p>"));
        assertThat(task(json)).contains(entry("payload_text", "1"));
        assertThat(task(binary)).contains(entry("payload_text", null));
        assertThat(task(broken)).contains(entry("state", "READY"));
    }

    // Queues

    @Test
    void aQueueCountsItsTasksAsLeatDoes() throws SQLException {
        create(retrying(1).exhaustion(Exhaustion.FAIL));
        putOneInEachState();
        storage.pause(queue);

        Map<String, Object> summary = summary();

        QueueStats stats = storage.stats(queue);
        for (TaskState state : TaskState.values()) {
            String column = state.name().toLowerCase(Locale.ROOT);
            long expected = state == TaskState.WAITING ? 2 : 1;
            assertThat(stats.count(state)).as(column).isEqualTo(expected);
            assertThat(summary).contains(entry(column, Long.toString(expected)));
            assertThat(rows("SELECT id FROM leat_tasks WHERE queue = '" + queue + "' AND state = '" + state + "'"))
                    .hasSize((int) expected);
        }
        assertThat(summary).contains(entry("paused", true));
    }

    private void putOneInEachState() {
        put(task().group(storage.createGroup(GroupSpec.named(queue)).id()));
        put(task().delay(MINUTE));
        put(task());
        ack();
        put(task());
        fail("failed");
        storage.cancel(put(task()), "canceled");
        storage.bury(put(task()), "buried");
        put(task().ttl(Duration.ofMillis(1)));
        clock.advance(Duration.ofMillis(2));
        storage.sweep(Sweep.everything());
        put(task().key("k"));
        take();
        put(task().key("k"));
        assertThat(storage.take(TakeRequest.from(queue))).isEmpty();
        put(task());
    }

    @Test
    void theOldestWaitingTaskIsTheOneThatWasDueFirst() throws SQLException {
        create(QueueOptions.builder());
        Instant put = clock.instant();
        long delayed = put(task().delay(Duration.ofSeconds(2)));
        clock.advance(Duration.ofSeconds(1));
        long oldest = put(task().priority(5).type("email").key("k"));
        clock.advance(Duration.ofSeconds(1));
        put(task());
        storage.sweep(Sweep.everything());

        Map<String, Object> waiting = row("SELECT * FROM leat_oldest_waiting WHERE queue = '" + queue + "'");

        assertThat(waiting)
                .contains(
                        entry("task_id", Long.toString(oldest)),
                        entry("priority", "5"),
                        entry("type", "email"),
                        entry("task_key", "k"),
                        entry("due_at", put.plusSeconds(1)),
                        entry("put_at", put.plusSeconds(1)))
                .hasEntrySatisfying("age_seconds", ViewsContract::isAboutTwoHours);
        assertThat(summary())
                .contains(entry("oldest_task_id", Long.toString(oldest)), entry("oldest_due_at", put.plusSeconds(1)))
                .hasEntrySatisfying("oldest_age_seconds", ViewsContract::isAboutTwoHours);
        assertThat(task(delayed)).contains(entry("state", "READY"), entry("due_at", put.plusSeconds(2)));
    }

    private static void isAboutTwoHours(Object seconds) {
        assertThat(Double.parseDouble((String) seconds)).isBetween(0.5 * BEHIND.toSeconds(), 1.5 * BEHIND.toSeconds());
    }

    @Test
    void aQueueWithoutWorkIsShownToo() throws SQLException {
        create(QueueOptions.builder());
        String session = storage.openSession(SessionSpec.named("idle"));
        storage.heartbeat(session, Map.of(queue, 3));

        assertThat(summary())
                .contains(
                        entry("paused", false),
                        entry("ready", "0"),
                        entry("consumers", "3"),
                        entry("oldest_task_id", null),
                        entry("oldest_age_seconds", null));
        storage.closeSession(session);
    }

    @Test
    void aDroppedQueueIsNotShownButItsFinishedTasksAre() throws SQLException {
        create(QueueOptions.builder());
        long id = put(task());

        storage.drop(queue);

        assertThat(rows("SELECT * FROM leat_queues WHERE queue = '" + queue + "'"))
                .isEmpty();
        assertThat(task(id)).contains(entry("queue", queue), entry("state", "CANCELED"));
    }

    // Attempts

    @Test
    void everyAttemptIsARowThatKnowsTheOneBefore() throws SQLException {
        create(retrying(10).retention(Retention.standard().donePayload(Retention.DonePayload.KEEP)));
        Instant put = clock.instant();
        long id = put(task().payload("hello").delay(MINUTE).type("email").externalKey("order 9"));
        clock.advance(MINUTE.plusSeconds(1));
        fail("first");
        clock.advance(MINUTE.plusSeconds(2));
        fail("second");
        clock.advance(MINUTE.plusSeconds(3));
        settle(new Settle.Ack(take().lease(), "third", Optional.empty()));

        List<Map<String, Object>> attempts = attempts(id);

        Instant firstDue = put.plus(MINUTE);
        Instant secondDue = firstDue.plusSeconds(1).plus(MINUTE);
        Instant thirdDue = secondDue.plusSeconds(2).plus(MINUTE);
        assertThat(attempts).hasSize(3);
        assertThat(attempts.get(0))
                .contains(
                        entry("attempt", "1"),
                        entry("queue", queue),
                        entry("status", "FAILED"),
                        entry("put_at", put),
                        entry("due_at", firstDue),
                        entry("started_at", firstDue.plusSeconds(1)),
                        entry("ended_at", firstDue.plusSeconds(1)),
                        entry("next_due_at", secondDue),
                        entry("message", "first"),
                        entry("requeued", true),
                        entry("exhausted", false),
                        entry("previous_status", null),
                        entry("type", "email"),
                        entry("external_key", "order 9"),
                        entry("payload_text", "hello"));
        assertThat(attempts.get(1))
                .contains(
                        entry("attempt", "2"),
                        entry("due_at", secondDue),
                        entry("next_due_at", thirdDue),
                        entry("previous_status", "FAILED"),
                        entry("previous_due_at", firstDue),
                        entry("previous_message", "first"),
                        entry("payload_text", null));
        assertThat(attempts.get(2))
                .contains(
                        entry("attempt", "3"),
                        entry("status", "DONE"),
                        entry("put_at", put),
                        entry("due_at", thirdDue),
                        entry("ended_at", clock.instant()),
                        entry("next_due_at", null),
                        entry("message", "third"),
                        entry("requeued", false),
                        entry("exhausted", false),
                        entry("previous_due_at", secondDue),
                        entry("previous_message", "second"),
                        entry("payload_text", null));
    }

    @Test
    void theAttemptThatIsToComeAndTheOneThatRunsAreRowsToo() throws SQLException {
        create(retrying(10));
        long id = put(task().payload("hello").delay(MINUTE));
        assertThat(attempts(id)).hasSize(1);
        assertThat(attempts(id).get(0))
                .contains(
                        entry("attempt", "1"),
                        entry("status", "SCHEDULED"),
                        entry("started_at", null),
                        entry("message", null),
                        entry("payload_text", "hello"));

        clock.advance(MINUTE);
        TakenTask taken = take();
        assertThat(attempts(id)).hasSize(1);
        assertThat(attempts(id).get(0))
                .contains(
                        entry("attempt", "1"),
                        entry("status", "TAKEN"),
                        entry("started_at", clock.instant()),
                        entry("ended_at", null),
                        entry("payload_text", "hello"));

        settle(Settle.giveBack(taken.lease()));
        assertThat(statuses(id)).containsExactly("READY");

        settle(Settle.release(take().lease()));
        assertThat(statuses(id)).containsExactly("RELEASED", "READY");

        fail("boom");
        assertThat(statuses(id)).containsExactly("RELEASED", "FAILED", "SCHEDULED");
        assertThat(attempts(id).get(2)).contains(entry("message", null), entry("previous_message", "boom"));
    }

    @Test
    void aLostAttemptSaysWhoHadIt() throws SQLException {
        create(retrying(10));
        long id = put(task());
        String session = storage.openSession(SessionSpec.named("worker"));
        storage.take(TakeRequest.from(queue).session(session));

        storage.closeSession(session);

        assertThat(statuses(id)).containsExactly("LOST", "READY");
        assertThat(attempts(id).get(0)).contains(entry("session", session), entry("requeued", true));
    }

    @Test
    void aTaskThatIsGivenUpHasNoRowAfterItsLastAttemptUntilItIsKicked() throws SQLException {
        create(retrying(2));
        long id = put(task());
        fail("first");
        clock.advance(MINUTE);
        fail("second");

        assertThat(task(id)).contains(entry("state", "BURIED"), entry("message", "second"), entry("failures", "2"));
        assertThat(statuses(id)).containsExactly("FAILED", "FAILED");
        assertThat(attempts(id).get(0)).contains(entry("exhausted", false));
        assertThat(attempts(id).get(1))
                .contains(entry("exhausted", true), entry("requeued", false), entry("next_due_at", null));

        storage.kick(id);
        assertThat(statuses(id)).containsExactly("FAILED", "FAILED", "READY");
    }

    @Test
    void aTaskThatEndsWithoutBeingRunHasARowForTheAttemptThatNeverWas() throws SQLException {
        create(retrying(10));
        long buried = put(task());
        storage.bury(buried, "look at it");
        long canceled = put(task());
        fail("boom");
        storage.cancel(canceled, "not needed");
        long deleted = put(task());
        take();
        storage.delete(deleted);

        assertThat(statuses(buried)).containsExactly("BURIED");
        assertThat(attempts(buried).get(0))
                .contains(entry("started_at", null), entry("message", "look at it"), entry("exhausted", false));
        assertThat(statuses(canceled)).containsExactly("FAILED", "CANCELED");
        assertThat(attempts(canceled).get(1)).contains(entry("attempt", "2"), entry("message", "not needed"));
        assertThat(statuses(deleted)).containsExactly("LOST");
    }

    @Test
    void aRunThatIsCanceledIsTheLastAttempt() throws SQLException {
        create(retrying(10));
        long id = put(task());
        fail("boom");
        clock.advance(MINUTE);
        TakenTask taken = take();
        storage.cancel(id, "not needed");
        settle(Settle.ack(taken.lease()));

        assertThat(statuses(id)).containsExactly("FAILED", "CANCELED");
        assertThat(attempts(id).get(1)).contains(entry("attempt", "2"), entry("previous_message", "boom"));
    }

    // For those who come from nsj-queue-lib

    @Test
    void theColumnsAreThoseOfItsTable() throws SQLException {
        assertThat(columns("leat_tarefas"))
                .startsWith(("id id_inicial data_hora_inicial data_hora origem destino processo chave_externa"
                                + " proxima_tentativa tentativa status reenfileirado estouro_tentativas mensagem"
                                + " id_anterior data_hora_anterior status_anterior mensagem_anterior payload tenant"
                                + " grupo_empresarial payload_hash pub_sub publication_id subscriber_id dead live_id"
                                + " prioridade")
                        .split(" "));
    }

    @Test
    void itsRetriesAreRowsOfOneChain() throws SQLException {
        storage.createQueue(queue, QueueOptions.nsj());
        Instant put = clock.instant();
        long id = put(task().payload("{}")
                .priority(-50)
                .type("faturar")
                .origin("loja")
                .destination("erp")
                .externalKey("pedido 9")
                .tenant("47")
                .businessGroup("norte"));
        clock.advance(MINUTE);
        fail("erro");

        List<Map<String, Object>> tarefas = tarefas(id);

        Instant retry = put.plus(Duration.ofMinutes(5));
        String first = id + "000001";
        assertThat(tarefas).hasSize(2);
        assertThat(tarefas.get(0))
                .contains(
                        entry("id", first),
                        entry("id_inicial", first),
                        entry("data_hora_inicial", put),
                        entry("data_hora", put),
                        entry("origem", "loja"),
                        entry("destino", "erp"),
                        entry("processo", "faturar"),
                        entry("chave_externa", "pedido 9"),
                        entry("proxima_tentativa", retry),
                        entry("tentativa", "1"),
                        entry("status", "falha"),
                        entry("reenfileirado", true),
                        entry("estouro_tentativas", false),
                        entry("mensagem", "erro"),
                        entry("id_anterior", null),
                        entry("payload", "{}"),
                        entry("tenant", "47"),
                        entry("grupo_empresarial", "norte"),
                        entry("pub_sub", false),
                        entry("dead", false),
                        entry("live_id", null),
                        entry("prioridade", "50"),
                        entry("fila", queue));
        assertThat(tarefas.get(1))
                .contains(
                        entry("id", id + "000002"),
                        entry("id_inicial", first),
                        entry("data_hora_inicial", put),
                        entry("data_hora", retry),
                        entry("proxima_tentativa", null),
                        entry("tentativa", "2"),
                        entry("status", "agendada"),
                        entry("mensagem", null),
                        entry("id_anterior", first),
                        entry("data_hora_anterior", put),
                        entry("status_anterior", "falha"),
                        entry("mensagem_anterior", "erro"),
                        entry("payload", null));
    }

    @Test
    void itsDeadQueueIsANewChainThatKnowsTheLiveOne() throws SQLException {
        create(retrying(1).exhaustion(Exhaustion.DEAD_HANDLER));
        long live = put(task().payload("{}"));
        fail("erro");
        long dead = take().id();

        assertThat(tarefas(live)).hasSize(1);
        assertThat(tarefas(live).get(0))
                .contains(
                        entry("status", "falha"),
                        entry("estouro_tentativas", true),
                        entry("reenfileirado", false),
                        entry("dead", false));
        assertThat(tarefas(dead)).hasSize(1);
        assertThat(tarefas(dead).get(0))
                .contains(
                        entry("tentativa", "1"),
                        entry("status", "processando"),
                        entry("dead", true),
                        entry("live_id", tarefas(live).get(0).get("id_inicial")),
                        entry("processo", queue),
                        entry("payload", "{}"));
    }

    @Test
    void itsWordsForTheStatusAreUsed() throws SQLException {
        create(retrying(10));
        long id = put(task().delay(MINUTE));
        assertThat(tarefas(id)).extracting(row -> row.get("status")).containsExactly("agendada");

        clock.advance(MINUTE);
        storage.sweep(Sweep.everything());
        assertThat(tarefas(id)).extracting(row -> row.get("status")).containsExactly("pendente");

        String session = storage.openSession(SessionSpec.named("worker"));
        storage.take(TakeRequest.from(queue).session(session));
        storage.closeSession(session);
        ack();
        assertThat(tarefas(id)).extracting(row -> row.get("status")).containsExactly("falha_processando", "sucesso");
    }

    /** As its own readers find the payload of a later attempt. */
    @Test
    void thePayloadOfALaterAttemptIsFoundByTheFirst() throws SQLException {
        create(retrying(10));
        long id = put(task().payload("{}"));
        fail("erro");

        assertThat(rows("SELECT tarefa.tentativa, coalesce(tarefa.payload, inicial.payload) AS payload_text"
                        + " FROM leat_tarefas tarefa JOIN leat_tarefas inicial ON inicial.id = tarefa.id_inicial"
                        + " WHERE tarefa.id_leat = " + id + " AND inicial.id_leat = " + id))
                .hasSize(2)
                .allSatisfy(row -> assertThat(row).contains(entry("payload_text", "{}")));
    }

    // Failures

    @Test
    void failuresArePutTogetherByWhatWasSaid() throws SQLException {
        create(retrying(10));
        Instant start = clock.instant();
        put(task());
        put(task());
        fail("no route");
        fail("no route");
        clock.advance(MINUTE);
        fail("no route");
        settle(Settle.bury(take().lease(), "bad address"));
        settle(Settle.release(takeNew().lease()));

        List<Map<String, Object>> failures =
                rows("SELECT * FROM leat_failures WHERE queue = '" + queue + "' ORDER BY attempts DESC");

        assertThat(failures).hasSize(2);
        assertThat(failures.get(0))
                .contains(
                        entry("outcome", "FAILED"),
                        entry("message", "no route"),
                        entry("attempts", "3"),
                        entry("tasks", "2"),
                        entry("first_at", start),
                        entry("last_at", start.plus(MINUTE)));
        assertThat(failures.get(1)).contains(entry("outcome", "BURIED"), entry("message", "bad address"));
        assertThat(rows("SELECT id FROM leat_tasks WHERE queue = '" + queue + "' AND id = "
                        + failures.get(0).get("example_task_id")))
                .hasSize(1);
    }

    private TakenTask takeNew() {
        put(task().priority(-1));
        return take();
    }

    // The documentation

    @ParameterizedTest
    @ValueSource(
            strings = {
                "leat_tasks",
                "leat_attempts",
                "leat_tarefas",
                "leat_queues",
                "leat_oldest_waiting",
                "leat_failures"
            })
    void everyColumnIsDocumented(String view) throws SQLException, IOException {
        assertThat(columns(view)).isEqualTo(ViewDocs.columns(view));
    }

    private List<String> columns(String view) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("SELECT * FROM " + view + " WHERE 1 = 0")) {
            String[] names = new String[none.getMetaData().getColumnCount()];
            for (int i = 0; i < names.length; i++) {
                names[i] = none.getMetaData().getColumnLabel(i + 1).toLowerCase(Locale.ROOT);
            }
            return Arrays.asList(names);
        }
    }

    static Stream<String> queriesOfTheDocumentation() throws IOException {
        return ViewDocs.queries().stream();
    }

    @ParameterizedTest
    @MethodSource("queriesOfTheDocumentation")
    void everyQueryOfTheDocumentationRuns(String sql) throws SQLException {
        assertThat(rows(sql)).isNotNull();
    }
}
