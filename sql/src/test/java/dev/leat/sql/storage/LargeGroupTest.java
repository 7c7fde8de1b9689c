package dev.leat.sql.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.UnsyncedServers;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.storagetests.TestLength;
import dev.leat.storagetests.server.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tasks of a large group are moved in blocks of a thousand, each in a transaction of its own: ten by the call, the others by sweeps.
 * Covers R32, R35, rule 18, 25.
 */
class LargeGroupTest {
    private static final String Q = "q";
    private static final String CLOSING = "closing";
    private static final int BLOCK = 1_000;
    private static final int BY_THE_CALL = 10 * BLOCK;
    private static final Sweep SWEEP = new Sweep(Sweep.Sessions.SPARE, BLOCK);

    abstract static class Contract {
        TestDatabase database;
        Storage storage;

        abstract TestDatabase newDatabase();

        @BeforeEach
        void open() {
            database = newDatabase();
            storage = database.open();
            storage.queues()
                    .create(
                            Q,
                            QueueOptions.builder()
                                    .retry(RetryPolicy.standard().maxFailures(1))
                                    .exhaustion(Exhaustion.FAIL_GROUP)
                                    .build());
            storage.queues().create(CLOSING, QueueOptions.standard());
        }

        @AfterEach
        void close() {
            storage.close();
        }

        long create(int tasks) {
            return create("g", tasks);
        }

        long create(String name, int tasks) {
            long group = storage.groups()
                    .create(GroupSpec.named(name)
                            .end(NewTask.to(CLOSING).payload("end").build())
                            .abort(NewTask.to(CLOSING).payload("abort").build()))
                    .id();
            for (int put = 0; put < tasks; put += BLOCK) {
                storage.put(Collections.nCopies(
                        Math.min(BLOCK, tasks - put), NewTask.to(Q).group(group).build()));
            }
            return group;
        }

        void reopen() {
            storage.close();
            storage = database.open();
        }

        long count(TaskState state) {
            return storage.queues().stats(Q).count(state);
        }

        GroupInfo info(long group) {
            return storage.groups().find(group).orElseThrow();
        }

        int closingTasks() {
            return storage.list(TaskQuery.of(CLOSING)).size();
        }

        @Test
        void aStartIsVisibleBlockByBlockAndTakesGoOnBesideIt() {
            long group = create(BY_THE_CALL + 2_500);

            assertThat(storage.groups().start(group).state()).isEqualTo(GroupInfo.State.STARTED);

            assertThat(count(TaskState.READY)).isEqualTo(BY_THE_CALL);
            assertThat(count(TaskState.WAITING)).isEqualTo(2_500);
            List<TakenTask> taken = storage.take(TakeRequest.from(Q).count(100));
            assertThat(storage.settle(taken.stream()
                            .map(task -> (Settle) Settle.ack(task.lease()))
                            .toList()))
                    .hasSize(100);
            assertThat(info(group).done()).isEqualTo(100);
            assertThat(storage.sweep(SWEEP).nextIn()).contains(Duration.ZERO);
            assertThat(count(TaskState.WAITING)).isEqualTo(1_500);
            assertThat(storage.sweep(SWEEP).nextIn()).contains(Duration.ZERO);
            assertThat(count(TaskState.WAITING)).isEqualTo(500);
            storage.sweep(SWEEP);
            assertThat(count(TaskState.WAITING)).isZero();
            assertThat(storage.sweep(SWEEP).nextIn()).isNotEqualTo(Optional.of(Duration.ZERO));
            assertThat(info(group).open()).isEqualTo(BY_THE_CALL + 2_400);
        }

        @Test
        void aStartGoesOnInAnotherProcessWhenTheOneThatBeganIsGone() {
            long group = create(BY_THE_CALL + 1_500);
            storage.groups().start(group);

            reopen();
            storage.sweep(Sweep.everything());

            assertThat(count(TaskState.READY)).isEqualTo(BY_THE_CALL + 1_500);
            assertThat(info(group).state()).isEqualTo(GroupInfo.State.STARTED);
        }

        @Test
        void aCancelIsVisibleBlockByBlockAndGoesOnInAnotherProcess() {
            long group = create(BY_THE_CALL + 2_500);

            assertThat(storage.groups().cancel(group, "enough").canceled()).isEqualTo(BY_THE_CALL);
            assertThat(info(group).state()).isEqualTo(GroupInfo.State.CANCELING);
            assertThat(closingTasks()).isZero();
            storage.sweep(SWEEP);
            assertThat(info(group).open()).isEqualTo(1_500);
            reopen();
            storage.sweep(Sweep.everything());

            assertThat(info(group).state()).isEqualTo(GroupInfo.State.CANCELED);
            assertThat(info(group).canceled()).isEqualTo(BY_THE_CALL + 2_500);
            assertThat(closingTasks()).isEqualTo(1);
            assertThat(storage.list(TaskQuery.of(Q).states(Set.of(TaskState.CANCELED)))
                            .get(0)
                            .message())
                    .contains("group canceled: enough");
        }

