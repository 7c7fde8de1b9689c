package dev.leat.sql.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.error.AddressInDoubtException;
import dev.leat.error.EquivalentInDoubtException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.QueueFullException;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.topic.Subscription;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Puts in a transaction of the caller's own, beside rows of his own. Covers N8, N59, R6, rule 21. */
public class CallerTransactionTest {
    public static final String LOCK_WAITS_ON_POSTGRES =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    private static final String Q = "q";

    abstract static class Contract {
        TestDatabase database;
        Leat leat;
        public Connection connection;
        Accounts accounts;

        protected abstract TestDatabase newDatabase();

        @BeforeEach
        void open() throws SQLException {
            database = newDatabase();
            leat = Leat.open(database.leatUrl());
            leat.queue(Q).create(QueueOptions.standard());
            accounts = Accounts.createIn(database);
            connection = database.connect();
            connection.setAutoCommit(false);
        }

        @AfterEach
        void close() throws SQLException {
            connection.rollback();
            connection.close();
            accounts.drop();
            leat.close();
        }

        long live() {
            return leat.queue(Q).stats().live();
        }

        @Test
        void theTaskCountsWhenTheCallerCommits() throws SQLException { // N8, R6
            Accounts.open(connection, "ada");
            long id = leat.with(connection).put(Q, "welcome");
            assertThat(leat.peek(id)).isEmpty();

            connection.commit();

            assertThat(accounts.names()).containsExactly("ada");
            assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.READY);
            assertThat(leat.take(Q).orElseThrow().id()).isEqualTo(id);
        }

        @Test
        void aRollbackLeavesNothing() throws SQLException { // N8, R6
            Accounts.open(connection, "ada");
            leat.with(connection).put(Q, "welcome");

            connection.rollback();

            assertThat(accounts.names()).isEmpty();
            assertThat(live()).isZero();
        }

        @Test
        void aPublicationCountsWhenTheCallerCommits() throws SQLException { // N8, N10
            leat.subscriptions().put(Subscription.to(Q, "billing"));
            leat.with(connection).publish(Q, "order 1");
            assertThat(live()).isZero();

            connection.commit();

            leat.ack(leat.take(Q).orElseThrow());
            assertThat(leat.take(Q).orElseThrow().task().subscriber()).contains("billing");
            leat.subscriptions().drop("billing");
        }

        @Test
        void manyPutsAreOneTransactionWithTheCallers() throws SQLException {
            List<NewTask> tasks = IntStream.range(0, 2_500)
                    .mapToObj(i -> NewTask.to(Q).payload("task " + i).build())
                    .toList();

            List<PutResult> results = leat.with(connection).putAll(tasks);

            assertThat(results).extracting(PutResult::id).isSorted().doesNotHaveDuplicates();
            assertThat(live()).isZero();
            connection.commit();
            assertThat(live()).isEqualTo(2_500);
        }

        @Test
        void aWaitingWorkerGetsTheTaskAfterTheCommitAndNotBefore() throws Exception { // N8, N46, R6
            LinkedBlockingQueue<String> ran = new LinkedBlockingQueue<>();
            leat.worker().handle(Q, String.class, (text, task) -> ran.add(text)).start();
            leat.put(Q, "first");
            assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo("first");
            Awaitility.await().until(() -> live() == 0);

            leat.with(connection).put(Q, "second");
            assertThat(ran).isEmpty();
            connection.commit();

            assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo("second");
        }

        @Test
        void listenersDoNotHearOfWhatIsNotCommitted() {
            LinkedBlockingQueue<Object> heard = new LinkedBlockingQueue<>();
            leat.onTaskChange(heard::add);

            leat.with(connection).put(Q, "perhaps");

            assertThat(heard).isEmpty();
        }

        @Test
        void aConnectionInAutocommitModeIsRefused() throws SQLException {
            connection.rollback();
            connection.setAutoCommit(true);

            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> leat.with(connection).put(Q, "x"))
                    .withMessageContaining("autocommit");

