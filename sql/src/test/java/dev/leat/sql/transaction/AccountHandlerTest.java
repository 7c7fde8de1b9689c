package dev.leat.sql.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.sql.TestDatabase;
import dev.leat.worker.TransactionalHandler;
import dev.leat.worker.Worker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of handlers in a transaction share: accounts for them to open, and short words for the common steps. */
abstract class AccountHandlerTest {
    static final String Q = "q";
    static final Duration LONG = Duration.ofSeconds(30);

    TestDatabase database;
    Leat leat;
    Accounts accounts;

    protected abstract TestDatabase newDatabase();

    @BeforeEach
    void openAll() throws SQLException {
        database = newDatabase();
        leat = open(database.leatUrl());
        leat.queue(Q)
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard().maxFailures(1))
                        .build());
        accounts = Accounts.createIn(database);
    }

    @AfterEach
    void closeAll() throws SQLException {
        leat.close();
        accounts.drop();
    }

    /** A Leat that misses heartbeats quickly. */
    static Leat open(String url) {
        return Leat.builder(url)
                .heartbeat(Duration.ofMillis(100), Duration.ofSeconds(1))
                .open();
    }

    Worker start(TransactionalHandler<String> handler) {
        return leat.worker().handleInTransaction(Q, String.class, handler).start();
    }

    Task task(long id) {
        return leat.peek(id).orElseThrow();
    }

    void awaitState(long id, TaskState state) {
        await(() -> task(id).state() == state);
    }

    static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
}
