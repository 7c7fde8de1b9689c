package dev.leat.sql.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opening a storage creates missing tables, keeps existing tables, and does not change the tables of a newer version. */
class SqliteMigrationTest {
    @TempDir
    Path folder;

    private TestDatabase database() {
        return TestDatabase.sqlite(folder);
    }

    private Storage open() {
        return database().open();
    }

    private Storage openWith(String parameter) {
        return database().with(parameter).open();
    }

    /** Records a migration of a newer version, which code that knows migration {@code compatible} can use. */
    private void pretendNewer(int compatible) throws SQLException {
        open().close();
        database()
                .execute("INSERT INTO leat_migration (number, compatible, applied) VALUES (99, " + compatible + ", 0)");
    }

    @Test
    void aMissingFileIsCreatedWithItsTables() {
        try (Storage storage = open()) {
            storage.queues().create("q", QueueOptions.standard());
            assertThat(storage.queues().list()).extracting(QueueInfo::name).containsExactly("q");
        }
        assertThat(folder.resolve("jobs.db")).exists();
    }

    @Test
    void tasksAreKeptWhenTheFileIsOpenedAgain() {
        long id;
        try (Storage storage = open()) {
            storage.queues().create("q", QueueOptions.standard());
            id = storage.put(List.of(NewTask.to("q").payload("a").build()))
                    .get(0)
                    .id();
        }

        try (Storage storage = open()) {
            assertThat(storage.take(TakeRequest.from("q"))).singleElement().satisfies(taken -> {
                assertThat(taken.id()).isEqualTo(id);
                assertThat(taken.payload().text()).isEqualTo("a");
            });
        }
    }

    @Test
    void idsAreNotReusedAfterAReopen() {
        long first;
        try (Storage storage = open()) {
            storage.queues().create("q", QueueOptions.standard());
            first = storage.put(List.of(NewTask.to("q").build())).get(0).id();
            storage.queues().truncate("q");
        }

        try (Storage storage = open()) {
            assertThat(storage.put(List.of(NewTask.to("q").build())).get(0).id())
                    .isGreaterThan(first);
        }
    }

    @Test
    void compatibleNewerTablesAreUsed() throws SQLException {
        pretendNewer(1);

        try (Storage storage = open()) {
            storage.queues().create("q", QueueOptions.standard());
        }
    }

    @Test
    void incompatibleNewerTablesAreRefused() throws SQLException {
        pretendNewer(98);

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> open())
                .withMessageContaining("newer version of Leat")
                .withMessageContaining("98");
    }

    @Test
    void withoutMigrationMissingTablesAreAnError() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> openWith("migrate=false"))
                .withMessageContaining("migrate=false");
    }

    @Test
    void withoutMigrationExistingTablesAreUsed() {
        open().close();

        try (Storage storage = openWith("migrate=false")) {
            assertThat(storage.queues().list()).isEmpty();
        }
    }

    @Test
    void twoPrefixesInOneFileAreTwoStorages() {
        try (Storage one = openWith("prefix=one_");
                Storage two = openWith("prefix=two_")) {
            one.queues().create("q", QueueOptions.standard());

            assertThat(one.queues().list()).hasSize(1);
            assertThat(two.queues().list()).isEmpty();
        }
    }

    @Test
    void anyNumberOfProcessesCanOpenAMissingFileAtOnce() throws Exception {
        int openers = 8;
        ExecutorService executor = Executors.newFixedThreadPool(openers);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Storage>> opened = new ArrayList<>();
        for (int i = 0; i < openers; i++) {
            opened.add(executor.submit(() -> {
                start.await();
                return open();
            }));
        }
        start.countDown();

        List<Storage> storages = new ArrayList<>();
        for (Future<Storage> future : opened) {
            storages.add(future.get());
        }
        storages.get(0).queues().create("q", QueueOptions.standard());

        assertThat(storages)
                .allSatisfy(storage -> assertThat(storage.queues().find("q")).isPresent());
        storages.forEach(Storage::close);
        executor.shutdown();
    }
}
