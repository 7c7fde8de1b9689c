package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storagetests.server.MariaDbServer;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A user who may not do what Leat needs, and a database that can only be read, are told in words. */
class RightsTest {
    private static final String Q = "q";
    private static final NewTask TASK = NewTask.to(Q).build();

    abstract static class Contract {
        /** As its administrator opens it. */
        final TestDatabase database;

        /** The same for a user who may connect and read. */
        final TestDatabase readers;

        Contract(TestDatabase database) {
            this.database = database;
            this.readers = database.as("reader");
        }

        abstract void letRead() throws SQLException;

        void makeTables() throws SQLException {
            try (Storage storage = database.open()) {
                storage.queues().create(Q, QueueOptions.standard());
            }
            letRead();
        }

        @Test
        void whoMayNotMakeTablesIsToldAtTheStart() throws SQLException {
            letRead();

            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> readers.open())
                    .withMessageContaining("the user lacks rights")
                    .withMessageContaining("migrate=false");
        }

        @Test
        void whoMayNotWriteIsToldAtTheFirstPut() throws SQLException {
            makeTables();
            try (Storage storage = readers.open()) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> storage.put(List.of(TASK)))
                        .withMessageContaining("the user lacks rights")
                        .satisfies(error -> assertThat(error.toString()).startsWith(StorageException.class.getName()));
                assertThat(storage.queues().stats(Q).live()).isZero();
            }
        }
    }

    @Nested
    class Postgres extends Contract {
        Postgres() {
            super(TestDatabase.postgres());
        }

        @Override
        void letRead() throws SQLException {
            database.execute(
                    "DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
        }

        @Test
        void aDatabaseThatCanOnlyBeReadIsToldAsSuch() throws SQLException {
            makeTables();
            try (Storage storage = database.with("options=-c%20default_transaction_read_only=on")
                    .open()) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> storage.put(List.of(TASK)))
                        .withMessageContaining("can only be read");
                assertThat(storage.queues().stats(Q).live()).isZero();
            }
        }
    }

    @Nested
    @Tag("engine")
    class MariaDb extends Contract {
        MariaDb() {
            super(TestDatabase.mariaDb());
        }

        @Override
        void letRead() throws SQLException {
            database.execute("CREATE USER IF NOT EXISTS reader", "GRANT SELECT ON " + database.name() + ".* TO reader");
        }

        @Test
        void aDatabaseThatCanOnlyBeReadIsToldAsSuch() throws SQLException {
            makeTables();
            database.execute("GRANT ALL ON " + database.name() + ".* TO reader", "SET GLOBAL read_only = ON");
            try (Storage storage = readers.open()) {
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> storage.put(List.of(TASK)))
                        .withMessageContaining("can only be read");
                assertThat(storage.queues().stats(Q).live()).isZero();

                database.execute("SET GLOBAL read_only = OFF");
                assertThat(storage.put(List.of(TASK))).hasSize(1);
            } finally {
                database.execute("SET GLOBAL read_only = OFF");
            }
        }

        /** With a binary log, only SUPER may make a trigger: on many servers nobody has it. */
        @Test
        void withoutATriggerOnlyPlainInsertsAreRefused() throws SQLException {
            try (MariaDbServer logging = MariaDbServer.start(Map.of("log_bin", "log"))) {
                TestDatabase there = TestDatabase.on(logging);
                there.execute("CREATE USER reader", "GRANT ALL ON " + there.name() + ".* TO reader");
                try (Storage storage = there.as("reader").open()) {
                    storage.queues().create(Q, QueueOptions.standard());
                    storage.put(List.of(TASK));

                    assertThatExceptionOfType(SQLException.class)
                            .isThrownBy(() ->
                                    there.as("reader").execute("INSERT INTO leat_task (queue, text) VALUES ('q', 'a')"))
                            .withMessageContaining("plain_insert_needs_its_trigger");
                    assertThat(storage.take(TakeRequest.from(Q).count(9))).hasSize(1);
                }
            }
        }
    }
}
