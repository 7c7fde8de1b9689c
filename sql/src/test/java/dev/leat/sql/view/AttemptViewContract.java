package dev.leat.sql.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Thrown;
import dev.leat.queue.Retention;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the views show of attempts and failures. Covers N15, N18 to N20, N58. */
abstract class AttemptViewContract extends ViewTest {
    // Attempts

    @Test
    void everyAttemptIsARowThatKnowsTheOneBefore() throws SQLException { // N18, N58
        create(retrying(10).retention(Retention.standard().donePayload(Retention.DonePayload.KEEP)));
        Instant put = clock.instant();
        long id = put(task().payload("hello").delay(MINUTE).type("email").externalKey("order 9"));
        clock.advance(MINUTE.plusSeconds(1));
        fail("first");
        clock.advance(MINUTE.plusSeconds(2));
        fail("second");
        clock.advance(MINUTE.plusSeconds(3));
        settle(new Settle.Ack(take().lease(), "third", Optional.empty()));

        List<Map<String, Object>> attempts = attempts(id);

        Instant firstDue = put.plus(MINUTE);
        Instant secondDue = firstDue.plusSeconds(1).plus(MINUTE);
        Instant thirdDue = secondDue.plusSeconds(2).plus(MINUTE);
        assertThat(attempts).hasSize(3);
        assertThat(attempts.get(0))
                .contains(
                        entry("attempt", "1"),
                        entry("queue", queue),
                        entry("status", "FAILED"),
                        entry("put_at", put),
                        entry("due_at", firstDue),
                        entry("started_at", firstDue.plusSeconds(1)),
                        entry("ended_at", firstDue.plusSeconds(1)),
                        entry("next_due_at", secondDue),
                        entry("message", "first"),
                        entry("requeued", true),
                        entry("exhausted", false),
                        entry("previous_status", null),
                        entry("type", "email"),
                        entry("external_key", "order 9"),
                        entry("payload_text", "hello"));
        assertThat(attempts.get(1))
                .contains(
                        entry("attempt", "2"),
                        entry("due_at", secondDue),
                        entry("next_due_at", thirdDue),
                        entry("previous_status", "FAILED"),
                        entry("previous_due_at", firstDue),
                        entry("previous_message", "first"),
                        entry("payload_text", null));
        assertThat(attempts.get(2))
                .contains(
                        entry("attempt", "3"),
                        entry("status", "DONE"),
                        entry("put_at", put),
                        entry("due_at", thirdDue),
                        entry("ended_at", clock.instant()),
                        entry("next_due_at", null),
                        entry("message", "third"),
                        entry("requeued", false),
                        entry("exhausted", false),
                        entry("previous_due_at", secondDue),
                        entry("previous_message", "second"),
                        entry("payload_text", null));
    }

    @Test
    void theAttemptThatIsToComeAndTheOneThatRunsAreRowsToo() throws SQLException {
        create(retrying(10));
        long id = put(task().payload("hello").delay(MINUTE));
        assertThat(attempts(id)).hasSize(1);
        assertThat(attempts(id).get(0))
                .contains(
                        entry("attempt", "1"),
                        entry("status", "SCHEDULED"),
                        entry("started_at", null),
                        entry("message", null),
                        entry("payload_text", "hello"));

        clock.advance(MINUTE);
        TakenTask taken = take();
        assertThat(attempts(id)).hasSize(1);
        assertThat(attempts(id).get(0))
                .contains(
                        entry("attempt", "1"),
                        entry("status", "TAKEN"),
                        entry("started_at", clock.instant()),
                        entry("ended_at", null),
                        entry("payload_text", "hello"));

        settle(Settle.giveBack(taken.lease()));
        assertThat(statuses(id)).containsExactly("READY");

        settle(Settle.release(take().lease()));
        assertThat(statuses(id)).containsExactly("RELEASED", "READY");

        fail("boom");
        assertThat(statuses(id)).containsExactly("RELEASED", "FAILED", "SCHEDULED");
        assertThat(attempts(id).get(2)).contains(entry("message", null), entry("previous_message", "boom"));
    }

