package dev.leat.sql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leat.DatabaseOptions;
import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** Leat in a database that it reaches through a data source of the user's. */
class DataSourceTest {
    private static final String Q = "q";

    static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    /** What happens to a call on a connection. */
    interface Calls {
        /** Answers false to have the call made as usual. */
        boolean instead(Connection connection, String method) throws SQLException;
    }

    /** A data source whose connections do some things differently. */
    static DataSource with(DataSource source, Calls calls) {
        return proxy(
                DataSource.class,
                source,
                (name, result) -> name.equals("getConnection") ? changed((Connection) result, calls) : result);
    }

    /** Changes what a method has answered. */
    interface Answers {
        Object of(String method, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T target, Answers answers) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return answers.of(method.getName(), method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static Connection changed(Connection target, Calls calls) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    try {
                        boolean done = calls.instead(target, method.getName());
                        return done ? null : method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A pool that hands out connections as it got them back, and begins with transactions. */
    static final class Careless {
        private final List<Connection> free = new ArrayList<>();
        private final Set<Connection> all = new HashSet<>();
        private final DataSource source;

        Careless(DataSource source) {
            this.source = source;
        }

        DataSource dataSource() {
            return proxy(DataSource.class, source, (name, result) -> {
                if (!name.equals("getConnection")) {
                    return result;
                }
                Connection connection = take((Connection) result);
                return changed(connection, (real, method) -> {
                    if (method.equals("close")) {
                        giveBack(real);
                    }
                    return method.equals("close");
                });
            });
        }

        private synchronized void giveBack(Connection connection) {
            free.add(connection);
        }

        private synchronized Connection take(Connection opened) throws SQLException {
            if (!free.isEmpty()) {
                opened.close();
                return free.remove(0);
            }
            opened.setAutoCommit(false);
            all.add(opened);
            return opened;
        }
    }

    abstract static class Contract {
        abstract DataSource driver() throws SQLException;

        /** What of a session must be as it was. */
        abstract String settings();

        HikariDataSource pool() throws SQLException {
            HikariConfig config = new HikariConfig();
            config.setDataSource(driver());
            config.setMaximumPoolSize(10);
            config.setAutoCommit(false);
            config.setConnectionTimeout(5_000);
            return new HikariDataSource(config);
        }

        @Test
        void theDriversDataSourceIsEnough() throws Exception {
            try (Leat leat = Leat.open(driver())) {
                long id = leat.put(Q, "ada");
                leat.worker().handle(Q, String.class, (name, task) -> {}).start();

                await(() -> leat.peek(id).orElseThrow().state() == TaskState.DONE);
            }
        }

        @Test
        void optionsSayWhatAUrlSays() throws Exception {
            DatabaseOptions options = DatabaseOptions.standard().prefix("jobs_");
            try (Leat leat = Leat.builder(driver(), options).open()) {
                leat.put(Q, "ada");
            }
            try (Connection connection = driver().getConnection()) {
                assertThat(Sql.text(connection, "SELECT count(*) FROM jobs_task"))
                        .isEqualTo("1");
            }
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> Leat.builder(
                                    driver(), DatabaseOptions.standard().prefix("a b"))
                            .open())
                    .withMessageContaining("prefix must be");
        }

        @Test
        void aPoolOfTenIsNeverExhausted() throws Exception {
            try (HikariDataSource pool = pool();
                    Leat leat = Leat.open(pool)) {
                AtomicInteger most = new AtomicInteger();
                try (Connection connection = pool.getConnection()) {
                    Sql.execute(connection, "CREATE TABLE account (name VARCHAR(20))");
                    connection.commit();
                }
                leat.queue(Q).create(QueueOptions.standard());
                leat.worker()
                        .handleInTransaction(Q, String.class, (name, task, connection) -> {
                            Sql.execute(connection, "INSERT INTO account VALUES ('ada')");
                            most.accumulateAndGet(pool.getHikariPoolMXBean().getActiveConnections(), Math::max);
                        })
                        .concurrency(16)
                        .start();
                for (int i = 0; i < 60; i++) {
                    leat.put(Q, "ada");
                }

                await(() -> leat.queue(Q).stats().live() == 0);

                assertThat(most.get()).isBetween(2, 8);
                try (Connection connection = pool.getConnection()) {
                    assertThat(Sql.text(connection, "SELECT count(*) FROM account"))
                            .isEqualTo("60");
                }
                leat.close();
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            }
        }

        @Test
        void connectionsGoBackAsTheyCame() throws Exception {
            Careless careless = new Careless(driver());
            List<String> before = new ArrayList<>();
            try (Connection connection = driver().getConnection()) {
                before.add(Sql.text(connection, settings()));
                before.add(Integer.toString(connection.getTransactionIsolation()));
            }
            try (Leat leat = Leat.open(careless.dataSource())) {
                leat.queue(Q).create(QueueOptions.standard());
                leat.worker()
                        .handleInTransaction(Q, String.class, (name, task, connection) -> connection.getMetaData())
                        .start();
                long id = leat.put(Q, "ada");
                await(() -> leat.peek(id).orElseThrow().state() == TaskState.DONE);
            }

            assertThat(careless.free).hasSizeGreaterThan(2).containsExactlyInAnyOrderElementsOf(careless.all);
            for (Connection connection : careless.all) {
                assertThat(connection.getAutoCommit()).isFalse();
                assertThat(Sql.text(connection, settings())).isEqualTo(before.get(0));
                assertThat(connection.getTransactionIsolation()).hasToString(before.get(1));
                connection.close();
            }
        }
    }

    @Nested
    class OnSqlite extends Contract {
        @TempDir
        Path folder;

        @Override
        DataSource driver() {
            SQLiteDataSource source = new SQLiteDataSource();
            source.setUrl(TestDatabase.sqlite(folder).jdbcUrl());
            return source;
        }

        @Override
        String settings() {
            return "SELECT timeout FROM pragma_busy_timeout";
        }

        @Test
        void aDatabaseInMemoryIsRefused() {
            SQLiteDataSource source = new SQLiteDataSource();
            source.setUrl("jdbc:sqlite::memory:");

            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> Leat.open(source))
                    .withMessageContaining("memory:");
        }
    }

