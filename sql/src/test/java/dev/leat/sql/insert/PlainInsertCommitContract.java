package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The commit of a plain INSERT counts, and wakes who waits. Covers N6, rule 32. */
abstract class PlainInsertCommitContract extends PlainInsertTest {
    @Test
    void nothingCountsBeforeTheCommit() throws SQLException {
        connection.setAutoCommit(false);
        insert("text", "x");
        assertThat(live()).isZero();

        connection.commit();

        assertThat(live()).isEqualTo(1);
    }

    @Test
    void aRollbackLeavesNothing() throws SQLException {
        connection.setAutoCommit(false);
        insert("text", "x");

        connection.rollback();

        assertThat(live()).isZero();
    }

    @Test
    void puttersOfBothKindsShareATransaction() throws SQLException {
        connection.setAutoCommit(false);
        long first = insert();
        long second = leat.with(connection).put(q, "put");
        long third = insert();
        connection.commit();

        assertThat(takeIds(9)).containsExactly(first, second, third);
    }

    @Test
    void aWaitingTakeIsWokenWithinAPollInterval() throws Exception { // N6
        CompletableFuture<List<TakenTask>> waiting =
                leat.takeAsync(List.of(TakeRequest.from(q)), Duration.ofMinutes(1));

        long id = insert("text", "wake up");

        assertThat(waiting.get(10, TimeUnit.SECONDS)).extracting(TakenTask::id).containsExactly(id);
    }

    @Test
    void sleepersHearOfWorkAndOfTimers() throws SQLException { // N6
        try (Storage there = inserter().database.open()) {
            there.sessions().heartbeat(there.sessions().open(SessionSpec.named("there")), Map.of(q, 1));
            Collection<Notice> heard = new ConcurrentLinkedQueue<>();
            try (Registration listening = there.signal().listen(heard::add)) {
                heard.clear();
                insert("due", micros(there.now().plusSeconds(60)));
                awaitNotice(heard, Notice.TimerMoved.INSTANCE);
                insert();
                awaitNotice(heard, new Notice.Ready(q));
            }
        }
    }

    private void awaitNotice(Collection<Notice> heard, Notice notice) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(2))
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(() -> assertThat(heard).contains(notice));
    }
}
