package dev.leat.sql.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Predecessor;
import dev.leat.PutResult;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.GroupPut;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A caller's transaction has put a task into a group whose other tasks come to their end. Covers rule 18, 21. */
class HeldGroupTest {
    private static final String Q = "q";
    private static final String CLOSING = "closing";
    private static final Sweep SWEEP = new Sweep(Sweep.Sessions.SPARE, 100);

    abstract static class Contract {
        private final TestDatabase database = newDatabase();
        private Storage storage;
        private Connection caller;
        private long group;

        abstract TestDatabase newDatabase();

        @BeforeEach
        void holdAGroupWithOneTask() throws SQLException {
            storage = database.open();
            storage.queues().create(Q, QueueOptions.standard());
            storage.queues().create(CLOSING, QueueOptions.standard());
            group = storage.groups()
                    .create(GroupSpec.named("g").end(NewTask.to(CLOSING).build()))
                    .id();
            storage.put(List.of(NewTask.to(Q).group(group).build()));
            storage.groups().start(group);
            caller = database.connect();
            caller.setAutoCommit(false);
            storage.with(caller).put(List.of(NewTask.to(Q).group(group).build()));
        }

        @AfterEach
        void close() throws SQLException {
            caller.close();
            storage.close();
        }

        /** Long before anybody gives up waiting for a lock. */
        private static <T> T soon(Supplier<T> call) throws Exception {
            return CompletableFuture.supplyAsync(call).get(10, TimeUnit.SECONDS);
        }

        private SettleResult.Status doOne() {
            Settle ack = Settle.ack(storage.take(TakeRequest.from(Q)).get(0).lease());
            return storage.settle(List.of(ack)).get(0).status();
        }

        private GroupInfo.State state() {
            return storage.groups().find(group).orElseThrow().state();
        }

        private int closingTasks() {
            return storage.list(TaskQuery.of(CLOSING)).size();
        }

        @Test
        void neitherSettlesNorSweepsWaitForTheCallerAndTheGroupEndsOnceHeRollsBack() throws Exception {
            assertThat(soon(this::doOne)).isEqualTo(SettleResult.Status.DONE);
            assertThat(soon(() -> storage.sweep(SWEEP)).nextIn())
                    .hasValueSatisfying(next -> assertThat(next).isLessThanOrEqualTo(Duration.ofSeconds(1)));
            assertThat(state()).isEqualTo(GroupInfo.State.STARTED);
            assertThat(closingTasks()).isZero();

            caller.rollback();
            storage.sweep(SWEEP);

            assertThat(state()).isEqualTo(GroupInfo.State.COMPLETED);
            storage.sweep(SWEEP);
            assertThat(closingTasks()).isEqualTo(1);
        }

        @Test
        void aTaskOfACallerFollowsOneThatEndedBeforeHisCommit() throws Exception {
            soon(() -> storage.sweep(SWEEP)); // the next look for what was forgotten is far off
            long first = storage.list(TaskQuery.of(Q)).get(0).id();
            NewTask after = NewTask.to(Q).group(group).after(first).build();
            PutResult follower = storage.with(caller).put(List.of(after)).get(0);
            assertThat(follower.state()).isEqualTo(TaskState.WAITING);
            soon(this::doOne);

            caller.commit();
            storage.sweep(SWEEP);

            assertThat(storage.peek(follower.id()).orElseThrow().state()).isEqualTo(TaskState.READY);
        }

        private GroupPut putWorkflow() {
            NewTask first = NewTask.to(Q).priority(-1).build();
            NewTask second = first.following(List.of(new Predecessor.InPut(0, Predecessor.Until.DONE)));
            return storage.with(caller).putGroup(GroupSpec.named("w"), List.of(first, second));
        }

        @Test
        void aWorkflowOfACallerRunsFromHisCommitOn() throws Exception {
            List<PutResult> tasks = putWorkflow().tasks();
            assertThat(soon(() -> storage.groups().find("w"))).isEmpty();

            caller.commit();
            storage.sweep(SWEEP);

            assertThat(storage.groups().find("w").orElseThrow().total()).isEqualTo(2);
            for (PutResult task : tasks) {
                assertThat(storage.list(TaskQuery.of(Q).states(Set.of(TaskState.READY))))
                        .filteredOn(ready -> tasks.stream().anyMatch(of -> of.id() == ready.id()))
                        .extracting(Task::id)
                        .containsExactly(task.id());
                doOne();
            }
            assertThat(storage.groups().find("w")).isEmpty();
        }

        @Test
        void aWorkflowOfACallerWhoRollsBackHasNeverBeen() throws Exception {
            GroupPut put = putWorkflow();

            caller.rollback();

            assertThat(storage.groups().find(put.group().id())).isEmpty();
            assertThat(storage.peek(put.tasks().get(0).id())).isEmpty();
        }

        @Test
        void theGroupGoesOnWithTheTaskOfACallerWhoCommits() throws Exception {
            soon(this::doOne);
            soon(() -> storage.sweep(SWEEP));

            caller.commit();
            storage.sweep(SWEEP);
            assertThat(state()).isEqualTo(GroupInfo.State.STARTED);
            doOne();

            assertThat(state()).isEqualTo(GroupInfo.State.COMPLETED);
            storage.sweep(SWEEP);
            assertThat(closingTasks()).isEqualTo(1);
        }

        @Test
        void theSweeperIsToldToLookAgain() throws Exception {
            Collection<Notice> heard = new ConcurrentLinkedQueue<>();
            try (Registration listening = storage.signal().listen(heard::add)) {
                soon(this::doOne);
            }

            assertThat(heard).contains(Notice.TimerMoved.INSTANCE);
        }

        @Test
        void anotherProcessEndsItWhenTheOneThatDidTheLastTaskIsGone() throws Exception {
            soon(this::doOne);
            storage.close();
            caller.rollback();

            storage = database.open();
            storage.sweep(SWEEP);

            assertThat(state()).isEqualTo(GroupInfo.State.COMPLETED);
            assertThat(closingTasks()).isEqualTo(1);
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
