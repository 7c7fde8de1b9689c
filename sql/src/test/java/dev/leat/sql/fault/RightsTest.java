package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.NewTask;
import dev.leat.QueueOptions;
import dev.leat.StorageException;
import dev.leat.TakeRequest;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.server.MariaDbServer;
import dev.leat.testkit.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A user who may not do what Leat needs, and a database that can only be read, are told in words. */
class RightsTest {
    private static final String Q = "q";
    private static final NewTask TASK = NewTask.to(Q).build();

    abstract static class Contract {
        String admin;

        /** The URL of an empty database for its administrator. */
        abstract String newDatabase();

        /** The same database for a user who may connect and read. */
        abstract String readerUrl();

        abstract void letRead() throws SQLException;

        @BeforeEach
        void prepare() throws SQLException {
            admin = newDatabase();
        }

        static Storage open(String url) {
            return Storages.open(url, StorageSettings.standard());
        }

        void execute(String... statements) throws SQLException {
            try (Connection connection = DriverManager.getConnection(admin);
                    Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
        }

        void makeTables() throws SQLException {
            try (Storage storage = open(admin)) {
                storage.createQueue(Q, QueueOptions.standard());
            }
            letRead();
        }

        @Test
        void whoMayNotMakeTablesIsToldAtTheStart() throws SQLException {
            letRead();

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> open(readerUrl()))
                    .withMessageContaining("the user lacks rights")
                    .withMessageContaining("migrate=false");
        }

        @Test
        void whoMayNotWriteIsToldAtTheFirstPut() throws SQLException {
            makeTables();
            try (Storage storage = open(readerUrl())) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> storage.put(List.of(TASK)))
                        .withMessageContaining("the user lacks rights")
                        .satisfies(error -> assertThat(error.toString()).startsWith(StorageException.class.getName()));
                assertThat(storage.stats(Q).live()).isZero();
            }
        }
    }

    @Nested
    @Tag("first-pass")
    class Postgres extends Contract {
        private final PostgresServer server = PostgresServer.shared(PostgresServer.Version.V18);

        @Override
        String newDatabase() {
            return server.newDatabase();
        }

        @Override
        String readerUrl() {
            return admin.replace("user=postgres", "user=reader");
        }

        @Override
        void letRead() throws SQLException {
            execute(
                    "DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
        }

        @Test
        void aDatabaseThatCanOnlyBeReadIsToldAsSuch() throws SQLException {
            makeTables();
            try (Storage storage = open(admin + "&options=-c%20default_transaction_read_only=on")) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> storage.put(List.of(TASK)))
                        .withMessageContaining("can only be read");
                assertThat(storage.stats(Q).live()).isZero();
            }
        }
    }

    @Nested
    @Tag("second-pass")
    class MariaDb extends Contract {
        private final MariaDbServer server = MariaDbServer.shared();

        @Override
        String newDatabase() {
            return server.newDatabase();
        }

        @Override
        String readerUrl() {
            return admin.replace("user=root", "user=reader");
        }

        @Override
        void letRead() throws SQLException {
            execute("CREATE USER IF NOT EXISTS reader", "GRANT SELECT ON " + database() + ".* TO reader");
        }

        private String database() {
            return admin.replaceAll(".*/(\\w+)\\?.*", "$1");
        }

        @Test
        void aDatabaseThatCanOnlyBeReadIsToldAsSuch() throws SQLException {
            makeTables();
            execute("GRANT ALL ON " + database() + ".* TO reader", "SET GLOBAL read_only = ON");
            try (Storage storage = open(readerUrl())) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> storage.put(List.of(TASK)))
                        .withMessageContaining("can only be read");
                assertThat(storage.stats(Q).live()).isZero();

                execute("SET GLOBAL read_only = OFF");
                assertThat(storage.put(List.of(TASK))).hasSize(1);
            } finally {
                execute("SET GLOBAL read_only = OFF");
            }
        }

        /** With a binary log, only SUPER may make a trigger: on many servers nobody has it. */
        @Test
        void withoutATriggerOnlyPlainInsertsAreRefused() throws SQLException {
            try (MariaDbServer logging = MariaDbServer.start(Map.of("log_bin", "log"))) {
                admin = logging.newDatabase();
                execute("CREATE USER reader", "GRANT ALL ON " + database() + ".* TO reader");
                try (Storage storage = open(readerUrl());
                        Connection connection = DriverManager.getConnection(readerUrl());
                        Statement statement = connection.createStatement()) {
                    storage.createQueue(Q, QueueOptions.standard());
                    storage.put(List.of(TASK));

                    assertThatExceptionOfType(SQLException.class)
                            .isThrownBy(
                                    () -> statement.execute("INSERT INTO leat_task (queue, text) VALUES ('q', 'a')"))
                            .withMessageContaining("plain_insert_needs_its_trigger");
                    assertThat(storage.take(TakeRequest.from(Q).count(9))).hasSize(1);
                }
            }
        }
    }
}
