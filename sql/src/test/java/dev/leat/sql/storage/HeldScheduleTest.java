package dev.leat.sql.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.TaskQuery;
import dev.leat.queue.QueueInfo.SetBy;
import dev.leat.queue.QueueOptions;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduledRun;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Schedules that nobody can put something for now do not hold up the others. Covers R31, rule 19, 21. */
class HeldScheduleTest {
    private static final String Q = "q";
    private static final Sweep SWEEP = new Sweep(Sweep.Sessions.SPARE, 1_000);
    private static final Duration SOON = Duration.ofSeconds(20);

    abstract static class Contract {
        private TestDatabase database;
        private Storage storage;

        abstract TestDatabase newDatabase();

        @BeforeEach
        void open() {
            database = newDatabase();
            storage = database.open();
            storage.queues().create(Q, QueueOptions.standard());
        }

        @AfterEach
        void close() {
            storage.close();
        }

        private void everySecond(String name, NewTask.Builder task) {
            storage.schedules().put(Schedule.of(name, Cadence.every(Duration.ofSeconds(1)), task.build()), SetBy.CODE);
        }

        private long runs(String schedule) {
            return storage.list(TaskQuery.of(Q).limit(TaskQuery.MAX_LIMIT)).stream()
                    .flatMap(task -> ScheduledRun.of(task).stream())
                    .filter(run -> run.schedule().equals(schedule))
                    .count();
        }

        /** Sweeps until it has run so often, long before anybody gives up waiting for a lock. */
        private void awaitRuns(String schedule, int count) throws Exception {
            CompletableFuture.runAsync(
                            () -> Awaitility.await(schedule).atMost(SOON).until(() -> {
                                storage.sweep(SWEEP);
                                return runs(schedule) >= count;
                            }))
                    .get(SOON.toSeconds() + 5, TimeUnit.SECONDS);
        }

        @Test
        void aCallerWhoHasPutTheAddressOfOneHoldsUpNoOther() throws Exception {
            try (Connection caller = database.connect()) {
                caller.setAutoCommit(false);
                storage.with(caller).put(List.of(NewTask.to(Q).address("only").build()));
                everySecond("addressed", NewTask.to(Q).address("only"));
                everySecond("free", NewTask.to(Q));

                awaitRuns("free", 3);
                assertThat(runs("addressed")).isZero();

                caller.rollback();
            }
            awaitRuns("addressed", 1);
        }

        @Test
        void manyThatCannotBeReadHoldUpNoOther() throws Exception {
            for (int i = 0; i < 120; i++) {
                everySecond("a" + i, NewTask.to(Q));
            }
            database.execute("UPDATE leat_schedule SET missed = 'LATER'");
            everySecond("free", NewTask.to(Q));

            awaitRuns("free", 2);

            assertThat(runs("a0")).isZero();
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

    @Nested
    @Tag("soak")
    class OnMariaDbInPortableMode extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.mariaDb().with("portable=true");
        }
    }
}
