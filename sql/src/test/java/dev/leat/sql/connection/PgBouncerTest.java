package dev.leat.sql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.DatabaseOptions;
import dev.leat.Leat;
import dev.leat.Registration;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.transaction.Accounts;
import dev.leat.sql.transaction.CallerTransactionTest;
import dev.leat.sql.transaction.HandlerTransactionTest;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storagetests.server.PgBouncer;
import dev.leat.storagetests.server.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** Leat behind PgBouncer in transaction mode, which gives each transaction one of a few sessions of the server's. */
@Tag("engine")
class PgBouncerTest {
    private static final String Q = "q";
    private static final int POOL_SIZE = 3;
    private static final PostgresServer SERVER = PostgresServer.shared(PostgresServer.Version.V18);
    private static PgBouncer bouncer;

    @BeforeAll
    static void start() {
        bouncer = PgBouncer.start(SERVER, POOL_SIZE);
    }

    @AfterAll
    static void stop() {
        bouncer.close();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    /** How others than Leat open the database through PgBouncer. */
    private static String clientUrl(TestDatabase database) {
        return bouncer.through(database.jdbcUrl()) + "&prepareThreshold=0";
    }

    @Nested
    class ForLeat {
        private TestDatabase database;
        private Leat leat;

        @BeforeEach
        void open() {
            database = TestDatabase.on(SERVER).behind(bouncer);
            leat = Leat.open(database.leatUrl());
            leat.queue(Q).create(QueueOptions.standard());
        }

        @AfterEach
        void close() {
            leat.close();
        }

        private void handle(String... names) {
            leat.worker().handle(Q, String.class, (name, task) -> {}).start();
            for (String name : names) {
                leat.put(Q, name);
            }
            await(() -> leat.queue(Q).stats().live() == 0);
        }

        /** What a client finds in each session of the pool. */
        private Set<String> inAllSessions(String query) throws SQLException {
            Set<String> sessions = new TreeSet<>();
            Set<String> found = new TreeSet<>();
            List<Connection> clients = new ArrayList<>();
            try {
                for (int i = 0; i < POOL_SIZE; i++) {
                    Connection client = DriverManager.getConnection(clientUrl(database));
                    clients.add(client);
                    client.setAutoCommit(false); // keeps the session for itself
                    sessions.add(Sql.text(client, "SELECT pg_backend_pid()"));
                    found.addAll(Sql.texts(client, query));
                }
            } finally {
                for (Connection client : clients) {
                    client.rollback();
                    client.close();
                }
            }
            assertThat(sessions).hasSize(POOL_SIZE);
            return found;
        }

        @Test
        void nothingIsLeftInTheSessionsForOtherClients() throws Exception {
            // PgBouncer itself brings what each client has chosen; the isolation level begins anew with each
            // transaction.
            String settings = "SELECT name || '=' || setting FROM pg_settings WHERE source = 'session' AND name NOT IN"
                    + " ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'transaction_isolation')"
                    + " UNION ALL SELECT 'prepared ' || statement FROM pg_prepared_statements"
                    + " UNION ALL SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory'"
                    + " UNION ALL SELECT 'listening to ' || pg_listening_channels()"
                    + " UNION ALL SELECT 'isolation ' || current_setting('transaction_isolation')";

            handle(IntStream.range(0, 50).mapToObj(i -> "task " + i).toArray(String[]::new));

            assertThat(inAllSessions(settings)).containsExactly("isolation read committed");
        }

        @Test
        void aWorkerFindsTheTasksThatAnotherProcessPuts() throws Exception {
            BlockingQueue<String> ran = new LinkedBlockingQueue<>();
            leat.worker().handle(Q, String.class, (name, task) -> ran.add(name)).start();
            int tasks = 40;
            try (Leat other = Leat.open(database.leatUrl())) {
                long start = System.nanoTime();
                for (int i = 0; i < tasks; i++) {
                    other.put(Q, "task " + i);

                    assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo("task " + i);
                }
                // Without looking every 50 ms, each would wait for half a second on average.
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(tasks / 4));
            }
        }

        @Test
        void whoIsConnectedDirectlyIsToldAtOnce() {
            TestDatabase direct = TestDatabase.at(database.jdbcUrl());
            Collection<Notice> heard = new ConcurrentLinkedQueue<>();
            try (Storage listener = direct.open();
                    Registration listening = listener.signal().listen(heard::add)) {
                leat.put(Q, "hello");

                await(() -> heard.contains(new Notice.Ready(Q)));
            }
        }

        @Test
        void manyHandlersOfManyProcessesShareAFewSessions() throws Exception {
            Accounts accounts = Accounts.createIn(database);
            leat.queue("mails").create(QueueOptions.standard());
            List<Leat> processes = IntStream.range(0, 3)
                    .mapToObj(i -> Leat.open(database.leatUrl()))
                    .toList();
            int tasks = 100;
            try {
                for (Leat process : processes) {
                    process.worker()
                            .handleInTransaction(Q, String.class, (name, task, connection) -> {
                                Accounts.open(connection, name);
                                task.leat().with(connection).put("mails", name);
                            })
                            .handle("mails", String.class, (name, task) -> {})
                            .concurrency(16)
                            .start();
                }
                for (int i = 0; i < tasks; i++) {
                    leat.put(Q, "client " + i);
                }

                await(() -> leat.queue("mails").stats().count(TaskState.DONE) == tasks);
            } finally {
                processes.forEach(Leat::close);
            }
            assertThat(accounts.names()).hasSize(tasks);
            assertThat(leat.queue(Q).stats().count(TaskState.DONE)).isEqualTo(tasks);
        }

        // The commit of a single statement whose answer is lost

        private final ThreadLocal<Boolean> fault = ThreadLocal.withInitial(() -> false);

        private boolean breakCommit(Connection connection, String method) throws SQLException {
            if (!method.equals("commit") || !fault.get()) {
                return false;
            }
            fault.remove();
            connection.commit();
            connection.close();
            throw new SQLException("connection reset", "08006");
        }

        private Leat openBreaking() {
            return Leat.builder(DataSourceTest.with(driver(database), this::breakCommit), pooled())
                    .open();
        }

        @Test
        void aPutWhoseCommitIsInDoubtIsTold() {
            try (Leat breaking = openBreaking()) {
                breaking.put(Q, "first"); // from now on the queue is known, and puts are single statements
                fault.set(true);

                assertThatExceptionOfType(PutOutcomeUnknownException.class).isThrownBy(() -> breaking.put(Q, "second"));
            }
            assertThat(leat.queue(Q).stats().live()).isEqualTo(2);
        }

        @Test
        void aTakeWhoseCommitIsInDoubtFindsItsLeases() {
            try (Leat breaking = openBreaking()) {
                breaking.put(Q, "first");
                breaking.take(Q); // from now on there is a session
                long id = breaking.put(Q, "second");
                fault.set(true);

                assertThat(breaking.take(Q).orElseThrow().id()).isEqualTo(id);

                assertThat(fault.get()).isFalse();
                assertThat(leat.peek(id).orElseThrow().attempts()).isEqualTo(1);
            }
        }

        @Test
        void aDataSourceMayLeadThroughItToo() throws Exception {
            Collection<Connection> connections = new ConcurrentLinkedQueue<>();
            DataSource source = DataSourceTest.with(driver(database), (connection, method) -> {
                if (method.equals("close")) {
                    connections.add(connection);
                }
                return method.equals("close");
            });
            try (Leat other = Leat.builder(source, pooled()).open()) {
                other.worker()
                        .handleInTransaction(Q, String.class, (name, task, connection) -> connection.getMetaData())
                        .start();
                long id = other.put(Q, "ada");
                await(() -> other.peek(id).orElseThrow().state() == TaskState.DONE);
            }
            assertThat(connections).isNotEmpty();
            for (Connection connection : connections) {
                assertThat(connection.unwrap(PGConnection.class).getPrepareThreshold())
                        .isEqualTo(7);
                connection.close();
            }
        }
    }

