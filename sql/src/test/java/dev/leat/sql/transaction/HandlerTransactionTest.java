package dev.leat.sql.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.Attempt;
import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Sweep;
import dev.leat.worker.Worker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The effects of a handler and its settle are one transaction, and Leat ends it. Covers N28, N59, rule 14. */
public class HandlerTransactionTest {
    abstract static class Contract extends AccountHandlerTest {
        @Test
        void effectsAndAckAreSeenTogetherAndNotBefore() throws Exception { // N28, N59
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            start((name, task, connection) -> {
                Accounts.open(connection, name);
                inside.countDown();
                await(mayEnd);
            });
            long id = leat.put(Q, "ada");
            await(inside);

            assertThat(accounts.names()).isEmpty();
            assertThat(task(id).state()).isEqualTo(TaskState.TAKEN);
            mayEnd.countDown();

            awaitState(id, TaskState.DONE);
            assertThat(accounts.names()).containsExactly("ada");
        }

        @Test
        void anExceptionRollsBackAndIsRecordedAsAFailedAttempt() throws Exception { // N28
            Worker worker = start((name, task, connection) -> {
                Accounts.open(connection, name);
                task.ack("never mind");
                throw new IllegalStateException("no more accounts");
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts.names()).isEmpty();
            assertThat(leat.attempts(id)).singleElement().satisfies(attempt -> {
                assertThat(attempt.outcome()).isEqualTo(Attempt.Outcome.FAILED);
                assertThat(attempt.message()).contains("no more accounts");
            });
            assertThat(worker.stats().queues().get(Q).errors()).isEqualTo(1);
        }

        @Test
        void anOutcomeThatTheHandlerChoosesIsCommittedWithItsEffects() throws Exception {
            BlockingQueue<SettleResult.Status> answers = new LinkedBlockingQueue<>();
            start((name, task, connection) -> {
                answers.add(task.bury("ask " + name).status());
                answers.add(task.ack().status());
                Accounts.open(connection, name);
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts.names()).containsExactly("ada");
            assertThat(task(id).message()).hasValue("ask ada");
            assertThat(answers).containsExactly(SettleResult.Status.PENDING, SettleResult.Status.GONE);
        }

        @Test
        void tasksPutOnTheConnectionAreCommittedWithIt() {
            start((name, task, connection) -> {
                task.leat().with(connection).put("mails", "welcome " + name);
                if (name.equals("nobody")) {
                    throw new IllegalStateException("unknown");
                }
            });
            leat.queue("mails").create(QueueOptions.standard());
            awaitState(leat.put(Q, "nobody"), TaskState.BURIED);
            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(leat.take("mails").orElseThrow().payload().text()).isEqualTo("welcome ada");
            assertThat(leat.take("mails")).isEmpty();
        }

        @Test
        void aHandlerThatNeverTouchesTheConnectionIsAckedTheSame() {
            BlockingQueue<TaskEvent.Kind> heard = new LinkedBlockingQueue<>();
            leat.onTaskChange(event -> heard.add(event.kind()));
            start((name, task, connection) -> {});

            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            await(() -> heard.contains(TaskEvent.Kind.ACK));
        }

        @Test
        void handlersAreChosenByTypeAndReadTheirPayloadAsTheySay() throws Exception {
            leat.worker()
                    .handleInTransaction(
                            Q,
                            "bytes",
                            byte[].class,
                            (name, task, connection) -> Accounts.open(connection, name.length + " bytes"))
                    .handle(Q, String.class, (name, task) -> {})
                    .start();
            awaitState(leat.put(Q, "plain"), TaskState.DONE);
            awaitState(leat.put(Q, "ada", task -> task.type("bytes")), TaskState.DONE);

            assertThat(accounts.names()).containsExactly("3 bytes");
        }

        @Test
        void theLastTaskOfAGroupEndsIt() {
            start((name, task, connection) -> Accounts.open(connection, name));
            Group group = leat.createGroup(GroupSpec.named("accounts"));
            leat.put(NewTask.to(Q).payload("ada").group(group.id()).build());
            group.start();

            Awaitility.await()
                    .atMost(Duration.ofSeconds(8)) // a sweep would find it after ten
                    .until(() -> group.info().state() == GroupInfo.State.COMPLETED);
        }

        @Test
        void onlyLeatEndsTheTransaction() throws Exception {
            BlockingQueue<Throwable> refusals = new LinkedBlockingQueue<>();
            AtomicReference<Connection> kept = new AtomicReference<>();
            start((name, task, connection) -> {
                kept.set(connection);
                Accounts.open(connection, name);
                refusals.add(catchThrowable(connection::commit));
                refusals.add(catchThrowable(connection::rollback));
                refusals.add(catchThrowable(connection::close));
                refusals.add(catchThrowable(() -> connection.setAutoCommit(true)));
                refusals.add(
                        catchThrowable(() -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)));
                Savepoint before = connection.setSavepoint();
                Accounts.open(connection, "bob");
                connection.rollback(before);
            });
            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(refusals).hasSize(5).hasOnlyElementsOfType(SQLException.class);
            assertThat(accounts.names()).containsExactly("ada");
            assertThat(catchThrowable(() -> Accounts.open(kept.get(), "late")))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("over");
        }

        @Test
        void aTransactionThatWasEndedOnTheWayIsNotAcked() throws Exception {
            start((name, task, connection) -> {
                Accounts.open(connection, name);
                Sql.execute(connection, "ROLLBACK");
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts.names()).isEmpty();
            assertThat(task(id).message().orElseThrow()).contains("before the handler returned");
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

        @Test
        void handlersThatWriteComeOneAfterTheOther() throws Exception {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        Accounts.open(connection, name);
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        Thread.yield();
                        inside.decrementAndGet();
                    })
                    .concurrency(4)
                    .start();
            for (int i = 0; i < 20; i++) {
                leat.put(Q, "ada" + i);
            }

            await(() -> leat.queue(Q).stats().live() == 0);

            assertThat(accounts.names()).hasSize(20);
            assertThat(most).hasValue(1);
        }

        @Test
        void aCallThatWouldWaitForTheHandlersOwnTransactionIsRefused() {
            BlockingQueue<Throwable> refusals = new LinkedBlockingQueue<>();
            start((name, task, connection) -> {
                Accounts.open(connection, name);
                assertThat(task.leat().peek(task.id())).isPresent();
                refusals.add(catchThrowable(() -> task.leat().put(Q, "bob")));
            });
            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(refusals).singleElement().satisfies(refusal -> assertThat(refusal)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("with(connection)"));
        }
    }