    @Test
    void anExceptionIsShownWithItsStackTrace() throws SQLException {
        create(retrying(10));
        long id = put(task());
        Throwable failure = new IllegalStateException("boom");
        settle(Settle.fail(take().lease(), failure));

        assertThat(attempts(id).get(0))
                .contains(
                        entry("message", "java.lang.IllegalStateException: boom"),
                        entry("exception", "java.lang.IllegalStateException"),
                        entry("stack_trace", Thrown.of(failure).stackTrace()));
        assertThat(attempts(id).get(1)).contains(entry("exception", null), entry("stack_trace", null));
    }

    @Test
    void aLostAttemptSaysWhoHadIt() throws SQLException {
        create(retrying(10));
        long id = put(task());
        String session = storage.sessions().open(SessionSpec.named("worker"));
        storage.take(TakeRequest.from(queue).session(session));

        storage.sessions().close(session);

        assertThat(statuses(id)).containsExactly("LOST", "READY");
        assertThat(attempts(id).get(0)).contains(entry("session", session), entry("requeued", true));
    }

    @Test
    void aTaskThatIsGivenUpHasNoRowAfterItsLastAttemptUntilItIsKicked() throws SQLException {
        create(retrying(2));
        long id = put(task());
        fail("first");
        clock.advance(MINUTE);
        fail("second");

        assertThat(task(id)).contains(entry("state", "BURIED"), entry("message", "second"), entry("failures", "2"));
        assertThat(statuses(id)).containsExactly("FAILED", "FAILED");
        assertThat(attempts(id).get(0)).contains(entry("exhausted", false));
        assertThat(attempts(id).get(1))
                .contains(entry("exhausted", true), entry("requeued", false), entry("next_due_at", null));

        storage.kick(id);
        assertThat(statuses(id)).containsExactly("FAILED", "FAILED", "READY");
    }

    @Test
    void aTaskThatEndsWithoutBeingRunHasARowForTheAttemptThatNeverWas() throws SQLException {
        create(retrying(10));
        long buried = put(task());
        storage.bury(buried, "look at it");
        long canceled = put(task());
        fail("boom");
        storage.cancel(canceled, "not needed");
        long deleted = put(task());
        take();
        storage.delete(deleted);

        assertThat(statuses(buried)).containsExactly("BURIED");
        assertThat(attempts(buried).get(0))
                .contains(entry("started_at", null), entry("message", "look at it"), entry("exhausted", false));
        assertThat(statuses(canceled)).containsExactly("FAILED", "CANCELED");
        assertThat(attempts(canceled).get(1)).contains(entry("attempt", "2"), entry("message", "not needed"));
        assertThat(statuses(deleted)).containsExactly("LOST");
    }

    @Test
    void aRunThatIsCanceledIsTheLastAttempt() throws SQLException {
        create(retrying(10));
        long id = put(task());
        fail("boom");
        clock.advance(MINUTE);
        TakenTask taken = take();
        storage.cancel(id, "not needed");
        settle(Settle.ack(taken.lease()));

        assertThat(statuses(id)).containsExactly("FAILED", "CANCELED");
        assertThat(attempts(id).get(1)).contains(entry("attempt", "2"), entry("previous_message", "boom"));
    }

    // Failures

    @Test
    void failuresArePutTogetherByWhatWasSaid() throws SQLException {
        create(retrying(10));
        Instant start = clock.instant();
        put(task());
        put(task());
        fail("no route");
        fail("no route");
        clock.advance(MINUTE);
        fail("no route");
        settle(Settle.bury(take().lease(), "bad address"));
        settle(Settle.release(takeNew().lease()));

        List<Map<String, Object>> failures =
                rows("SELECT * FROM leat_failures WHERE queue = '" + queue + "' ORDER BY attempts DESC");

        assertThat(failures).hasSize(2);
        assertThat(failures.get(0))
                .contains(
                        entry("outcome", "FAILED"),
                        entry("message", "no route"),
                        entry("attempts", "3"),
                        entry("tasks", "2"),
                        entry("first_at", start),
                        entry("last_at", start.plus(MINUTE)));
        assertThat(failures.get(1)).contains(entry("outcome", "BURIED"), entry("message", "bad address"));
        assertThat(rows("SELECT id FROM leat_tasks WHERE queue = '" + queue + "' AND id = "
                        + failures.get(0).get("example_task_id")))
                .hasSize(1);
    }

    private TakenTask takeNew() {
        put(task().priority(-1));
        return take();
    }
}