    @Nested
    class OnPostgres extends Contract {
        private final String url = TestDatabase.postgres().jdbcUrl();

        @Override
        DataSource driver() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            return source;
        }

        @Override
        String settings() {
            return "SELECT current_setting('enable_seqscan') || current_setting('enable_bitmapscan')"
                    + " || current_setting('plan_cache_mode') || current_setting('jit')"
                    + " || current_setting('idle_in_transaction_session_timeout')"
                    + " || (SELECT count(*) FROM pg_listening_channels())";
        }

        @Test
        void brokenConnectionsAreNoticedAndReplaced() throws Exception {
            try (HikariDataSource pool = pool();
                    Leat leat = Leat.open(pool)) {
                long id = leat.put(Q, "ada");
                try (Connection connection = driver().getConnection()) {
                    Sql.execute(
                            connection,
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
                }

                assertThat(leat.peek(id)).isPresent();
                leat.worker().handle(Q, String.class, (name, task) -> {}).start();
                await(() -> leat.peek(id).orElseThrow().state() == TaskState.DONE);
            }
        }

        // A handler's commit whose answer is lost (rule 14)

        private final ThreadLocal<String> fault = ThreadLocal.withInitial(() -> "");

        private boolean breakCommit(Connection connection, String method) throws SQLException {
            String wanted = fault.get();
            if (!method.equals("commit") || wanted.isEmpty()) {
                return false;
            }
            fault.remove();
            if (wanted.equals("after")) {
                connection.commit();
            }
            connection.close();
            throw new SQLException("connection reset", "08006");
        }

        private int runsWithFault(String when) throws Exception {
            AtomicInteger runs = new AtomicInteger();
            try (Leat leat = Leat.open(with(driver(), this::breakCommit))) {
                leat.queue(Q).create(QueueOptions.standard());
                try (Connection connection = driver().getConnection()) {
                    Sql.execute(connection, "CREATE TABLE account (run INT)");
                }
                leat.worker()
                        .handleInTransaction(Q, String.class, (name, task, connection) -> {
                            int run = runs.incrementAndGet();
                            Sql.execute(connection, "INSERT INTO account VALUES (" + run + ")");
                            if (run == 1) {
                                fault.set(when);
                            }
                        })
                        .start();
                long id = leat.put(Q, "ada");
                await(() -> leat.peek(id).orElseThrow().state() == TaskState.DONE);
                assertThat(leat.peek(id).orElseThrow().failures()).isZero();
            }
            try (Connection connection = driver().getConnection()) {
                assertThat(Sql.text(connection, "SELECT string_agg(run::text, ' ') FROM account"))
                        .isEqualTo(Integer.toString(runs.get()));
            }
            return runs.get();
        }

        @Test
        void aCommitThatWentThroughUnheardIsNotRepeated() throws Exception {
            assertThat(runsWithFault("after")).isEqualTo(1);
        }

        @Test
        void aCommitThatDidNotHappenIsRepeatedUncharged() throws Exception {
            assertThat(runsWithFault("before")).isEqualTo(2);
        }
    }

    @Nested
    @Tag("engine")
    class OnMariaDb extends Contract {
        private final String url = TestDatabase.mariaDb().jdbcUrl();

        @Override
        DataSource driver() throws SQLException {
            return new MariaDbDataSource(url);
        }

        @Override
        String settings() {
            return "SELECT CONCAT(@@sql_mode, @@innodb_lock_wait_timeout, @@idle_transaction_timeout)";
        }
    }
}
