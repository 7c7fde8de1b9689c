package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.QueueInfo;
import dev.leat.QueueOptions;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.TakeOrder;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.server.MariaDbServer;
import dev.leat.testkit.server.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A plain INSERT is a put, made by somebody who knows nothing of Leat. Covers N6, N12, RULES 2, 6, 23, 24, 28, 32. */
@Tag("second-pass")
class PlainInsertTest {
    /** Room for payloads over the limit, so that it is Leat that refuses them. */
    private static MariaDbServer mariaDb;

    @BeforeAll
    static void startMariaDb() {
        mariaDb = MariaDbServer.start(Map.of("max_allowed_packet", "64M", "innodb_flush_log_at_trx_commit", "0"));
    }

    @AfterAll
    static void stopMariaDb() {
        mariaDb.close();
    }

    /** One database for all tests of a class, each with a queue of its own. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Contract {
        Leat leat;
        Connection connection;
        String q;
        private int tests;

        abstract String leatUrl();

        abstract String jdbcUrl();

        /** How the documentation calls the database. */
        abstract String databaseName();

        /** An insert of the queue and the address that does nothing when the address is taken. */
        abstract String insertUnlessTaken();

        @BeforeAll
        void open() throws SQLException {
            leat = Leat.open(leatUrl());
            connection = DriverManager.getConnection(jdbcUrl());
        }

        @BeforeEach
        void newQueue() {
            q = "q" + ++tests;
            leat.queue(q).create(QueueOptions.standard());
        }

        @AfterEach
        void leaveNothing() throws SQLException {
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            leat.queues().forEach(queue -> leat.storage().truncate(queue.name()));
        }

        @AfterAll
        void close() throws SQLException {
            connection.close();
            leat.close();
        }

        void options(QueueOptions.Builder options) {
            leat.storage().declareQueue(q, options.build(), QueueInfo.SetBy.CODE);
        }

        void execute(String sql) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        /** Inserts a row with these columns and values, one after the other, into the test's queue. */
        long insert(Object... more) throws SQLException {
            return insertRow(List.of("queue", q), List.of(more));
        }

