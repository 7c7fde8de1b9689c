package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskEvent;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Sweep;
import dev.leat.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that share a database and have no coordinator: each does what time demands, and none does it again. Covers N45. */
class FleetTest {
    /** So long that no database has a partition for the day. */
    private static final Duration KEPT = Duration.ofDays(100);

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int OF_EACH = 20;

    abstract static class Contract {
        private final ManualClock clock = new ManualClock(Instant.parse("2026-03-10T12:00:00Z"));
        private Storage here;
        private Storage there;

        abstract TestDatabase newDatabase();

        @BeforeEach
        void open() {
            TestDatabase database = newDatabase();
            here = database.open(StorageSettings.at(clock));
            there = database.open(StorageSettings.at(clock));
        }

        @AfterEach
        void close() {
            there.close();
            here.close();
        }

        private void put(NewTask.Builder task) {
            here.put(Collections.nCopies(OF_EACH, task.build()));
        }

        /** Some tasks are due now, as many are late, as many are lost with their holder, and as many were kept long enough. */
        private void letTimeDemandWork() {
            here.queues()
                    .create(
                            "kept",
                            QueueOptions.builder()
                                    .retention(Retention.all(KEPT))
                                    .build());
            here.queues().create("q", QueueOptions.standard());
            here.queues().create("held", QueueOptions.standard());
            put(NewTask.to("kept"));
            here.settle(here.take(TakeRequest.from("kept").count(OF_EACH)).stream()
                    .<Settle>map(taken -> Settle.ack(taken.lease()))
                    .toList());
            clock.advance(KEPT.minus(MINUTE));
            put(NewTask.to("q").delay(MINUTE));
            put(NewTask.to("q").ttl(MINUTE));
            put(NewTask.to("held"));
            here.take(TakeRequest.from("held")
                    .count(OF_EACH)
                    .session(here.sessions().open(SessionSpec.named("dead"))));
            clock.advance(MINUTE);
        }

        private static void assertAllIsDoneOnce(List<Sweep.Result> sweeps) {
            Map<TaskEvent.Kind, Long> done = sweeps.stream()
                    .flatMap(sweep -> sweep.events().stream())
                    .collect(Collectors.groupingBy(TaskEvent::kind, Collectors.counting()));
            long each = OF_EACH;
            assertThat(done)
                    .isEqualTo(
                            Map.of(TaskEvent.Kind.DUE, each, TaskEvent.Kind.EXPIRE, each, TaskEvent.Kind.LOST, each));
            assertThat(sweeps.stream().mapToLong(Sweep.Result::purged).sum()).isEqualTo(each);
        }

        @Test
        void whatTwoDoAtOnceIsDoneOnce() { // N45
            letTimeDemandWork();

            List<CompletableFuture<Sweep.Result>> both = Stream.of(here, there)
                    .map(storage -> CompletableFuture.supplyAsync(() -> storage.sweep(Sweep.everything())))
                    .toList();

            assertAllIsDoneOnce(both.stream().map(CompletableFuture::join).toList());
            assertThat(there.sweep(Sweep.everything()).events()).isEmpty();
        }

        @Test
        void theOneThatIsLeftDoesItAll() { // N45
            letTimeDemandWork();

            here.close();

            assertAllIsDoneOnce(List.of(there.sweep(Sweep.everything())));
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
    }

    @Nested
    class OnPostgres extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.postgres();
        }
    }

    @Nested
    @Tag("engine")
    class OnMariaDb extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.mariaDb();
        }
    }
}
