package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Other transactions are in the way: Leat's own are tried again, and nothing is lost or done twice. */
abstract class ConflictContract {
    static final String Q = "q";

    TestDatabase database;
    Storage storage;

    abstract TestDatabase newDatabase();

    /** Makes the database refuse the next two changes of a kind ({@code INSERT}, {@code UPDATE}, {@code DELETE}) of tasks. */
    abstract void refuseTwice(String change) throws SQLException;

    /** How often it has refused. */
    abstract int refusals() throws SQLException;

    /** Makes it likely that the database ends Leat's transaction, and not this one, when both are in a deadlock. */
    abstract void preferToLive(Statement other) throws SQLException;

    /** Whether a transaction of Leat waits for a lock. */
    abstract boolean isAnybodyWaiting() throws SQLException;

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

    private long put(NewTask.Builder task) {
        return storage.put(List.of(task.build())).get(0).id();
    }

    @Test
    void aPutIsTriedAgain() throws SQLException {
        refuseTwice("INSERT");

        put(NewTask.to(Q));
        assertThat(refusals()).isEqualTo(2);

        put(NewTask.to(Q).key("k").idempotencyKey("i"));
        assertThat(storage.queues().stats(Q).live()).isEqualTo(2);
    }

    @Test
    void aTakeIsTriedAgain() throws SQLException {
        long id = put(NewTask.to(Q));
        refuseTwice("UPDATE");

        TakenTask taken = storage.take(TakeRequest.from(Q)).get(0);

        assertThat(refusals()).isEqualTo(2);
        assertThat(taken.id()).isEqualTo(id);
        assertThat(taken.task().attempts()).isEqualTo(1);
    }

    @Test
    void aSettleIsTriedAgain() throws SQLException {
        long id = put(NewTask.to(Q));
        TakenTask taken = storage.take(TakeRequest.from(Q)).get(0);
        refuseTwice("DELETE");

        assertThat(storage.settle(List.of(Settle.ack(taken.lease()))).get(0).status())
                .isEqualTo(SettleResult.Status.DONE);

        assertThat(refusals()).isEqualTo(2);
        assertThat(storage.outcome(id)).isPresent();
    }

    /** A transaction of somebody's own waits for a row that Leat has locked, and Leat for one of his. */
    @Test
    void aDeadlockCostsNothingButTime() throws Exception {
        long first = put(NewTask.to(Q).key("a"));
        long second = put(NewTask.to(Q).key("b"));
        List<Settle> settles = storage.take(TakeRequest.from(Q).count(2)).stream()
                .<Settle>map(taken -> Settle.ack(taken.lease()))
                .toList();
        try (Connection connection = database.connect();
                Statement other = connection.createStatement()) {
            connection.setAutoCommit(false);
            preferToLive(other);
            other.execute("UPDATE leat_task SET priority = 7 WHERE id = " + second);
            CompletableFuture<List<SettleResult>> settled =
                    CompletableFuture.supplyAsync(() -> storage.settle(settles));
            await().until(this::isAnybodyWaiting);

            other.execute("UPDATE leat_task SET priority = 7 WHERE id = " + first);
            connection.commit();

            assertThat(settled.get(30, TimeUnit.SECONDS))
                    .extracting(SettleResult::status)
                    .containsOnly(SettleResult.Status.DONE);
            assertThat(storage.queues().stats(Q).live()).isZero();
            assertThat(storage.peek(first).orElseThrow().priority()).isEqualTo(7);
        }
    }
}