    /** Servers, where others can write meanwhile. */
    public abstract static class OnServer extends Contract {
        /** A settle that saw the tables as they were when the handler began would leave the next task behind for ever. */
        @Test
        void theNextTaskOfTheKeyIsSeenEvenIfItCameAfterTheTransactionBegan() throws Exception {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        Sql.execute(connection, "SELECT count(*) FROM account");
                        if (name.equals("ada")) {
                            inside.countDown();
                            await(mayEnd);
                        }
                    })
                    .start();
            leat.put(Q, "ada", task -> task.key("k"));
            await(inside);
            long second = leat.put(Q, "bob", task -> task.key("k"));
            assertThat(leat.take(Q)).isEmpty(); // and parks it behind the key
            assertThat(task(second).state()).isEqualTo(TaskState.WAITING);
            mayEnd.countDown();

            awaitState(second, TaskState.DONE);
        }

        /** At REPEATABLE READ it would not. */
        @Test
        void aHandlerSeesWhatOthersCommitMeanwhile() {
            BlockingQueue<Long> seen = new LinkedBlockingQueue<>();
            start((name, task, connection) -> {
                seen.add(Sql.number(connection, "SELECT count(*) FROM account"));
                try (Connection other = database.connect()) {
                    Accounts.open(other, name);
                }
                seen.add(Sql.number(connection, "SELECT count(*) FROM account"));
            });

            awaitState(leat.put(Q, "ada"), TaskState.DONE);

            assertThat(seen).containsExactly(0L, 1L);
        }

