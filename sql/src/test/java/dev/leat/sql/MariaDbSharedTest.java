package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.QueueOptions;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.server.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** One database that several processes use, start on, and crash on. */
class MariaDbSharedTest {
    private static final String Q = "q";

    private final MariaDbServer server = MariaDbServer.shared();
    private final String url = server.newDatabase();

    private Storage open() {
        return Storages.open(url, StorageSettings.standard());
    }

    private static long put(Storage storage) {
        return storage.put(List.of(NewTask.to(Q).build())).get(0).id();
    }

    private static void awaitNotice(Collection<Notice> heard, Notice notice) {
        await().atMost(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(heard).contains(notice));
    }

    @Test
    void whatAnotherProcessDoesIsHeard() {
        try (Storage here = open();
                Storage there = open()) {
            there.createQueue(Q, QueueOptions.standard());
            String session = here.openSession(SessionSpec.named("here"));
            Collection<Notice> heard = new ConcurrentLinkedQueue<>();
            try (Registration listening = here.signal().listen(heard::add)) {
                long task = put(there);
                awaitNotice(heard, new Notice.Ready(Q));

                here.take(TakeRequest.from(Q).session(session));
                there.cancel(task, "enough");
                awaitNotice(heard, new Notice.SessionNews(session));

                there.pause(Q);
                awaitNotice(heard, new Notice.Paused(Q));
            }
        }
    }

    @Test
    void spaceThatAnotherProcessMakesIsHeard() {
        try (Storage here = open();
                Storage there = open()) {
            there.createQueue(Q, QueueOptions.builder().capacity(1).build());
            there.createQueue("other", QueueOptions.standard());
            put(there);
            TakenTask taken = there.take(TakeRequest.from(Q)).get(0);
            Collection<Notice> heard = new ConcurrentLinkedQueue<>();
            try (Registration listening = here.signal().listen(heard::add)) {
                there.put(List.of(NewTask.to("other").build()));
                awaitNotice(heard, new Notice.Ready("other"));
                assertThat(heard).doesNotContain(new Notice.Ready(Q));

                there.settle(List.of(Settle.ack(taken.lease())));
                awaitNotice(heard, new Notice.Ready(Q));
            }
        }
    }

    @Test
    void namesThatDifferInCaseOrTrailingSpacesAreDifferent() {
        try (Storage storage = open()) {
            storage.createQueue(Q, QueueOptions.standard());
            for (String name : List.of("a", "A", "a ", "ä")) {
                storage.put(List.of(NewTask.to(Q).key(name).address(name).build()));
            }

            assertThat(storage.take(TakeRequest.from(Q).count(9))).hasSize(4);
        }
    }

    @Test
    void anyNumberMayOpenAnEmptyDatabaseAtOnce() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(8);
        List<Storage> storages = new ArrayList<>();
        try {
            for (Future<Storage> opened : executor.invokeAll(Collections.nCopies(8, (Callable<Storage>) this::open))) {
                storages.add(opened.get());
            }
            storages.get(0).createQueue(Q, QueueOptions.standard());

            assertThat(storages)
                    .allSatisfy(storage -> assertThat(storage.queue(Q)).isPresent());
        } finally {
            storages.forEach(Storage::close);
            executor.shutdown();
        }
    }

    /** Tables are made one by one, each for good: there is no transaction around them. */
    @Test
    void aMigrationThatWasCutOffIsGoneOnWith() throws SQLException {
        open().close();
        execute("DELETE FROM leat_migration", "DROP TABLE leat_lock", "DROP TABLE leat_key_lease");

        try (Storage storage = open()) {
            assertThat(storage.lock().tryAcquire("lock", Duration.ofMinutes(1))).isPresent();
        }
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Test
    void idsGoOnAscendingAfterACrash() {
        try (MariaDbServer own = MariaDbServer.start()) {
            String database = own.newDatabase();
            long before;
            try (Storage storage = Storages.open(database, StorageSettings.standard())) {
                storage.createQueue(Q, QueueOptions.standard());
                before = put(storage);
                storage.truncate(Q);
            }
            own.kill();
            own.startAgain();

            try (Storage storage = Storages.open(database, StorageSettings.standard())) {
                assertThat(put(storage)).isGreaterThan(before);
            }
        }
    }
}
