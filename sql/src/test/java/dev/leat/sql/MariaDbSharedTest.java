package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.QueueOptions;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.testkit.server.MariaDbServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** One database that several processes use, start on, and crash on. */
class MariaDbSharedTest extends SharedStorageContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.mariaDb();
    }

    private static void awaitNotice(Collection<Notice> heard, Notice notice) {
        await().atMost(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(heard).contains(notice));
    }

    @Test
    void spaceIsToldOnlyWhereThereWasNone() {
        there.createQueue("full", QueueOptions.builder().capacity(1).build());
        there.put(List.of(NewTask.to("full").build()));
        TakenTask taken = there.take(TakeRequest.from("full")).get(0);
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = here.signal().listen(heard::add)) {
            put(there);
            awaitNotice(heard, new Notice.Ready(Q));
            assertThat(heard).doesNotContain(new Notice.Ready("full"));

            there.settle(List.of(Settle.ack(taken.lease())));
            awaitNotice(heard, new Notice.Ready("full"));
        }
    }

    @Test
    void namesThatDifferInCaseOrTrailingSpacesAreDifferent() {
        for (String name : List.of("a", "A", "a ", "ä")) {
            here.put(List.of(NewTask.to(Q).key(name).address(name).build()));
        }

        assertThat(here.take(TakeRequest.from(Q).count(9))).hasSize(4);
    }

    /** Tables are made one by one, each for good: there is no transaction around them. */
    @Test
    void aMigrationThatWasCutOffIsGoneOnWith() throws SQLException {
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
                storage.createQueue(Q, QueueOptions.standard());
                before = put(storage);
                storage.truncate(Q);
            }
            own.kill();
            own.startAgain();

            try (Storage storage = crashed.open()) {
                assertThat(put(storage)).isGreaterThan(before);
            }
        }
    }
}