            connection.setAutoCommit(false);
            assertThat(live()).isZero();
        }

        @Test
        void aRefusedPutLeavesTheCallersTransactionAsItWas() throws SQLException {
            leat.queue("small").create(QueueOptions.builder().capacity(1).build());
            Accounts.open(connection, "ada");
            leat.with(connection).put("small", "fits");

            assertThatExceptionOfType(QueueFullException.class)
                    .isThrownBy(() -> leat.with(connection).put("small", "does not fit"));
            connection.commit();

            assertThat(accounts.names()).containsExactly("ada");
            assertThat(leat.queue("small").stats().live()).isEqualTo(1);
        }

        @Test
        void anAddressThatIsTakenAnswersTheTaskThatHasIt() throws SQLException { // R6
            long first = leat.put(NewTask.to(Q).address("doc").build()).id();

            PutResult second =
                    leat.with(connection).put(NewTask.to(Q).address("doc").build());
            connection.commit();

            assertThat(second).isEqualTo(new PutResult(first, false, TaskState.READY));
        }

        @Test
        void anEquivalentTaskIsTheAnswer() throws SQLException {
            long first = leat.put(order()).id();

            PutResult second = leat.with(connection).putUnlessEquivalent(order());
            connection.commit();

            assertThat(second).isEqualTo(new PutResult(first, false, TaskState.READY));
        }

        @Test
        void theCallersOwnEquivalentTaskIsTheAnswerBeforeHeCommits() throws SQLException {
            PutResult first = leat.with(connection).putUnlessEquivalent(order());
            PutResult second = leat.with(connection).putUnlessEquivalent(order());
            connection.commit();

            assertThat(first.created()).isTrue();
            assertThat(second).isEqualTo(new PutResult(first.id(), false, TaskState.READY));
            assertThat(live()).isOne();
        }

        @Test
        void anEquivalentTaskThatWasRolledBackIsNotInTheWay() throws SQLException {
            leat.with(connection).putUnlessEquivalent(order());
            connection.rollback();

            assertThat(leat.putUnlessEquivalent(order()).created()).isTrue();
        }

        static NewTask order() {
            return NewTask.to(Q).payload("order").externalKey("order 7").build();
        }
    }

    @Nested
    class OnSqlite extends Contract {
        @TempDir
        Path folder;

        @Override
        protected TestDatabase newDatabase() {
            return TestDatabase.sqlite(folder);
        }
    }

    /** Servers, where others can write while the caller's transaction is open. */
    public abstract static class OnServer extends Contract {
        /** Counts those who wait for a lock. */
        protected abstract String lockWaits();

        @Test
        void aTaskThatIsCommittedAfterTenantsGotALimitIsFound() throws SQLException { // N16
            long id =
                    leat.with(connection).put(NewTask.to(Q).tenant("a").build()).id();
            leat.queue(Q).declare(QueueOptions.builder().tenantLimit(1).build());
            connection.commit();

            assertThat(leat.take(TakeRequest.from(Q).count(9)))
                    .extracting(TakenTask::id)
                    .containsExactly(id);
        }

        @Test
        void anAddressThatAnotherTransactionHasPutIsInDoubtUntilItEnds() throws Exception {
            Accounts.open(connection, "ada");
            try (Connection other = database.connect()) {
                other.setAutoCommit(false);
                leat.with(other).put(NewTask.to(Q).address("doc").build());

                assertThatExceptionOfType(AddressInDoubtException.class).isThrownBy(() -> leat.with(connection)
                        .put(NewTask.to(Q).address("doc").build()));
                other.commit();
            }
            assertThat(leat.with(connection)
                            .put(NewTask.to(Q).address("doc").build())
                            .created())
                    .isFalse();
            connection.commit();
            assertThat(accounts.names()).containsExactly("ada");
        }

        @Test
        void anEquivalentTaskOfAnotherTransactionIsInDoubtUntilItEnds() throws Exception {
            Accounts.open(connection, "ada");
            long first;
            try (Connection other = database.connect()) {
                other.setAutoCommit(false);
                first = leat.with(other).putUnlessEquivalent(order()).id();

                assertThatExceptionOfType(EquivalentInDoubtException.class)
                        .isThrownBy(() -> leat.with(connection).putUnlessEquivalent(order()));
                other.commit();
            }
            connection.commit();

            assertThat(leat.with(connection).putUnlessEquivalent(order()))
                    .isEqualTo(new PutResult(first, false, TaskState.READY));
            assertThat(accounts.names()).containsExactly("ada");
        }

        @Test
        void whoPutsUnlessThereIsAnEquivalentWaitsForTheCommitOfAnother() throws Exception {
            PutResult first = leat.with(connection).putUnlessEquivalent(order());

            CompletableFuture<PutResult> second =
                    CompletableFuture.supplyAsync(() -> leat.putUnlessEquivalent(order()));
            Awaitility.await().until(() -> database.number(lockWaits()) > 0);
            connection.commit();

            assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(new PutResult(first.id(), false, TaskState.READY));
        }

        /** What keeps others from putting the same is purged in the end, but not while somebody has it. */
        @Test
        void whoPutsUnlessThereIsAnEquivalentDoesNotHoldUpThePurge() throws SQLException {
            leat.delete(leat.putUnlessEquivalent(order()).id());
            database.execute("UPDATE leat_idempotency SET known_until = 1");
            leat.with(connection).putUnlessEquivalent(order());

            assertThat(CompletableFuture.supplyAsync(leat::housekeep)).succeedsWithin(Duration.ofSeconds(20));
        }

        /** Makes the caller's next transaction see what was there at its beginning. */
        protected void readRepeatably() throws SQLException {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        }

        /** What it sees is older than the other task, so that it must not believe that there is none. */
        @Test
        void atRepeatableReadAnEquivalentTaskThatCannotBeSeenIsAnError() throws SQLException {
            readRepeatably();
            Sql.texts(connection, "SELECT name FROM account");
            leat.putUnlessEquivalent(order());

            assertThatExceptionOfType(LeatException.class)
                    .isThrownBy(() -> leat.with(connection).putUnlessEquivalent(order()));
            connection.rollback();

            assertThat(leat.with(connection).putUnlessEquivalent(order()).created())
                    .isFalse();
            assertThat(live()).isOne();
        }

        @Test
        void atRepeatableReadOtherTasksAreNotInTheWay() throws SQLException {
            readRepeatably();
            Sql.texts(connection, "SELECT name FROM account");
            leat.putUnlessEquivalent(order().toBuilder().externalKey("order 8").build());

            assertThat(leat.with(connection).putUnlessEquivalent(order()).created())
                    .isTrue();
            connection.commit();

            assertThat(live()).isEqualTo(2);
        }

        @Test
        void aLongTransactionHoldsNobodyUp() throws Exception {
            leat.with(connection).put(Q, "late");

            CompletableFuture<Long> others = CompletableFuture.supplyAsync(() -> {
                leat.put(Q, "early");
                return leat.take(Q).orElseThrow().id();
            });

            assertThat(others.get(20, TimeUnit.SECONDS)).isPositive();
            connection.commit();
            assertThat(leat.take(TakeRequest.from(Q), Duration.ofSeconds(20)))
                    .singleElement()
                    .satisfies(task -> assertThat(leat.decode(task.task().payload(), String.class))
                            .isEqualTo("late"));
        }
    }

    @Nested
    class OnPostgres extends OnServer {
        @Override
        protected TestDatabase newDatabase() {
            return TestDatabase.postgres();
        }

        @Override
        protected String lockWaits() {
            return LOCK_WAITS_ON_POSTGRES;
        }
    }

    @Nested
    @Tag("engine")
    class OnMariaDb extends OnServer {
        @Override
        protected TestDatabase newDatabase() {
            return TestDatabase.mariaDb();
        }

        @Override
        protected String lockWaits() {
            return "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
        }
    }
}
