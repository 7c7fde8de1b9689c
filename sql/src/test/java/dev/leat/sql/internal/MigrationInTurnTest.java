package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.RowStatements;
import dev.leat.storagetests.server.MariaDbServer;
import dev.leat.storagetests.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process waits while another process migrates. */
class MigrationInTurnTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    /** Replaces the minute after which a silent server counts as dead. */
    private static final Duration TEST_SILENCE = Duration.ofSeconds(1);

    abstract static class Contract {
        private final String url = newDatabase();
        private final AtomicInteger opened = new AtomicInteger();
        private final Tables tables = new Tables(Optional.empty(), Tables.STANDARD_PREFIX);
        private Dialect dialect;
        private Statements statements;
        private Db db;
        private Connection peer;

        abstract String newDatabase();

        abstract Dialect dialect(ConnectionSource connections);

        /** Counts the connections and shortens their limit of silence. */
        private final class CountingSource implements ConnectionSource {
            @Override
            public Connection open() throws SQLException {
                opened.incrementAndGet();
                return DriverManager.getConnection(url);
            }

            @Override
            public void limitSilence(Connection connection, Duration longest) throws SQLException {
                ConnectionSource.super.limitSilence(
                        connection, longest.equals(ConnectionSource.SILENCE) ? TEST_SILENCE : longest);
            }
        }

        @BeforeEach
        void letAPeerMigrate() throws SQLException {
            dialect = dialect(new CountingSource());
            statements = RowStatements.of(dialect, tables);
            db = new Db(dialect, statements);
            peer = DriverManager.getConnection(url);
            peer.setAutoCommit(false);
            peer.createStatement().execute(statements.get("lock-migrations"));
        }

        @AfterEach
        void close() throws SQLException {
            peer.close();
            db.close();
        }

        private void migrate(Duration patience) {
            new Migrations(db, dialect, statements, tables, patience).run(Migrations.Mode.APPLY);
        }

        private boolean isMigrated() {
            return db.read(tx -> tx.first("has-migrations", row -> 1)).isPresent();
        }

        private int silence(Tx tx) {
            try {
                return tx.connection().getNetworkTimeout();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void aLongWaitDoesNotLookLikeADeadServer() throws Exception {
            CompletableFuture<Void> migrated = CompletableFuture.runAsync(() -> migrate(LONG));

            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> migrated.get(TEST_SILENCE.toMillis() + 500, TimeUnit.MILLISECONDS));
            peer.close();

            migrated.get(LONG.toSeconds(), TimeUnit.SECONDS);
            assertThat(isMigrated()).isTrue();
            assertThat(opened).as("one to read, one to write").hasValue(2);
            assertThat(db.<Integer>write(Db.Repeat.HARMLESS, this::silence)).isEqualTo((int) TEST_SILENCE.toMillis());
        }

        @Test
        void aWaitOverTheLimitFailsWithTheReasonAndChangesNothing() {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> migrate(Duration.ofMillis(1)))
                    .withMessageContaining("Another process")
                    .withMessageContaining("leat_*");

            assertThat(isMigrated()).isFalse();
        }
    }

    @Nested
    class OnPostgres extends Contract {
        @Override
        String newDatabase() {
            return PostgresServer.shared(PostgresServer.Version.V18).newDatabase();
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
        String newDatabase() {
            return MariaDbServer.shared().newDatabase();
        }

        @Override
        Dialect dialect(ConnectionSource connections) {
            return new MariaDbDialect(connections, Optional.empty(), MariaDbDialect.Locking.BY_READING);
        }
    }
}
