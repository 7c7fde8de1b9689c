package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Leat;
import dev.leat.error.StorageException;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.row.RowStatements;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database with the tables of this version gets the migration of a next version, which only this test has. */
class NextMigrationTest {
    private static final String COLUMN = "test/0002_column.sql";
    private static final String BROKEN = "test/0002_broken.sql";
    private static final Tables TABLES = new Tables(Optional.empty(), Tables.STANDARD_PREFIX);

    private record PlainSource(String url) implements ConnectionSource {
        @Override
        public Connection open() throws SQLException {
            return DriverManager.getConnection(url);
        }

        /** SQLite has no network. */
        @Override
        public void limitSilence(Connection connection, Duration longest) {}
    }

    abstract static class Contract {
        private TestDatabase database;

        abstract TestDatabase newDatabase();

        abstract Dialect dialect(ConnectionSource connections);

        /** Whether a failed migration is rolled back as a whole. */
        boolean isRolledBack() {
            return true;
        }

        @BeforeEach
        void makeTables() {
            database = newDatabase();
            database.open().close();
        }

        /** The dialect of a version with one more migration. */
        private Dialect withNext(Dialect dialect, String file) {
            List<String> migrations = new ArrayList<>(dialect.migrations());
            migrations.add(file);
            return (Dialect) Proxy.newProxyInstance(
                    Dialect.class.getClassLoader(), new Class<?>[] {Dialect.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("migrations")) {
                            return migrations;
                        }
                        try {
                            return method.invoke(dialect, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        private void migrate(String file, Migrations.Mode mode) {
            Dialect dialect = withNext(dialect(new PlainSource(database.jdbcUrl())), file);
            Statements statements = RowStatements.of(dialect, TABLES);
            try (Db db = new Db(dialect, statements)) {
                new Migrations(db, dialect, statements, TABLES, Duration.ofMinutes(1)).run(mode);
            }
        }

        private void migrate(String file) {
            migrate(file, Migrations.Mode.APPLY);
        }

        private List<String> applied() throws SQLException {
            try (Connection connection = database.connect()) {
                return Sql.texts(connection, "SELECT number FROM leat_migration ORDER BY number");
            }
        }

        @Test
        void aDatabaseInUseGetsTheMigrationAndItsOldProcessesGoOn() throws SQLException {
            try (Leat old = Leat.open(database.leatUrl())) {
                long before = old.put("q", "before");

                migrate(COLUMN);

                long after = old.put("q", "after");
                assertThat(applied()).containsExactly("1", "2");
                assertThat(database.number("SELECT count(*) FROM leat_task WHERE estimate IS NULL"))
                        .isEqualTo(2);
                assertThat(old.take("q").orElseThrow().id()).isEqualTo(before);
                assertThat(old.take("q").orElseThrow().id()).isEqualTo(after);
            }
            try (Leat startedLater = Leat.open(database.leatUrl())) {
                assertThat(startedLater.put("q", "later")).isPositive();
            }
        }

        @Test
        void aMigrationIsAppliedOnce() throws SQLException {
            migrate(COLUMN);
            migrate(COLUMN);
            migrate(COLUMN, Migrations.Mode.CHECK);

            assertThat(applied()).containsExactly("1", "2");
        }

        @Test
        void processesThatStartAtOnceApplyTheMigrationOnce() throws Exception {
            ExecutorService executor = Executors.newFixedThreadPool(4);
            Callable<Object> start = () -> {
                migrate(COLUMN);
                return COLUMN;
            };
            for (Future<Object> migrated : executor.invokeAll(List.of(start, start, start, start))) {
                migrated.get();
            }
            executor.shutdown();

            assertThat(applied()).containsExactly("1", "2");
        }

        @Test
        void withoutMigrationOlderTablesAreRefused() throws SQLException {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> migrate(COLUMN, Migrations.Mode.CHECK))
                    .withMessageContaining("an older version (1, needed is 2)")
                    .withMessageContaining("migrate=false");

            assertThat(applied()).containsExactly("1");
        }

        @Test
        void aFailedMigrationIsNotRecordedAndTheOldVersionStillWorks() throws SQLException {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> migrate(BROKEN))
                    .withMessageContaining("0002_broken.sql");

            assertThat(applied()).containsExactly("1");
            if (isRolledBack()) {
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> database.number("SELECT count(*) FROM leat_half_done"));
            }
            try (Leat leat = Leat.open(database.leatUrl())) {
                assertThat(leat.put("q", "hello")).isPositive();
            }
        }
    }

    @Nested
    class OnPostgres extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.postgres();
        }

        @Override
        Dialect dialect(ConnectionSource connections) {
            return new PostgresDialect(connections, Optional.empty());
        }
    }

    @Nested
    @Tag("engine")
    class OnMariaDb extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.mariaDb();
        }

        @Override
        Dialect dialect(ConnectionSource connections) {
            return new MariaDbDialect(connections, Optional.empty(), MariaDbDialect.Locking.BY_READING);
        }

        @Override
        boolean isRolledBack() {
            return false;
        }
    }

    @Nested
    class OnSqlite extends Contract {
        @TempDir
        Path folder;

        @Override
        TestDatabase newDatabase() {
            return TestDatabase.sqlite(folder);
        }

        @Override
        Dialect dialect(ConnectionSource connections) {
            return new SqliteDialect(connections, "jobs.db", TABLES, InstantSource.system());
        }
    }
}