        private long insertRow(List<Object> first, List<Object> more) throws SQLException {
            List<String> columns = new ArrayList<>();
            List<Object> values = new ArrayList<>();
            for (List<Object> pairs : List.of(first, more)) {
                for (int i = 0; i < pairs.size(); i += 2) {
                    columns.add((String) pairs.get(i));
                    values.add(pairs.get(i + 1));
                }
            }
            String places = "?" + ", ?".repeat(values.size() - 1);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO leat_task ("
                    + String.join(", ", columns) + ") VALUES (" + places + ") RETURNING id")) {
                for (int i = 0; i < values.size(); i++) {
                    insert.setObject(i + 1, values.get(i));
                }
                try (ResultSet row = insert.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        }

        static long micros(Instant instant) {
            return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + instant.getNano() / 1_000;
        }

        Task peek(long id) {
            return leat.peek(id).orElseThrow();
        }

        List<Long> takeIds(int count) {
            return leat.take(TakeRequest.from(q).count(count)).stream()
                    .map(TakenTask::id)
                    .toList();
        }

        long live() {
            return leat.queue(q).stats().live();
        }

        void assertRefused(String message, ThrowingCallable insert) {
            assertThatExceptionOfType(SQLException.class).isThrownBy(insert).withMessageContaining(message);
            assertThat(live()).isZero();
        }

        // What arrives

        @Test
        void aPlainInsertIsTakenWithItsText() throws SQLException {
            long id = insert("text", "hellö");

            TakenTask taken = leat.take(q).orElseThrow();

            assertThat(taken.id()).isEqualTo(id);
            assertThat(taken.payload()).isEqualTo(Payload.of("hellö"));
            assertThat(taken.task().attempts()).isEqualTo(1);
            leat.ack(taken);
            assertThat(peek(id).state()).isEqualTo(TaskState.DONE);
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
        void aPlainInsertWritesWhatAPutWrites() throws SQLException {
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
            execute("INSERT INTO leat_task (queue, text, priority) VALUES ('" + q + "', 'a', 2), ('" + q
                    + "', 'b', 1), ('" + q + "', 'c', 1)");

            assertThat(leat.take(TakeRequest.from(q).count(9)))
                    .extracting(taken -> taken.payload().text())
                    .containsExactly("b", "c", "a");
        }

        // The gates

        @Test
        void theAddressIsUnique() throws SQLException {
            insert("address", "doc");

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> insert("address", "doc"))
                    .withMessageMatching("(?is).*(unique|duplicate).*");

            assertThat(live()).isEqualTo(1);
            leat.ack(leat.take(q).orElseThrow());
            insert("address", "doc");
        }

        @Test
        void anInsertMayGiveWayToATakenAddress() throws SQLException {
            for (int i = 0; i < 2; i++) {
                try (PreparedStatement insert = connection.prepareStatement(insertUnlessTaken())) {
                    insert.setString(1, q);
                    insert.setString(2, "doc");
                    insert.executeUpdate();
                }
            }

            assertThat(live()).isEqualTo(1);
            assertThat(takeIds(9)).hasSize(1);
        }

        @Test
        void tasksOfOneKeyRunOneAfterTheOther() throws SQLException {
            long first = insert("task_key", "ada");
            long second = insert("task_key", "ada");
            TakenTask taken = leat.take(q).orElseThrow();
            assertThat(taken.id()).isEqualTo(first);
            assertThat(takeIds(9)).isEmpty();

            leat.ack(taken);

            assertThat(takeIds(9)).containsExactly(second);
        }

        @Test
        void aTaskWaitsForItsGroup() throws SQLException {
            Group group = leat.createGroup(GroupSpec.named(q));
            long before = insert("group_id", group.id());
            assertThat(peek(before).state()).isEqualTo(TaskState.WAITING);
            assertThat(takeIds(9)).isEmpty();

            group.start();
            long after = insert("group_id", group.id());

            assertThat(peek(after).state()).isEqualTo(TaskState.READY);
            List<TakenTask> taken = leat.take(TakeRequest.from(q).count(9));
            assertThat(taken).extracting(TakenTask::id).containsExactly(before, after);
            leat.ack(taken.get(0));
            assertThat(group.info().state()).isEqualTo(GroupInfo.State.STARTED);
            leat.ack(taken.get(1));
            assertThat(group.info().state()).isEqualTo(GroupInfo.State.COMPLETED);
        }

        @Test
        void aGroupThatEndedOrNeverWasIsRefused() {
            Group group = leat.createGroup(GroupSpec.named(q));
            group.start();

            assertRefused("group", () -> insert("group_id", group.id()));
            assertRefused("group", () -> insert("group_id", 9_999_999L));
        }

        @Test
        void aTaskOfTheFutureIsScheduled() throws SQLException {
            Instant tomorrow = leat.storage().now().plus(Duration.ofDays(1));

            long id = insert("due", micros(tomorrow));

            assertThat(peek(id).state()).isEqualTo(TaskState.SCHEDULED);
            assertThat(micros(peek(id).due())).isEqualTo(micros(tomorrow));
            assertThat(takeIds(9)).isEmpty();
        }

        @Test
        void aScheduledTaskIsTakenWhenItIsDue() throws Exception {
            Instant due = leat.storage().now().plusMillis(300);
            long id = insert("due", micros(due));

            assertThat(leat.take(TakeRequest.from(q), Duration.ofSeconds(20)))
                    .extracting(TakenTask::id)
                    .containsExactly(id);

            assertThat(leat.storage().now()).isAfterOrEqualTo(due);
        }

        @Test
        void aTaskOfThePastIsDueNow() throws SQLException {
            Instant before = leat.storage().now().minusMillis(2);

            Task task = peek(insert("due", micros(before.minus(Duration.ofDays(1)))));

            assertThat(task.state()).isEqualTo(TaskState.READY);
            assertThat(task.due()).isAfter(before).isEqualTo(task.created());
        }

        @Test
        void theEndOfTheWaitMayBeGiven() throws SQLException {
            Instant tomorrow = leat.storage().now().plus(Duration.ofDays(1));
            options(QueueOptions.builder().ttl(Duration.ofMinutes(1)));

            long id = insert("expires", micros(tomorrow));

            assertThat(micros(peek(id).expires().orElseThrow())).isEqualTo(micros(tomorrow));
        }

        @Test
        void lowerPrioritiesGoFirst() throws SQLException {
            options(QueueOptions.builder().priority(3));
            long usual = insert();
            long put = leat.put(q, "put");
            long last = insert("priority", 4);
            long first = insert("priority", -1);

            assertThat(takeIds(9)).containsExactly(first, usual, put, last);
        }

        @Test
        void takesFindWhatTheirOrderAsksFor() throws SQLException {
            options(QueueOptions.builder()
                    .typeFilter(QueueOptions.TypeFilter.ON)
                    .takeOrder(TakeOrder.random())
                    .takeOrder(TakeOrder.preferDistinct("company")));
            long ofType = insert("type", "mail");
            assertThat(leat.take(TakeRequest.from(q).types(Set.of("letter")))).isEmpty();
            assertThat(leat.take(TakeRequest.from(q).types(Set.of("mail"))))
                    .extracting(TakenTask::id)
                    .containsExactly(ofType);
            long one = insert("tags", "{\"company\":1}");
            insert("tags", "{\"company\":1}");
            long two = insert("tags", "{\"company\":2}");
            assertThat(leat.take(TakeRequest.from(q)
                            .order(TakeOrder.preferDistinct("company"))
                            .count(2)))
                    .extracting(TakenTask::id)
                    .containsExactlyInAnyOrder(one, two);
            assertThat(leat.take(TakeRequest.from(q).order(TakeOrder.random()))).hasSize(1);
        }

        // The transaction

        @Test
        void nothingCountsBeforeTheCommit() throws SQLException {
            connection.setAutoCommit(false);
            insert("text", "x");
            assertThat(live()).isZero();

            connection.commit();

            assertThat(live()).isEqualTo(1);
        }

        @Test
        void aRollbackLeavesNothing() throws SQLException {
            connection.setAutoCommit(false);
            insert("text", "x");

            connection.rollback();

            assertThat(live()).isZero();
        }

        @Test
        void puttersOfBothKindsShareATransaction() throws SQLException {
            connection.setAutoCommit(false);
            long first = insert();
            long second = leat.with(connection).put(q, "put");
            long third = insert();
            connection.commit();

            assertThat(takeIds(9)).containsExactly(first, second, third);
        }

        // Waking

        @Test
        void aWaitingTakeIsWokenWithinAPollInterval() throws Exception {
            CompletableFuture<List<TakenTask>> waiting =
                    leat.takeAsync(List.of(TakeRequest.from(q)), Duration.ofMinutes(1));

            long id = insert("text", "wake up");

            assertThat(waiting.get(10, TimeUnit.SECONDS))
                    .extracting(TakenTask::id)
                    .containsExactly(id);
        }

        @Test
        void sleepersHearOfWorkAndOfTimers() throws SQLException {
            try (Storage there = Storages.open(leatUrl(), StorageSettings.standard())) {
                there.heartbeat(there.openSession(SessionSpec.named("there")), Map.of(q, 1));
                Collection<Notice> heard = new ConcurrentLinkedQueue<>();
                try (Registration listening = there.signal().listen(heard::add)) {
                    heard.clear();
                    insert("due", micros(there.now().plusSeconds(60)));
                    awaitNotice(heard, Notice.TimerMoved.INSTANCE);
                    insert();
                    awaitNotice(heard, new Notice.Ready(q));
                }
            }
        }

        private void awaitNotice(Collection<Notice> heard, Notice notice) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(2))
                    .pollInterval(Duration.ofMillis(2))
                    .untilAsserted(() -> assertThat(heard).contains(notice));
        }

        // What is refused

        @Test
        void aMissingQueueIsMade() throws SQLException {
            String missing = q + "-missing";

            insertRow(List.of("queue", missing), List.of("text", "x"));

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

        @Test
        void aQueueWithAnImpossibleNameIsRefused() {
            for (String name : List.of("", "a b", "ä", "a\n", "x".repeat(129))) {
                assertThatExceptionOfType(SQLException.class)
                        .as(name)
                        .isThrownBy(() -> insertRow(List.of("queue", name), List.of()));
            }
        }

        @Test
        void aTaskWithoutAQueueIsRefused() {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> insertRow(List.of("text", "x"), List.of("priority", 1)))
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
                    () -> execute("INSERT INTO leat_task (queue) VALUES ('" + q + "'), ('" + q + "'), ('" + q + "')"));
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

        // The documentation

        @Test
        void theStatementsOfTheDocumentationWork() throws SQLException, IOException {
            Group group = leat.createGroup(GroupSpec.named("import"));
            List<String> snippets = documented();
            assertThat(snippets).hasSizeGreaterThan(3);

            for (String sql : snippets) {
                execute(sql);
            }

            assertThat(leat.queue("emails").stats().live()).isGreaterThanOrEqualTo(snippets.size());
            group.cancel("done");
        }

        /** A snippet whose first line is a comment is for the databases that it names. */
        private List<String> documented() throws IOException {
            String page = Files.readString(Path.of("..", "docs", "sql.md"));
            int start = page.indexOf("\n## Plain SQL\n");
            Matcher snippet = Pattern.compile("(?ms)^```sql\\R(.*?)^```")
                    .matcher(page.substring(start, page.indexOf("\n## ", start + 1)));
            List<String> found = new ArrayList<>();
            while (snippet.find()) {
                String sql = snippet.group(1);
                if (!sql.startsWith("-- ") || isNamedIn(sql.lines().findFirst().orElseThrow())) {
                    found.add(sql.strip());
                }
            }
            return found;
        }

        boolean isNamedIn(String comment) {
            return comment.contains(databaseName());
        }
    }

    @Nested
    class OnSqlite extends Contract {
        @TempDir
        static Path folder;

        @Override
        String leatUrl() {
            return "sqlite:" + folder.resolve("jobs.db");
        }

        @Override
        String jdbcUrl() {
            return "jdbc:sqlite:" + folder.resolve("jobs.db");
        }

        @Override
        String databaseName() {
            return "SQLite";
        }

        @Override
        String insertUnlessTaken() {
            return "INSERT OR IGNORE INTO leat_task (queue, address) VALUES (?, ?)";
        }

        @Test
        void valuesOfTheWrongTypeAreRefused() {
            assertRefused("due", () -> insert("due", "tomorrow"));
            assertRefused("priority", () -> insert("priority", "high"));
            assertRefused("priority", () -> insert("priority", 1L << 40));
            assertRefused("expires", () -> insert("expires", "never"));
            assertRefused("ttr", () -> insert("ttr", "PT1M"));
            assertRefused("group", () -> insert("group_id", "import"));
        }
    }

    /** Servers, which know SHA-256 and users. */
    abstract static class OnServer extends Contract {
        abstract void createUserWhoMayInsert(String name) throws SQLException;

        abstract String jdbcUrl(String user);

        @Test
        void whatIsCommittedLateIsTakenAllTheSame() throws Exception {
            connection.setAutoCommit(false);
            long late = insert("text", "late");
            for (int i = 0; i < 3; i++) {
                leat.put(q, "early");
                leat.ack(leat.take(q).orElseThrow());
            }

            connection.commit();

            assertThat(leat.take(TakeRequest.from(q), Duration.ofSeconds(20)))
                    .extracting(TakenTask::id)
                    .containsExactly(late);
        }

        @Test
        void theRightToInsertIsEnough() throws SQLException {
            createUserWhoMayInsert("clerk");
            try (Connection theirs = DriverManager.getConnection(jdbcUrl("clerk"));
                    Statement statement = theirs.createStatement()) {
                statement.execute(
                        "INSERT INTO leat_task (queue, text) VALUES ('" + q + "', 'x'), ('" + q + "-new', 'y')");
            }

            assertThat(takeIds(9)).hasSize(1);
        }

        @Test
        void equivalentTasksAreFound() throws SQLException {
            NewTask put = NewTask.to(q).externalKey("doc 1").payload("x").build();

            long id = insert("external_key", "doc 1", "text", "x");

            assertThat(peek(id).payloadHash())
                    .isEqualTo(peek(leat.put(put).id()).payloadHash());
        }
    }

    @Nested
    class OnPostgres extends OnServer {
        private final String url =
                PostgresServer.shared(PostgresServer.Version.V18).newDatabase();

        @Override
        String leatUrl() {
            return url;
        }

        @Override
        String jdbcUrl() {
            return url;
        }

        @Override
        String databaseName() {
            return "PostgreSQL";
        }

        @Override
        String insertUnlessTaken() {
            return "INSERT INTO leat_task (queue, address) VALUES (?, ?) ON CONFLICT DO NOTHING";
        }

        @Override
        void createUserWhoMayInsert(String name) throws SQLException {
            execute("CREATE ROLE " + name + " LOGIN");
            execute("GRANT INSERT ON leat_task TO " + name);
        }

        @Override
        String jdbcUrl(String user) {
            return url.replaceFirst("user=[^&]*", "user=" + user);
        }

        @Test
        void nobodyIsNotifiedWhileNobodyWaits() throws SQLException {
            try (Connection listener = listener()) {
                insert();
                waitFor(q);
                insert("priority", 7);

                assertThat(heard(listener)).singleElement().asString().startsWith("- fresh " + q + " 7 ");
            }
        }

        @Test
        void aTransactionNotifiesOncePerQueueAndPriority() throws SQLException {
            waitFor(q);
            try (Connection listener = listener()) {
                connection.setAutoCommit(false);
                long first = insert();
                insert();
                long urgent = insert("priority", -1);
                insert("due", micros(Instant.now().plusSeconds(60)));
                insert("due", micros(Instant.now().plusSeconds(30)));
                connection.commit();
                long next = insert();
                connection.commit();

                assertThat(heard(listener))
                        .containsExactly(
                                "- fresh " + q + " 0 " + first,
                                "- fresh " + q + " -1 " + urgent,
                                "- timer",
                                "- fresh " + q + " 0 " + next);
            }
        }

        @Test
        void whatIsRolledBackIsNotToldAndWhatFollowsIs() throws SQLException {
            waitFor(q);
            try (Connection listener = listener()) {
                connection.setAutoCommit(false);
                Savepoint before = connection.setSavepoint();
                insert();
                connection.rollback(before);
                long kept = insert();
                connection.commit();

                assertThat(heard(listener)).containsExactly("- fresh " + q + " 0 " + kept);
            }
        }

        private void waitFor(String queue) {
            String session = leat.storage().openSession(SessionSpec.named("sleeper"));
            leat.storage().heartbeat(session, Map.of(queue, 1));
        }

        private Connection listener() throws SQLException {
            Connection listener = DriverManager.getConnection(url);
            try (Statement statement = listener.createStatement()) {
                statement.execute("LISTEN leat_leat_");
            }
            return listener;
        }

        /** What plain inserts said; a last word of our own tells that all has been heard. */
        private List<String> heard(Connection listener) throws SQLException {
            try (Statement statement = listener.createStatement()) {
                statement.execute("NOTIFY leat_leat_, '- end'");
            }
            List<String> messages = new ArrayList<>();
            while (!messages.contains("- end")) {
                for (PGNotification one : listener.unwrap(PGConnection.class).getNotifications(10_000)) {
                    messages.add(one.getParameter());
                }
            }
            messages.remove("- end");
            messages.removeIf(message -> !message.startsWith("- "));
            return messages;
        }
    }

    @Nested
    class OnMariaDb extends OnServer {
        private final String url = mariaDb.newDatabase();

        @Override
        String leatUrl() {
            return url;
        }

        @Override
        String jdbcUrl() {
            return url;
        }

        @Override
        String databaseName() {
            return "MariaDB";
        }

        @Override
        String insertUnlessTaken() {
            return "INSERT IGNORE INTO leat_task (queue, address) VALUES (?, ?)";
        }

        @Override
        void createUserWhoMayInsert(String name) throws SQLException {
            String user = "'" + userPrefix() + name + "'@'%'";
            execute("CREATE USER " + user);
            execute("GRANT INSERT ON leat_task TO " + user);
        }

        String userPrefix() {
            return "";
        }

        @Override
        String jdbcUrl(String user) {
            return url.replaceFirst("user=[^&]*", "user=" + userPrefix() + user);
        }

        @Test
        void aTransactionAtRepeatableReadMakesAQueueThatOthersHaveMadeMeanwhile() throws SQLException {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            execute("SELECT * FROM leat_queue");
            leat.queue(q + "-new").create(QueueOptions.builder().priority(7).build());

            long id = insertInto(q + "-new");
            connection.commit();

            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(peek(id).priority()).isEqualTo(7);
        }

        private long insertInto(String queue) throws SQLException {
            String own = q;
            q = queue;
            try {
                return insert();
            } finally {
                q = own;
            }
        }
    }

    @Nested
    class OnPortableMariaDb extends OnMariaDb {
        @Override
        String leatUrl() {
            return super.leatUrl() + "&portable=true";
        }

        @Override
        boolean isNamedIn(String comment) {
            return super.isNamedIn(comment) && !comment.contains("not in portable mode");
        }

        @Override
        String userPrefix() {
            return "portable_";
        }
    }
}
