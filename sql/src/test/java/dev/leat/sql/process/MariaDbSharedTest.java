package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storagetests.server.MariaDbServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One database that several processes use, start on, and crash on. */
@Tag("engine")
class MariaDbSharedTest extends WatchedStorageContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.mariaDb();
    }

    @Test
    void namesThatDifferInCaseOrTrailingSpacesAreDifferent() {
        for (String name : List.of("a", "A", "a ", "ä")) {
            here.put(List.of(NewTask.to(Q).key(name).address(name).build()));
        }

        assertThat(here.take(TakeRequest.from(Q).count(9))).hasSize(4);
    }

    /** DDL commits by itself on MariaDB, so a first open that was cut off leaves some of the tables. */
    @Test
    void aMigrationThatWasCutOffIsContinued() throws SQLException {
        database.execute("DELETE FROM leat_migration", "DROP TABLE leat_lock", "DROP TABLE leat_key_lease");

        try (Storage storage = database.open()) {
            assertThat(storage.lock().tryAcquire("lock", Duration.ofMinutes(1))).isPresent();
        }
    }

    @Test
    void idsGoOnAscendingAfterACrash() {
        try (MariaDbServer own = MariaDbServer.start()) {
            TestDatabase crashed = TestDatabase.on(own);
            long before;
            try (Storage storage = crashed.open()) {
                storage.queues().create(Q, QueueOptions.standard());
                before = put(storage);
                storage.queues().truncate(Q);
            }
            own.kill();
            own.startAgain();

            try (Storage storage = crashed.open()) {
                assertThat(put(storage)).isGreaterThan(before);
            }
        }
    }
}
