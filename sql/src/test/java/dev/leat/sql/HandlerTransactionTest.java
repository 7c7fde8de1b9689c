package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.Attempt;
import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.InvalidRequestException;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.QueueOptions;
import dev.leat.RetryPolicy;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.storage.Sweep;
import dev.leat.testkit.server.MariaDbServer;
import dev.leat.testkit.server.PostgresServer;
import dev.leat.worker.TransactionalHandler;
import dev.leat.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handlers whose effects and settle are one transaction. Covers N28, N59, RULES 14. */
@Tag("second-pass")
class HandlerTransactionTest {
    private static final String Q = "q";
    private static final Duration LONG = Duration.ofSeconds(30);

    static Leat open(String url) {
        return Leat.builder(url)
                .heartbeat(Duration.ofMillis(100), Duration.ofSeconds(1))
                .open();
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void openAccount(Connection connection, String name) throws SQLException {
        execute(connection, "INSERT INTO account VALUES ('" + name + "', 0)");
    }

    static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** Has effects, says so, and never ends by itself. */
    static final class Victim {
        public static void main(String[] args) throws InterruptedException {
            Leat leat = open(args[0]);
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        openAccount(connection, "victim");
                        System.out.println("in the middle");
                        Thread.currentThread().join();
                    })
                    .start();
            Thread.currentThread().join();
        }
    }

    abstract static class Contract {
        Leat leat;

        abstract String leatUrl();

        abstract String jdbcUrl();

        @BeforeEach
        void openAll() throws SQLException {
            leat = open(leatUrl());
            leat.queue(Q)
                    .create(QueueOptions.builder()
                            .retry(RetryPolicy.standard().maxFailures(1))
                            .build());
            try (Connection connection = connect()) {
                execute(connection, "CREATE TABLE account (name VARCHAR(20) PRIMARY KEY, balance INT)");
            }
        }

        @AfterEach
        void closeAll() throws SQLException {
            leat.close();
            try (Connection connection = connect()) {
                execute(connection, "DROP TABLE account");
            }
        }

        Connection connect() throws SQLException {
            return DriverManager.getConnection(jdbcUrl());
        }

        List<String> accounts() throws SQLException {
            List<String> names = new ArrayList<>();
            try (Connection connection = connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT name FROM account ORDER BY name")) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
            return names;
        }

        Worker start(TransactionalHandler<String> handler) {
            return leat.worker().handleInTransaction(Q, String.class, handler).start();
        }

        Task task(long id) {
            return leat.peek(id).orElseThrow();
        }

        void awaitState(long id, TaskState state) {
            await(() -> task(id).state() == state);
        }

        // Together

        @Test
        void effectsAndAckAreSeenTogetherAndNotBefore() throws Exception {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            start((name, task, connection) -> {
                openAccount(connection, name);
                inside.countDown();
                await(mayEnd);
            });
            long id = leat.put(Q, "ada");
            await(inside);

            assertThat(accounts()).isEmpty();
            assertThat(task(id).state()).isEqualTo(TaskState.TAKEN);
            mayEnd.countDown();

            awaitState(id, TaskState.DONE);
            assertThat(accounts()).containsExactly("ada");
        }

        @Test
        void anExceptionRollsBackAndIsRecordedAsAFailedAttempt() throws Exception {
            Worker worker = start((name, task, connection) -> {
                openAccount(connection, name);
                task.ack("never mind");
                throw new IllegalStateException("no more accounts");
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts()).isEmpty();
            assertThat(leat.attempts(id)).singleElement().satisfies(attempt -> {
                assertThat(attempt.outcome()).isEqualTo(Attempt.Outcome.FAILED);
                assertThat(attempt.message()).contains("no more accounts");
            });
            assertThat(worker.stats().queues().get(Q).errors()).isEqualTo(1);
        }

        @Test
        void anOutcomeThatTheHandlerChoosesIsCommittedWithItsEffects() throws Exception {
            BlockingQueue<SettleResult.Status> answers = new LinkedBlockingQueue<>();
            start((name, task, connection) -> {
                answers.add(task.bury("ask " + name).status());
                answers.add(task.ack().status());
                openAccount(connection, name);
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts()).containsExactly("ada");
            assertThat(task(id).message()).hasValue("ask ada");
            assertThat(answers).containsExactly(SettleResult.Status.PENDING, SettleResult.Status.GONE);
        }

        @Test
        void tasksPutOnTheConnectionAreCommittedWithIt() {
            start((name, task, connection) -> {
                task.leat().with(connection).put("mails", "welcome " + name);
                if (name.equals("nobody")) {
                    throw new IllegalStateException("unknown");
                }
            });
            leat.queue("mails").create(QueueOptions.standard());
            awaitState(leat.put(Q, "nobody"), TaskState.BURIED);
            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(leat.take("mails").orElseThrow().payload().text()).isEqualTo("welcome ada");
            assertThat(leat.take("mails")).isEmpty();
        }

        @Test
        void aHandlerThatNeverTouchesTheConnectionIsAckedTheSame() {
            BlockingQueue<TaskEvent.Kind> heard = new LinkedBlockingQueue<>();
            leat.onTaskChange(event -> heard.add(event.kind()));
            start((name, task, connection) -> {});

            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            await(() -> heard.contains(TaskEvent.Kind.ACK));
        }

        @Test
        void handlersAreChosenByTypeAndReadTheirPayloadAsTheySay() throws Exception {
            leat.worker()
                    .handleInTransaction(
                            Q,
                            "bytes",
                            byte[].class,
                            (name, task, connection) -> openAccount(connection, name.length + " bytes"))
                    .handle(Q, String.class, (name, task) -> {})
                    .start();
            awaitState(leat.put(Q, "plain"), TaskState.DONE);
            awaitState(leat.put(Q, "ada", task -> task.type("bytes")), TaskState.DONE);

            assertThat(accounts()).containsExactly("3 bytes");
        }

        @Test
        void theLastTaskOfAGroupEndsIt() {
            start((name, task, connection) -> openAccount(connection, name));
            Group group = leat.createGroup(GroupSpec.named("accounts"));
            leat.put(NewTask.to(Q).payload("ada").group(group.id()).build());
            group.start();

            Awaitility.await()
                    .atMost(Duration.ofSeconds(8)) // a sweep would find it after ten
                    .until(() -> group.info().state() == GroupInfo.State.COMPLETED);
        }

        // The connection

        @Test
        void onlyLeatEndsTheTransaction() throws Exception {
            BlockingQueue<Throwable> refusals = new LinkedBlockingQueue<>();
            AtomicReference<Connection> kept = new AtomicReference<>();
            start((name, task, connection) -> {
                kept.set(connection);
                openAccount(connection, name);
                refusals.add(catchThrowable(connection::commit));
                refusals.add(catchThrowable(connection::rollback));
                refusals.add(catchThrowable(connection::close));
                refusals.add(catchThrowable(() -> connection.setAutoCommit(true)));
                refusals.add(
                        catchThrowable(() -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)));
                Savepoint before = connection.setSavepoint();
                openAccount(connection, "bob");
                connection.rollback(before);
            });
            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(refusals).hasSize(5).hasOnlyElementsOfType(SQLException.class);
            assertThat(accounts()).containsExactly("ada");
            assertThat(catchThrowable(() -> openAccount(kept.get(), "late")))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("over");
        }

        @Test
        void aTransactionThatWasEndedOnTheWayIsNotAcked() throws Exception {
            start((name, task, connection) -> {
                openAccount(connection, name);
                execute(connection, "ROLLBACK");
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts()).isEmpty();
            assertThat(task(id).message().orElseThrow()).contains("before the handler returned");
        }

        // Interrupted

        @Test
        void aLostLeaseUndoesTheEffects() throws Exception {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch lost = new CountDownLatch(1);
            AtomicInteger runs = new AtomicInteger();
            Worker worker = start((name, task, connection) -> {
                int run = runs.incrementAndGet();
                if (run == 1) {
                    inside.countDown();
                    await(lost);
                }
                openAccount(connection, name + run);
            });
            long id = leat.put(Q, "ada");
            await(inside);
            leat.queue(Q).releaseAll();
            lost.countDown();

            awaitState(id, TaskState.DONE);
            assertThat(accounts()).containsExactly("ada2");
            assertThat(worker.stats().fenced()).isEqualTo(1);
        }

        @Test
        void aLeaseOverItsTimeLimitUndoesTheEffects() throws Exception {
            AtomicInteger runs = new AtomicInteger();
            leat.queue("timed")
                    .create(QueueOptions.builder().ttr(Duration.ofMillis(300)).build());
            leat.worker()
                    .handleInTransaction("timed", String.class, (name, task, connection) -> {
                        int run = runs.incrementAndGet();
                        openAccount(connection, name + run);
                        if (run == 1) {
                            untilInterrupted();
                        }
                    })
                    .start();

            awaitState(leat.put("timed", "ada"), TaskState.DONE);

            assertThat(accounts()).containsExactly("ada2");
        }

        @Test
        void aStopUndoesWhatDoesNotEndAndGivesItBackUncharged() throws Exception {
            CountDownLatch inside = new CountDownLatch(1);
            Worker worker = start((name, task, connection) -> {
                openAccount(connection, name);
                inside.countDown();
                untilInterrupted();
            });
            long id = leat.put(Q, "ada");
            await(inside);

            assertThat(worker.stop(Duration.ofMillis(50)).abandoned()).containsExactly(id);

            awaitState(id, TaskState.READY);
            assertThat(task(id).failures() + task(id).losses()).isZero();
            await(() -> worker.stats().running() == 0);
            assertThat(accounts()).isEmpty();
        }

        @Test
        void aKilledProcessLeavesNoEffectsAndItsTaskComesBack() throws Exception {
            long id = leat.put(Q, "ada");
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            Process victim = new ProcessBuilder(
                            java, "-cp", System.getProperty("java.class.path"), Victim.class.getName(), leatUrl())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(firstLineOf(victim)).isEqualTo("in the middle");

            victim.destroyForcibly().waitFor();
            start((name, task, connection) -> openAccount(connection, name));

            awaitState(id, TaskState.DONE);
            assertThat(accounts()).containsExactly("ada");
            assertThat(task(id).losses()).isEqualTo(1);
        }

        private static void untilInterrupted() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        private static String firstLineOf(Process process) throws IOException {
            return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    @Nested
    class OnSqlite extends Contract {
        @TempDir
        Path folder;

        @Override
        String leatUrl() {
            return "sqlite:" + folder.resolve("jobs.db");
        }

        @Override
        String jdbcUrl() {
            return "jdbc:sqlite:" + folder.resolve("jobs.db");
        }

        /** It keeps everybody from writing, the heartbeats of all processes too. */
        @Test
        void aTransactionThatOutlastsTheSessionsPatienceCostsNobodyHisLeases() throws Exception {
            Leat neighbour = open(leatUrl());
            neighbour.put("neighbours", "bob");
            TakenTask neighbours = neighbour.take("neighbours").orElseThrow();
            AtomicInteger runs = new AtomicInteger();
            Worker worker = start((name, task, connection) -> {
                runs.incrementAndGet();
                openAccount(connection, name);
                assertThat(new CountDownLatch(1).await(2_500, TimeUnit.MILLISECONDS))
                        .isFalse();
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.DONE);

            assertThat(runs).hasValue(1);
            assertThat(accounts()).containsExactly("ada");
            assertThat(worker.stats().fenced()).isZero();
            Instant ended = leat.storage().now();
            await(() -> oldestHeartbeat().isAfter(ended));
            assertThat(neighbour.ack(neighbours).status()).isEqualTo(SettleResult.Status.DONE);
            neighbour.close();
        }

        private Instant oldestHeartbeat() throws SQLException {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT min(heard) / 1000 FROM leat_session")) {
                row.next();
                return Instant.ofEpochMilli(row.getLong(1));
            }
        }

        @Test
        void handlersThatWriteComeOneAfterTheOther() throws Exception {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        openAccount(connection, name);
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        Thread.yield();
                        inside.decrementAndGet();
                    })
                    .concurrency(4)
                    .start();
            for (int i = 0; i < 20; i++) {
                leat.put(Q, "ada" + i);
            }

            await(() -> leat.queue(Q).stats().live() == 0);

            assertThat(accounts()).hasSize(20);
            assertThat(most).hasValue(1);
        }

        @Test
        void aCallThatWouldWaitForTheHandlersOwnTransactionIsRefused() {
            BlockingQueue<Throwable> refusals = new LinkedBlockingQueue<>();
            start((name, task, connection) -> {
                openAccount(connection, name);
                assertThat(task.leat().peek(task.id())).isPresent();
                refusals.add(catchThrowable(() -> task.leat().put(Q, "bob")));
            });
            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(refusals).singleElement().satisfies(refusal -> assertThat(refusal)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("with(connection)"));
        }
    }

    /** Servers, where others can write meanwhile. */
    abstract static class OnServer extends Contract {
        @Test
        void aDeadlockIsNotCharged() throws Exception {
            try (Connection connection = connect()) {
                openAccount(connection, "ada");
                openAccount(connection, "bob");
            }
            CyclicBarrier bothHoldOne = new CyclicBarrier(2);
            AtomicInteger runs = new AtomicInteger();
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        add(connection, name);
                        if (runs.incrementAndGet() <= 2) {
                            bothHoldOne.await(LONG.toSeconds(), TimeUnit.SECONDS);
                        }
                        add(connection, name.equals("ada") ? "bob" : "ada");
                    })
                    .concurrency(2)
                    .start();
            List<Long> ids = List.of(leat.put(Q, "ada"), leat.put(Q, "bob"));

            ids.forEach(id -> awaitState(id, TaskState.DONE));

            assertThat(runs.get()).isGreaterThanOrEqualTo(3);
            assertThat(ids).allSatisfy(id -> assertThat(task(id).failures()).isZero());
            assertThat(ids.stream().mapToInt(id -> task(id).releases()).sum()).isEqualTo(runs.get() - 2);
            assertThat(balances()).containsOnly(2);
        }

        private void add(Connection connection, String name) throws SQLException {
            execute(connection, "UPDATE account SET balance = balance + 1 WHERE name = '" + name + "'");
        }

        private List<Integer> balances() throws SQLException {
            List<Integer> balances = new ArrayList<>();
            try (Connection connection = connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT balance FROM account")) {
                while (row.next()) {
                    balances.add(row.getInt(1));
                }
            }
            return balances;
        }

        @Test
        void aLostConnectionIsNotCharged() throws Exception {
            AtomicInteger runs = new AtomicInteger();
            start((name, task, connection) -> {
                int run = runs.incrementAndGet();
                openAccount(connection, name + run);
                if (run == 1) {
                    kill(connection);
                }
                openAccount(connection, "bob" + run);
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.DONE);

            assertThat(accounts()).containsExactly("ada2", "bob2");
            assertThat(task(id).failures()).isZero();
        }

        /** Cuts the handler's connection off. */
        private void kill(Connection connection) throws SQLException {
            long backend;
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(backendId())) {
                row.next();
                backend = row.getLong(1);
            }
            try (Connection other = connect()) {
                execute(other, killStatement(backend));
            }
        }

        abstract String backendId();

        abstract String killStatement(long backend);

        /** A settle that saw the tables as they were when the handler began would leave the next task behind for ever. */
        @Test
        void theNextTaskOfTheKeyIsSeenEvenIfItCameAfterTheTransactionBegan() throws Exception {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        execute(connection, "SELECT count(*) FROM account");
                        if (name.equals("ada")) {
                            inside.countDown();
                            await(mayEnd);
                        }
                    })
                    .start();
            leat.put(Q, "ada", task -> task.key("k"));
            await(inside);
            long second = leat.put(Q, "bob", task -> task.key("k"));
            assertThat(leat.take(Q)).isEmpty(); // and parks it behind the key
            assertThat(task(second).state()).isEqualTo(TaskState.WAITING);
            mayEnd.countDown();

            awaitState(second, TaskState.DONE);
        }

        /** At REPEATABLE READ it would not. */
        @Test
        void aHandlerSeesWhatOthersCommitMeanwhile() {
            BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
            start((name, task, connection) -> {
                seen.add(countAccounts(connection));
                try (Connection other = connect()) {
                    openAccount(other, name);
                }
                seen.add(countAccounts(connection));
            });

            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(seen).containsExactly(0, 1);
        }

        private static int countAccounts(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT count(*) FROM account")) {
                row.next();
                return row.getInt(1);
            }
        }

        @Test
        void aSweepPassesByATaskThatIsJustBeingCommitted() throws Exception {
            leat.queue("timed")
                    .create(QueueOptions.builder().ttr(Duration.ofMillis(500)).build());
            long id = leat.put("timed", "ada");
            try (Connection settling = connect()) {
                settling.setAutoCommit(false);
                TakenTask taken = leat.take("timed").orElseThrow();
                execute(settling, "SELECT id FROM leat_task WHERE id = " + id + " FOR UPDATE");
                await(() -> leat.storage().now().isAfter(taken.leaseUntil().orElseThrow()));

                CompletableFuture<Sweep.Result> sweep =
                        CompletableFuture.supplyAsync(() -> leat.storage().sweep(Sweep.everything()));

                assertThat(sweep.get(LONG.toSeconds(), TimeUnit.SECONDS).nextIn())
                        .isPresent();
                settling.commit();
            }
            await(() -> task(id).losses() == 1);
        }

        @Test
        void handlersWorkSideBySide() throws Exception {
            CyclicBarrier both = new CyclicBarrier(2);
            AtomicInteger runs = new AtomicInteger();
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        openAccount(connection, name);
                        if (runs.incrementAndGet() <= 2) {
                            both.await(LONG.toSeconds(), TimeUnit.SECONDS);
                        }
                    })
                    .concurrency(2)
                    .start();
            List<Long> ids = List.of(leat.put(Q, "ada"), leat.put(Q, "bob"));

            ids.forEach(id -> awaitState(id, TaskState.DONE));

            assertThat(accounts()).containsExactly("ada", "bob");
        }

        @Test
        void otherCallsAreNotPartOfTheTransaction() throws Exception {
            start((name, task, connection) -> {
                openAccount(connection, name);
                task.leat().put("log", name);
                throw new IllegalStateException("undo");
            });
            leat.queue("log").create(QueueOptions.standard());
            awaitState(leat.put(Q, "ada"), TaskState.BURIED);

            assertThat(accounts()).isEmpty();
            assertThat(leat.take("log")).isPresent();
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
        String backendId() {
            return "SELECT pg_backend_pid()";
        }

        @Override
        String killStatement(long backend) {
            return "SELECT pg_terminate_backend(" + backend + ")";
        }

        /** PostgreSQL would turn the commit into a rollback without a word. */
        @Test
        void anErrorThatTheHandlerKeepsToItselfIsNotAcked() throws Exception {
            start((name, task, connection) -> {
                openAccount(connection, name);
                assertThat(catchThrowable(() -> openAccount(connection, name))).isInstanceOf(SQLException.class);
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts()).isEmpty();
        }

        @Test
        void theHandlersStatementsArePlannedAsUsual() {
            BlockingQueue<String> settings = new LinkedBlockingQueue<>();
            start((name, task, connection) -> {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("SHOW enable_seqscan")) {
                    row.next();
                    settings.add(row.getString(1));
                }
            });
            awaitState(leat.put(Q, "first"), TaskState.DONE);
            awaitState(leat.put(Q, "on the same connection"), TaskState.DONE);

            assertThat(settings).containsExactly("on", "on");
        }
    }

    @Nested
    class OnMariaDb extends OnServer {
        private final String url = MariaDbServer.shared().newDatabase();

        /** Servers begin at this level unless they are told otherwise, as that of the tests is. */
        @Override
        String leatUrl() {
            return url + "&transactionIsolation=REPEATABLE-READ";
        }

        @Override
        String jdbcUrl() {
            return url;
        }

        @Override
        String backendId() {
            return "SELECT connection_id()";
        }

        @Override
        String killStatement(long backend) {
            return "KILL " + backend;
        }

        /** MariaDB commits before it changes tables. */
        @Test
        void aChangeOfTablesIsNotAckedAsIfItWereOneTransaction() throws Exception {
            start((name, task, connection) -> {
                openAccount(connection, name);
                execute(connection, "CREATE TABLE another (name VARCHAR(20))");
                openAccount(connection, "bob");
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts()).containsExactly("ada");
            assertThat(task(id).message().orElseThrow()).contains("before the handler returned");
        }
    }
}