    private static TestDatabase behindItForAll() {
        TestDatabase database = TestDatabase.on(SERVER);
        return new TestDatabase(database.behind(bouncer).leatUrl(), clientUrl(database));
    }

    private static DatabaseOptions pooled() {
        return DatabaseOptions.standard().pooler(DatabaseOptions.Pooler.TRANSACTION);
    }

    private static DataSource driver(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(bouncer.through(database.jdbcUrl()) + "&prepareThreshold=7");
        return source;
    }

    @Nested
    class InYourTransaction extends CallerTransactionTest.OnServer {
        @Override
        protected TestDatabase newDatabase() {
            return behindItForAll();
        }

        @Override
        protected String lockWaits() {
            return CallerTransactionTest.LOCK_WAITS_ON_POSTGRES;
        }

        /** Not for the session: PgBouncer may give the next transaction another one. */
        @Override
        protected void readRepeatably() throws SQLException {
            Sql.execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        }
    }

    @Nested
    class InATransactionOfTheHandler extends HandlerTransactionTest.OnServer {
        @Override
        protected TestDatabase newDatabase() {
            return behindItForAll();
        }
    }

    @Nested
    class WithoutBeingTold {
        @Test
        void itIsRefusedWithWhatToSay() {
            TestDatabase database = TestDatabase.on(SERVER);

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> Leat.open(bouncer.through(database.jdbcUrl())))
                    .withMessageContaining("pooler=transaction");
        }

        @Test
        void sessionModeIsWhatADirectConnectionIs() {
            try (PgBouncer sessions = PgBouncer.start(SERVER, Map.of("pool_mode", "session"));
                    Leat leat =
                            Leat.open(sessions.through(TestDatabase.on(SERVER).jdbcUrl()))) {
                leat.put(Q, "hello");

                assertThat(leat.take(Q)).isPresent();
            }
        }
    }

    @Nested
    class Elsewhere {
        @TempDir
        Path folder;

        private void assertRefused(String url, String why) {
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> Leat.open(url))
                    .withMessageContaining(why);
        }

        @Test
        void theParameterIsRefused() {
            assertRefused("jdbc:mariadb://127.0.0.1/jobs?pooler=transaction", "jdbc:postgresql: only");
            assertRefused("sqlite:" + folder.resolve("jobs.db") + "?pooler=transaction", "unknown parameter 'pooler'");
            assertRefused("jdbc:postgresql://127.0.0.1/jobs?pooler=session", "none or transaction");
        }

        @Test
        void theOptionIsRefused() throws SQLException {
            SQLiteDataSource sqlite = new SQLiteDataSource();
            sqlite.setUrl(TestDatabase.sqlite(folder).jdbcUrl());
            DataSource mariaDb = new MariaDbDataSource(TestDatabase.mariaDb().jdbcUrl());

            for (DataSource source : List.of(sqlite, mariaDb)) {
                assertThatExceptionOfType(InvalidRequestException.class)
                        .isThrownBy(() -> Leat.builder(source, pooled()).open())
                        .withMessageContaining("PostgreSQL only");
            }
        }
    }
}
