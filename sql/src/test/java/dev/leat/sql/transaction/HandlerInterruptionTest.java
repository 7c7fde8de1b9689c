package dev.leat.sql.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.process.ChildJvm;
import dev.leat.worker.Worker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ends a handler's transaction before its time leaves no effects, and its task runs again. Covers N28, rule 14. */
class HandlerInterruptionTest {

    /** Has effects, says so, and never ends by itself. */
    static final class Victim {
        public static void main(String[] args) throws InterruptedException {
            Leat leat = AccountHandlerTest.open(args[0]);
            leat.worker()
                    .handleInTransaction(AccountHandlerTest.Q, String.class, (name, task, connection) -> {
                        Accounts.open(connection, "victim");
                        System.out.println("in the middle");
                        Thread.currentThread().join();
                    })
                    .start();
            Thread.currentThread().join();
        }
    }

    abstract static class Contract extends AccountHandlerTest {
        @Test
        void aLostLeaseUndoesTheEffects() throws Exception {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch lost = new CountDownLatch(1);
            AtomicInteger runs = new AtomicInteger();
            Worker worker = start((name, task, connection) -> {
                int run = runs.incrementAndGet();
                if (run == 1) {
                    inside.countDown();
                    await(lost);
                }
                Accounts.open(connection, name + run);
            });
            long id = leat.put(Q, "ada");
            await(inside);
            leat.queue(Q).releaseAll();
            lost.countDown();

            awaitState(id, TaskState.DONE);
            assertThat(accounts.names()).containsExactly("ada2");
            assertThat(worker.stats().fenced()).isEqualTo(1);
        }

        @Test
        void aLeaseOverItsTimeLimitUndoesTheEffects() throws Exception {
            AtomicInteger runs = new AtomicInteger();
            leat.queue("timed")
                    .create(QueueOptions.builder().ttr(Duration.ofMillis(300)).build());
            leat.worker()
                    .handleInTransaction("timed", String.class, (name, task, connection) -> {
                        int run = runs.incrementAndGet();
                        Accounts.open(connection, name + run);
                        if (run == 1) {
                            untilInterrupted();
                        }
                    })
                    .start();

            awaitState(leat.put("timed", "ada"), TaskState.DONE);

            assertThat(accounts.names()).containsExactly("ada2");
        }

        @Test
        void aStopUndoesWhatDoesNotEndAndGivesItBackUncharged() throws Exception {
            CountDownLatch inside = new CountDownLatch(1);
            Worker worker = start((name, task, connection) -> {
                Accounts.open(connection, name);
                inside.countDown();
                untilInterrupted();
            });
            long id = leat.put(Q, "ada");
            await(inside);

            assertThat(worker.stop(Duration.ofMillis(50)).abandoned()).containsExactly(id);

            awaitState(id, TaskState.READY);
            assertThat(task(id).failures() + task(id).losses()).isZero();
            await(() -> worker.stats().running() == 0);
            assertThat(accounts.names()).isEmpty();
        }

        @Test
        void aKilledProcessLeavesNoEffectsAndItsTaskComesBack() throws Exception { // N28, N59
            long id = leat.put(Q, "ada");
            Process victim = ChildJvm.start(Victim.class, database.leatUrl());
            assertThat(ChildJvm.firstLineOf(victim)).isEqualTo("in the middle");

            victim.destroyForcibly().waitFor();
            start((name, task, connection) -> Accounts.open(connection, name));

            awaitState(id, TaskState.DONE);
            assertThat(accounts.names()).containsExactly("ada");
            assertThat(task(id).losses()).isEqualTo(1);
        }

        private static void untilInterrupted() throws InterruptedException {
            new CountDownLatch(1).await();
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

        /** It keeps everybody from writing, the heartbeats of all processes too. */
        @Test
        void aTransactionThatOutlastsTheSessionsPatienceCostsNobodyHisLeases() throws Exception {
            Leat neighbour = open(database.leatUrl());
            neighbour.put("neighbours", "bob");
            TakenTask taken = neighbour.take("neighbours").orElseThrow();
            AtomicInteger runs = new AtomicInteger();
            Worker worker = start((name, task, connection) -> {
                runs.incrementAndGet();
                Accounts.open(connection, name);
                assertThat(new CountDownLatch(1).await(2_500, TimeUnit.MILLISECONDS))
                        .isFalse();
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.DONE);

            assertThat(runs).hasValue(1);
            assertThat(accounts.names()).containsExactly("ada");
            assertThat(worker.stats().fenced()).isZero();
            Instant ended = leat.storage().now();
            await(() -> oldestHeartbeat().isAfter(ended));
            assertThat(neighbour.ack(taken).status()).isEqualTo(SettleResult.Status.DONE);
            neighbour.close();
        }

        private Instant oldestHeartbeat() throws SQLException {
            return Instant.ofEpochMilli(database.number("SELECT min(heard) / 1000 FROM leat_session"));
        }
    }

    /** Servers, which may end a transaction by themselves. */
    abstract static class OnServer extends Contract {
        @Test
        void aDeadlockIsNotCharged() throws Exception {
            try (Connection connection = database.connect()) {
                Accounts.open(connection, "ada");
                Accounts.open(connection, "bob");
            }
            CyclicBarrier bothHoldOne = new CyclicBarrier(2);
            AtomicInteger runs = new AtomicInteger();
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        Accounts.addOneTo(connection, name);
                        if (runs.incrementAndGet() <= 2) {
                            bothHoldOne.await(LONG.toSeconds(), TimeUnit.SECONDS);
                        }
                        Accounts.addOneTo(connection, name.equals("ada") ? "bob" : "ada");
                    })
                    .concurrency(2)
                    .start();
            List<Long> ids = List.of(leat.put(Q, "ada"), leat.put(Q, "bob"));

            ids.forEach(id -> awaitState(id, TaskState.DONE));

            assertThat(runs.get()).isGreaterThanOrEqualTo(3);
            assertThat(ids).allSatisfy(id -> assertThat(task(id).failures()).isZero());
            assertThat(ids.stream().mapToInt(id -> task(id).releases()).sum()).isEqualTo(runs.get() - 2);
            assertThat(accounts.balances()).containsOnly("2");
        }

        @Test
        void aLostConnectionIsNotCharged() throws Exception {
            AtomicInteger runs = new AtomicInteger();
            start((name, task, connection) -> {
                int run = runs.incrementAndGet();
                Accounts.open(connection, name + run);
                if (run == 1) {
                    kill(connection);
                }
                Accounts.open(connection, "bob" + run);
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.DONE);

            assertThat(accounts.names()).containsExactly("ada2", "bob2");
            assertThat(task(id).failures()).isZero();
        }

        /** Cuts the handler's connection off. */
        private void kill(Connection connection) throws SQLException {
            database.execute(killStatement(Sql.number(connection, backendId())));
        }

        abstract String backendId();

        abstract String killStatement(long backend);
    }

    @Nested
    class OnPostgres extends OnServer {
        @Override
        protected TestDatabase newDatabase() {
            return TestDatabase.postgres();
        }

        @Override
        String backendId() {
            return "SELECT pg_backend_pid()";
        }

        @Override
        String killStatement(long backend) {
            return "SELECT pg_terminate_backend(" + backend + ")";
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
        String backendId() {
            return "SELECT connection_id()";
        }

        @Override
        String killStatement(long backend) {
            return "KILL " + backend;
        }
    }
}