        @Test
        void aSweepPassesByATaskThatIsJustBeingCommitted() throws Exception {
            leat.queue("timed")
                    .create(QueueOptions.builder().ttr(Duration.ofMillis(500)).build());
            long id = leat.put("timed", "ada");
            try (Connection settling = database.connect()) {
                settling.setAutoCommit(false);
                TakenTask taken = leat.take("timed").orElseThrow();
                Sql.execute(settling, "SELECT id FROM leat_task WHERE id = " + id + " FOR UPDATE");
                await(() -> leat.storage().now().isAfter(taken.leaseUntil().orElseThrow()));

                CompletableFuture<Sweep.Result> sweep =
                        CompletableFuture.supplyAsync(() -> leat.storage().sweep(Sweep.everything()));

                assertThat(sweep.get(LONG.toSeconds(), TimeUnit.SECONDS).nextIn())
                        .isPresent();
                settling.commit();
            }
            await(() -> task(id).losses() == 1);
        }

        @Test
        void handlersWorkSideBySide() throws Exception {
            CyclicBarrier both = new CyclicBarrier(2);
            AtomicInteger runs = new AtomicInteger();
            leat.worker()
                    .handleInTransaction(Q, String.class, (name, task, connection) -> {
                        Accounts.open(connection, name);
                        if (runs.incrementAndGet() <= 2) {
                            both.await(LONG.toSeconds(), TimeUnit.SECONDS);
                        }
                    })
                    .concurrency(2)
                    .start();
            List<Long> ids = List.of(leat.put(Q, "ada"), leat.put(Q, "bob"));

            ids.forEach(id -> awaitState(id, TaskState.DONE));

            assertThat(accounts.names()).containsExactly("ada", "bob");
        }

        @Test
        void otherCallsAreNotPartOfTheTransaction() throws Exception {
            start((name, task, connection) -> {
                Accounts.open(connection, name);
                task.leat().put("log", name);
                throw new IllegalStateException("undo");
            });
            leat.queue("log").create(QueueOptions.standard());
            awaitState(leat.put(Q, "ada"), TaskState.BURIED);

            assertThat(accounts.names()).isEmpty();
            assertThat(leat.take("log")).isPresent();
        }
    }

    @Nested
    class OnPostgres extends OnServer {
        @Override
        protected TestDatabase newDatabase() {
            return TestDatabase.postgres();
        }

        /** PostgreSQL would turn the commit into a rollback without a word. */
        @Test
        void anErrorThatTheHandlerKeepsToItselfIsNotAcked() throws Exception {
            start((name, task, connection) -> {
                Accounts.open(connection, name);
                assertThat(catchThrowable(() -> Accounts.open(connection, name)))
                        .isInstanceOf(SQLException.class);
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts.names()).isEmpty();
        }

        @Test
        void theHandlersStatementsArePlannedAsUsual() {
            BlockingQueue<String> settings = new LinkedBlockingQueue<>();
            start((name, task, connection) -> settings.add(Sql.text(connection, "SHOW enable_seqscan")));
            awaitState(leat.put(Q, "first"), TaskState.DONE);
            awaitState(leat.put(Q, "on the same connection"), TaskState.DONE);

            assertThat(settings).containsExactly("on", "on");
        }
    }

    @Nested
    @Tag("engine")
    class OnMariaDb extends OnServer {
        /** Servers begin at this level unless they are told otherwise, as that of the tests is. */
        @Override
        protected TestDatabase newDatabase() {
            return TestDatabase.mariaDb().with("transactionIsolation=REPEATABLE-READ");
        }

        /** MariaDB commits before it changes tables. */
        @Test
        void aChangeOfTablesIsNotAckedAsIfItWereOneTransaction() throws Exception {
            start((name, task, connection) -> {
                Accounts.open(connection, name);
                Sql.execute(connection, "CREATE TABLE another (name VARCHAR(20))");
                Accounts.open(connection, "bob");
            });
            long id = leat.put(Q, "ada");
            awaitState(id, TaskState.BURIED);

            assertThat(accounts.names()).containsExactly("ada");
            assertThat(task(id).message().orElseThrow()).contains("before the handler returned");
        }
    }
}