        @Test
        void aGroupThatIsCanceledWhileItStartsIsCanceled() {
            long group = create(BY_THE_CALL + 2_500);
            storage.groups().start(group);

            storage.groups().cancel(group, "enough");
            storage.sweep(Sweep.everything());

            assertThat(info(group).state()).isEqualTo(GroupInfo.State.CANCELED);
            assertThat(info(group).canceled()).isEqualTo(BY_THE_CALL + 2_500);
            assertThat(closingTasks()).isEqualTo(1);
        }

        @Test
        void aTaskThatFailsItsGroupDoesNotDropAllOthersInItsOwnTransaction() {
            long group = create(BY_THE_CALL + 2_500);
            storage.groups().start(group);
            TakenTask taken = storage.take(TakeRequest.from(Q)).get(0);

            storage.settle(List.of(Settle.fail(taken.lease(), "broken")));

            assertThat(info(group).state()).isEqualTo(GroupInfo.State.CANCELING);
            assertThat(info(group).canceled()).isEqualTo(BY_THE_CALL);
            storage.sweep(Sweep.everything());
            assertThat(info(group).state()).isEqualTo(GroupInfo.State.FAILED);
            assertThat(info(group).failed()).isEqualTo(1);
            assertThat(info(group).canceled()).isEqualTo(BY_THE_CALL + 2_499);
            assertThat(closingTasks()).isEqualTo(1);
        }

        @Test
        void theCountsOfManySettlesAreAddedUp() throws SQLException {
            long group = create(1_300);
            storage.groups().start(group);
            for (TakenTask taken : storage.take(TakeRequest.from(Q).count(1_200))) {
                storage.settle(List.of(Settle.ack(taken.lease())));
            }

            storage.sweep(SWEEP);

            assertThat(info(group).done()).isEqualTo(1_200);
            assertThat(info(group).total()).isEqualTo(1_300);
            assertThat(database.number("SELECT count(*) FROM leat_group_count WHERE group_id = " + group))
                    .isLessThan(BLOCK);
        }
    }

    /** Here a caller's transaction can be open beside others. */
    abstract static class ServerContract extends Contract {
        @Test
        void aCallerWhoHasPutIntoTheGroupDoesNotHoldUpItsStart() throws SQLException {
            long group = create(BY_THE_CALL + 1_500);
            storage.groups().start(group);
            try (Connection caller = database.connect()) {
                caller.setAutoCommit(false);
                storage.with(caller).put(List.of(NewTask.to(Q).group(group).build()));

                storage.sweep(Sweep.everything());

                assertThat(count(TaskState.READY)).isEqualTo(BY_THE_CALL + 1_500);
                caller.rollback();
            }
            storage.sweep(SWEEP);
            assertThat(storage.sweep(SWEEP).nextIn()).isNotEqualTo(Optional.of(Duration.ZERO));
        }

        @Test
        void aGroupThatACallerHoldsDoesNotHoldUpOthers() throws SQLException {
            long held = create("held", BY_THE_CALL);
            storage.groups().start(held);
            try (Connection caller = database.connect()) {
                caller.setAutoCommit(false);
                storage.with(caller).put(List.of(NewTask.to(Q).group(held).build()));
                storage.sweep(SWEEP);
                storage.groups().start(create("free", BY_THE_CALL + BLOCK));
                assertThat(count(TaskState.WAITING)).isEqualTo(BLOCK);

                storage.sweep(SWEEP);

                assertThat(count(TaskState.WAITING)).isZero();
                caller.rollback();
            }
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
    class OnPostgres extends ServerContract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.on(UnsyncedServers.postgres(PostgresServer.Version.V18));
        }

        @Test
        void noTransactionMovesMoreThanABlock() throws SQLException {
            int tasks = TestLength.of("leat.group.blocks", 15, 100) * BLOCK;
            long group = create(tasks);

            storage.groups().start(group);
            storage.sweep(Sweep.everything());

            assertThat(count(TaskState.READY)).isEqualTo(tasks);
            assertThat(mostOfOneTransaction("leat_task")).isEqualTo(BLOCK);
            storage.groups().cancel(group, "enough");
            storage.sweep(Sweep.everything());
            assertThat(info(group).canceled()).isEqualTo(tasks);
            assertThat(mostOfOneTransaction("leat_finished")).isEqualTo(BLOCK);
        }

        private long mostOfOneTransaction(String table) throws SQLException {
            return database.number("SELECT max(n) FROM (SELECT count(*) AS n FROM " + table + " GROUP BY xmin) t");
        }

        @Test
        @Tag("soak")
        void aGroupOfMoreThanIsCountedSaysSo() {
            int tasks = 101 * BLOCK;
            long group = create(tasks);

            GroupInfo info = info(group);

            assertThat(info.exact()).isFalse();
            assertThat(info.total()).isEqualTo(tasks);
            assertThat(info.open()).isEqualTo(tasks);
        }
    }

    @Nested
    @Tag("soak")
    class OnMariaDb extends ServerContract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.on(UnsyncedServers.mariaDb());
        }
    }

    @Nested
    @Tag("soak")
    class OnMariaDbInPortableMode extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.on(UnsyncedServers.mariaDb()).with("portable=true");
        }
    }
}
