package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Attempt;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.SettleResult.Status;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.storagetests.ContractTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A delivery ends in one of seven ways, by its holder alone, and once. Covers T15, T17, T19, G5, G6, G8, T.3-1, T.3-10, C2,
 * C3, C19, C23, rule 1, 9.
 */
public abstract class SettleContract extends ContractTest {
    /** Every way to end a delivery. */
    private enum Kind {
        ACK,
        FAIL,
        RETRY,
        RELEASE,
        BURY,
        CANCEL,
        GIVE_BACK;

        Settle with(Lease lease) {
            return switch (this) {
                case ACK -> new Settle.Ack(lease, "fine", Optional.of(Payload.of("42")));
                case FAIL -> new Settle.Fail(lease, "broken", 7);
                case RETRY -> Settle.retry(lease, When.now(), "not yet");
                case RELEASE -> Settle.release(lease);
                case BURY -> Settle.bury(lease, "aside");
                case CANCEL -> Settle.cancel(lease, "not needed");
                case GIVE_BACK -> Settle.giveBack(lease);
            };
        }
    }

    /** The ways after which the task can be taken again at once. */
    private static final List<Kind> COMING_BACK = List.of(Kind.RETRY, Kind.RELEASE, Kind.GIVE_BACK);

    /** All that a settle may change. */
    private record Facts(
            TaskState state,
            List<Integer> counts,
            Instant due,
            Optional<Instant> previousDue,
            Optional<String> message,
            int errorCode,
            Optional<Payload> result,
            List<Attempt> attempts) {}

    private Facts facts(long id) {
        Task task = peek(id);
        return new Facts(
                task.state(),
                counts(id),
                task.due(),
                task.previousDue(),
                task.message(),
                task.errorCode(),
                task.result(),
                storage.attempts(id));
    }

    /** Attempts, failures, losses, releases. */
    private List<Integer> counts(long id) {
        Task task = peek(id);
        return List.of(task.attempts(), task.failures(), task.losses(), task.releases());
    }

    private Status settle(Kind kind, Lease lease) {
        return settle(kind.with(lease)).status();
    }

    private Lease takeNew() {
        put("new");
        return take().lease();
    }

    private void assertGoneForEverybody(Lease lease) {
        Facts before = facts(lease.taskId());
        for (Kind kind : Kind.values()) {
            assertThat(settle(kind.with(lease))).as("%s", kind).isEqualTo(SettleResult.gone());
            assertThat(facts(lease.taskId())).as("%s", kind).isEqualTo(before);
        }
    }

    private void assertFenced(Consumer<Lease> loss) {
        Lease lease = takeNew();
        loss.accept(lease);
        assertGoneForEverybody(lease);
    }

    private Attempt onlyAttempt(long id) {
        List<Attempt> attempts = storage.attempts(id);
        assertThat(attempts).hasSize(1);
        return attempts.get(0);
    }

    // What each one does

    @Test
    void anAcknowledgedTaskIsDoneAndKeepsMessageAndResult() { // T15, G5, N26, R21
        long id = put("a");
        Lease lease = take().lease();
        advance(seconds(3));

        SettleResult result = settle(new Settle.Ack(lease, "sent", Optional.of(Payload.of("42"))));

        assertThat(result).isEqualTo(SettleResult.done(Q, TaskState.DONE));
        Task task = peek(id);
        assertThat(task.state()).isEqualTo(TaskState.DONE);
        assertThat(task.message()).contains("sent");
        assertThat(task.result()).contains(Payload.of("42"));
        assertThat(task.finished()).contains(now());
        assertThat(counts(id)).containsExactly(1, 0, 0, 0);
        assertThat(storage.attempts(id)).isEmpty();
        assertThat(take(9)).isEmpty();
    }

    @Test
    void anAckWipesTheErrorOfEarlierAttempts() {
        long id = put("a");
        settle(new Settle.Fail(take().lease(), "broken", 7));
        advance(seconds(2));

        ack(take().lease());

        assertThat(storage.outcome(id)).contains(new Outcome(id, TaskState.DONE, "", 0, Optional.empty()));
        assertThat(counts(id)).containsExactly(2, 1, 0, 0);
    }

    @Test
    void aFailedTaskIsChargedAndScheduledByTheQueuesPolicy() { // rule 9
        long id = put("a");
        Instant taken = now();
        Lease lease = take().lease();
        advance(seconds(3));

        SettleResult result = settle(new Settle.Fail(lease, "no such host", 503));

        assertThat(result).isEqualTo(SettleResult.done(Q, TaskState.SCHEDULED));
        Task task = peek(id);
        assertThat(task.due()).isAfter(now());
        assertThat(task.message()).contains("no such host");
        assertThat(task.errorCode()).isEqualTo(503);
        assertThat(task.finished()).isEmpty();
        assertThat(counts(id)).containsExactly(1, 1, 0, 0);
        assertThat(onlyAttempt(id))
                .isEqualTo(new Attempt(
                        1,
                        taken,
                        now(),
                        Attempt.Outcome.FAILED,
                        "no such host",
                        Optional.of(session),
                        Optional.of(task.due())));
    }

    @Test
    void aRetriedTaskIsChargedAndDueWhenItsHolderSays() { // G6, rule 9
        long id = put("a");
        Instant at = now().plusSeconds(90);

        SettleResult result = settle(Settle.retry(take().lease(), When.at(at), "come back later"));

        assertThat(result).isEqualTo(SettleResult.done(Q, TaskState.SCHEDULED));
        assertThat(peek(id).due()).isEqualTo(at);
        assertThat(peek(id).message()).contains("come back later");
        assertThat(counts(id)).containsExactly(1, 1, 0, 0);
        assertThat(onlyAttempt(id).outcome()).isEqualTo(Attempt.Outcome.FAILED);
        assertThat(onlyAttempt(id).nextDue()).contains(at);
        advance(seconds(89));
        assertThat(take(1)).isEmpty();
        advance(seconds(1));
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void aRetryInThePastIsReadyAtOnce() { // G6
        long id = put("a");

        SettleResult result = settle(Settle.retry(take().lease(), When.at(now().minusSeconds(3600)), "again"));

        assertThat(result.state()).isEqualTo(TaskState.READY);
        assertThat(peek(id).due()).isEqualTo(now());
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void aTaskThatItsHolderCancelsEndsWithHisReason() {
        long id = put(task("a").key("k")).id();
        long behind = put(task("b").key("k")).id();
        Lease lease = take().lease();
        advance(seconds(3));

        SettleResult result = settle(Settle.cancel(lease, "nobody needs it"));

        assertThat(result).isEqualTo(SettleResult.done(Q, TaskState.CANCELED));
        assertThat(peek(id).message()).contains("nobody needs it");
        assertThat(peek(id).finished()).contains(now());
        assertThat(counts(id)).containsExactly(1, 0, 0, 0);
        assertThat(storage.attempts(id)).isEmpty();
        assertThat(takeIds(2)).containsExactly(behind);
    }

    @Test
    void anOperatorsReasonToCancelGoesBeforeTheHolders() { // rule 11
        long id = put("a");
        Lease lease = take().lease();
        storage.cancel(id, "the operator's");

        assertThat(settle(Settle.cancel(lease, "the holder's")).state()).isEqualTo(TaskState.CANCELED);

        assertThat(peek(id).message()).contains("the operator's");
    }

    @Test
    void aReleasedTaskIsReadyAndNotCharged() { // T17, rule 9
        long id = put("a");
        Instant due = peek(id).due();
        Lease lease = take().lease();
        advance(seconds(3));

        SettleResult result = settle(Settle.release(lease));

        assertThat(result).isEqualTo(SettleResult.done(Q, TaskState.READY));
        assertThat(counts(id)).containsExactly(1, 0, 0, 1);
        assertThat(peek(id).due()).isEqualTo(due);
        assertThat(peek(id).previousDue()).isEmpty();
        assertThat(onlyAttempt(id).outcome()).isEqualTo(Attempt.Outcome.RELEASED);
    }

    @Test
    void aReleaseWithADelayComesBackAfterIt() { // T17
        long id = put("a");
        Instant due = peek(id).due();

        SettleResult result = settle(Settle.release(take().lease(), seconds(30)));

        assertThat(result.state()).isEqualTo(TaskState.SCHEDULED);
        assertThat(peek(id).due()).isEqualTo(now().plusSeconds(30));
        assertThat(peek(id).previousDue()).contains(due);
        assertThat(counts(id)).containsExactly(1, 0, 0, 1);
        advance(seconds(29));
        assertThat(take(1)).isEmpty();
        advance(seconds(1));
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void aTaskBuriedByItsHolderIsPutAsideUncharged() { // T19
        long id = put("a");

        SettleResult result = settle(Settle.bury(take().lease(), "needs a human"));

        assertThat(result).isEqualTo(SettleResult.done(Q, TaskState.BURIED));
        assertThat(peek(id).message()).contains("needs a human");
        assertThat(counts(id)).containsExactly(1, 0, 0, 0);
        assertThat(onlyAttempt(id).outcome()).isEqualTo(Attempt.Outcome.BURIED);
        assertThat(onlyAttempt(id).nextDue()).isEmpty();
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aTaskGivenBackIsAsIfItHadNeverBeenTaken() { // rule 13
        long id = put("a");
        Facts before = facts(id);
        Lease lease = take().lease();
        advance(seconds(3));

        SettleResult result = settle(Settle.giveBack(lease));

        assertThat(result).isEqualTo(SettleResult.done(Q, TaskState.READY));
        assertThat(facts(id)).isEqualTo(before);
        assertThat(take().task().attempts()).isEqualTo(1);
    }

    @Test
    void aTaskGivenBackWithADelayComesAfterItAndIsNotCharged() {
        long id = put("a");
        advance(seconds(3600));
        Instant givenBack = now();
        Settle giveBack = Settle.giveBack(take().lease(), seconds(30));

        assertThat(settle(giveBack)).isEqualTo(SettleResult.done(Q, TaskState.SCHEDULED));

        assertThat(settle(giveBack).status()).isEqualTo(Status.ALREADY);
        assertThat(peek(id).due()).isEqualTo(now().plusSeconds(30));
        assertThat(peek(id).previousDue()).contains(givenBack);
        assertThat(counts(id)).containsExactly(0, 0, 0, 0);
        assertThat(storage.attempts(id)).isEmpty();
        advance(seconds(29));
        assertThat(take(1)).isEmpty();
        advance(seconds(1));
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void givingATaskBackDoesNotProlongItsLife() {
        long id = put(task().ttl(seconds(20))).id();
        settle(Settle.giveBack(take().lease(), seconds(15)));
        advance(seconds(15));
        settle(Settle.giveBack(take().lease(), seconds(15)));

        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
        advance(seconds(15));

        assertThat(take(1)).isEmpty();
        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aTaskGivenBackWithADelayHasTheTimeItIsDueThenForItsPlaceAndItsRetries() {
        QueueOptions options = QueueOptions.builder()
                .placeBy(QueueOptions.PlaceBy.DUE_TIME)
                .retry(RetryPolicy.standard()
                        .backoff(Backoff.fixed(seconds(300)))
                        .anchor(RetryPolicy.Anchor.DUE))
                .build();
        storage.queues().declare(Q, options, QueueInfo.SetBy.CODE);
        long left = put("a");
        settle(Settle.giveBack(take().lease(), seconds(30)));
        Instant due = now().plusSeconds(30);
        long before = put(task().delay(seconds(29))).id();
        long after = put(task().delay(seconds(31))).id();
        advance(seconds(40));

        assertThat(takeIds(1)).containsExactly(before);
        settle(Settle.fail(take().lease(), "broken"));

        assertThat(peek(left).due()).isEqualTo(due.plusSeconds(300));
        assertThat(peek(left).previousDue()).contains(due);
        assertThat(takeIds(9)).containsExactly(after);
    }

    @Test
    void everyDeliveryIsCountedAndEveryUnsuccessfulAttemptIsRecorded() {
        long id = put("a");
        settle(Kind.RELEASE, take().lease());
        settle(Kind.RETRY, take().lease());
        settle(Kind.GIVE_BACK, take().lease());
        take(TakeRequest.from(Q).ttr(seconds(5)));
        advance(seconds(5));
        settle(Kind.BURY, take().lease());

        assertThat(counts(id)).containsExactly(4, 1, 1, 1);
        assertThat(storage.attempts(id)).extracting(Attempt::number).containsExactly(1, 2, 3, 4);
        assertThat(storage.attempts(id))
                .extracting(Attempt::outcome)
                .containsExactly(
                        Attempt.Outcome.RELEASED, Attempt.Outcome.FAILED, Attempt.Outcome.LOST, Attempt.Outcome.BURIED);
    }

    // Place

    @Test
    void aTaskThatComesBackHasItsOwnPlace() { // T.3-1, C2, rule 1
        for (Kind kind : COMING_BACK) {
            long first = put("first");
            Lease lease = take().lease();
            long second = put("second");

            settle(kind, lease);

            List<TakenTask> taken = take(2);
            assertThat(taken).as("%s", kind).extracting(TakenTask::id).containsExactly(first, second);
            taken.forEach(t -> ack(t.lease()));
        }
    }

    @Test
    void aTaskThatComesBackAfterADelayHasItsOwnPlaceToo() { // rule 1
        List<Long> ids = List.of(put("a"), put("b"), put("c"), put("d"));
        List<TakenTask> taken = take(3);

        settle(Settle.release(taken.get(2).lease(), seconds(10)));
        settle(Settle.retry(taken.get(1).lease(), When.in(seconds(20)), "later"));
        settle(Settle.release(taken.get(0).lease(), seconds(30)));
        advance(seconds(30));

        assertThat(takeIds(4)).isEqualTo(ids);
    }

    // Due times

    @Test
    void dueTimesShiftWhenATaskIsRetriedAndNotWhenItIsTaken() { // G8, C3
        long id = put(task().delay(seconds(10))).id();
        Instant first = now().plusSeconds(10);
        assertThat(peek(id).due()).isEqualTo(first);
        advance(seconds(15));

        TakenTask taken = take();
        assertThat(taken.task().due()).isEqualTo(first);
        assertThat(taken.task().previousDue()).isEmpty();

        Instant second = now().plusSeconds(60);
        settle(Settle.retry(taken.lease(), When.at(second), "later"));
        advance(seconds(70));
        Task again = take().task();
        assertThat(again.due()).isEqualTo(second);
        assertThat(again.previousDue()).contains(first);
        assertThat(counts(id)).containsExactly(2, 1, 0, 0);
    }

    @Test
    void dueTimesShiftWhenTheTimeLimitIsReached() { // G7, G8
        long id = put(task().ttr(seconds(60))).id();
        Instant first = peek(id).due();
        take();

        advance(seconds(60));
        Instant second = now();
        advance(seconds(5));

        Task again = take().task();
        assertThat(again.due()).isEqualTo(second);
        assertThat(again.previousDue()).contains(first);
        assertThat(counts(id)).containsExactly(2, 0, 1, 0);
    }

    // Many at once

    @Test
    void aCallOfManySettlesAnswersInTheirOrder() {
        IntStream.range(0, 60).forEach(i -> put("task " + i));
        List<Settle> settles = new ArrayList<>();
        List<TaskState> expected = new ArrayList<>();
        for (TakenTask taken : take(60)) {
            boolean isDone = taken.id() % 3 == 0;
            settles.add(0, isDone ? Settle.ack(taken.lease()) : Settle.bury(taken.lease(), "aside"));
            expected.add(0, isDone ? TaskState.DONE : TaskState.BURIED);
        }

        List<SettleResult> results = storage.settle(settles);

        assertThat(results).extracting(SettleResult::state).isEqualTo(expected);
        assertThat(settles).extracting(s -> state(s.lease().taskId())).isEqualTo(expected);
    }

    @Test
    void oneSettleOfACallDoesNotChangeAnother() {
        long acked = put("a");
        long failed = put("b");
        long released = put("c");
        long buried = put("d");
        List<TakenTask> taken = take(4);
        Lease forged = Lease.of(acked, taken.get(0).lease().nonce() + 1);

        List<SettleResult> results = storage.settle(List.of(
                Kind.FAIL.with(taken.get(1).lease()),
                Kind.BURY.with(forged),
                Kind.ACK.with(taken.get(0).lease()),
                Kind.BURY.with(taken.get(3).lease()),
                Kind.RELEASE.with(taken.get(2).lease())));

        assertThat(results)
                .containsExactly(
                        SettleResult.done(Q, TaskState.SCHEDULED),
                        SettleResult.gone(),
                        SettleResult.done(Q, TaskState.DONE),
                        SettleResult.done(Q, TaskState.BURIED),
                        SettleResult.done(Q, TaskState.READY));
        assertThat(counts(acked)).containsExactly(1, 0, 0, 0);
        assertThat(counts(failed)).containsExactly(1, 1, 0, 0);
        assertThat(counts(released)).containsExactly(1, 0, 0, 1);
        assertThat(counts(buried)).containsExactly(1, 0, 0, 0);
        assertThat(peek(acked).message()).contains("fine");
        assertThat(peek(failed).errorCode()).isEqualTo(7);
        assertThat(peek(buried).message()).contains("aside");
    }

    @Test
    void oneCallSettlesTasksOfManyQueues() {
        storage.queues().create("other", QueueOptions.standard());
        Lease here = takeNew();
        put(NewTask.to("other"));
        Lease there = take(TakeRequest.from("other")).get(0).lease();

        assertThat(storage.settle(List.of(Settle.ack(there), Settle.ack(here))))
                .containsExactly(SettleResult.done("other", TaskState.DONE), SettleResult.done(Q, TaskState.DONE));
    }

    @Test
    void theFirstSettleOfALeaseInACallWins() { // rule 9
        Lease lease = takeNew();

        List<SettleResult> results =
                storage.settle(List.of(Kind.RELEASE.with(lease), Kind.ACK.with(lease), Kind.RELEASE.with(lease)));

        assertThat(results).extracting(SettleResult::status).containsExactly(Status.DONE, Status.GONE, Status.ALREADY);
        assertThat(counts(lease.taskId())).containsExactly(1, 0, 0, 1);
    }

    @Test
    void aCallWithoutSettlesAnswersNothing() {
        assertThat(storage.settle(List.of())).isEmpty();
    }

    // Fencing

    @Test
    void aLeaseLostAtItsTimeLimitSettlesNothing() { // rule 9, C19, C23
        put(task().ttr(seconds(5)));
        Lease lease = take().lease();
        advance(seconds(5));

        assertGoneForEverybody(lease);
    }

    @Test
    void anOldLeaseSettlesNothingAfterARedeliveryEvenInTheSameSession() { // T.3-10, C19
        put(task().ttr(seconds(5)));
        Lease old = take().lease();
        advance(seconds(5));
        Lease held = take().lease();

        assertGoneForEverybody(old);
        assertThat(ack(held)).isEqualTo(SettleResult.done(Q, TaskState.DONE));
    }

    @Test
    void anOldLeaseSettlesNothingAfterTheNextHolderHasEnded() { // C23
        put(task().ttr(seconds(5)));
        Lease old = take().lease();
        advance(seconds(5));
        ack(take().lease());

        assertGoneForEverybody(old);
    }

    @Test
    void aLeaseTakenAwayByAnOperatorSettlesNothing() { // T.3-7, C17
        assertFenced(lease -> storage.delete(lease.taskId()));
        assertFenced(lease -> storage.bury(lease.taskId(), "aside"));
        assertFenced(lease -> storage.queues().releaseAll(Q));
    }

    @Test
    void aLeaseTakenAwayByTruncateSettlesNothing() { // T.3-14
        assertFenced(lease -> storage.queues().truncate(Q));
    }

    @Test
    void aForgedLeaseSettlesNothing() { // rule 9
        Lease held = takeNew();
        long ready = put("ready");

        assertGoneForEverybody(Lease.of(held.taskId(), held.nonce() ^ 1));
        assertGoneForEverybody(Lease.of(held.taskId(), 0));
        assertGoneForEverybody(Lease.of(ready, held.nonce()));
        assertGoneForEverybody(Lease.of(ready, 0));
        assertThat(ack(held).status()).isEqualTo(Status.DONE);
    }

    @Test
    void aLeaseOfAnUnknownTaskSettlesNothing() { // T.3-8
        Lease unknown = Lease.of(takeNew().taskId() + 1_000_000, 1);

        for (Kind kind : Kind.values()) {
            assertThat(settle(kind.with(unknown))).as("%s", kind).isEqualTo(SettleResult.gone());
        }
    }

    @Test
    void eachDeliveryHasALeaseOfItsOwn() { // R15
        Lease first = takeNew();
        settle(Kind.RELEASE, first);
        Lease second = take().lease();

        assertThat(second.taskId()).isEqualTo(first.taskId());
        assertThat(second).isNotEqualTo(first);
    }

    // Repeats

    @Test
    void theSameSettleAgainHasBeenDoneAlreadyAndChangesNothing() { // rule 9, C23
        for (Kind kind : Kind.values()) {
            Lease lease = takeNew();
            assertThat(settle(kind, lease)).as("%s", kind).isEqualTo(Status.DONE);
            Facts before = facts(lease.taskId());

            assertThat(settle(kind, lease)).as("%s", kind).isEqualTo(Status.ALREADY);

            assertThat(facts(lease.taskId())).as("%s", kind).isEqualTo(before);
            storage.delete(lease.taskId());
        }
    }

    @Test
    void anotherKindOfSettleOnASettledLeaseIsRefusedAndChangesNothing() { // rule 9
        for (Kind first : Kind.values()) {
            Lease lease = takeNew();
            settle(first, lease);
            Facts before = facts(lease.taskId());

            for (Kind second : Kind.values()) {
                if (second != first) {
                    assertThat(settle(second.with(lease)))
                            .as("%s after %s", second, first)
                            .isEqualTo(SettleResult.gone());
                }
            }

            assertThat(facts(lease.taskId())).as("%s", first).isEqualTo(before);
            storage.delete(lease.taskId());
        }
    }

    @Test
    void aSettleIsRecognisedWhileTheNextHolderRuns() { // rule 9
        for (Kind kind : COMING_BACK) {
            Lease lease = takeNew();
            settle(kind, lease);
            Lease next = take().lease();

            assertThat(settle(kind, lease)).as("%s", kind).isEqualTo(Status.ALREADY);

            assertThat(ack(next).status()).as("%s", kind).isEqualTo(Status.DONE);
        }
    }

    @Test
    void aSettleIsRecognisedAfterTheNextHolderHasSettledToo() { // rule 9
        for (Kind kind : COMING_BACK) {
            Lease lease = takeNew();
            settle(kind, lease);
            settle(Kind.RELEASE, take().lease());
            ack(take().lease());

            assertThat(settle(kind, lease)).as("%s", kind).isEqualTo(Status.ALREADY);
        }
    }

    @Test
    void aSettleIsRecognisedForFiveMinutesWhereNothingIsKept() { // rule 9
        storage.queues()
                .declare(
                        Q,
                        QueueOptions.builder()
                                .retention(Retention.none())
                                .retry(RetryPolicy.standard().maxFailures(1))
                                .exhaustion(Exhaustion.FAIL)
                                .build(),
                        QueueInfo.SetBy.CODE);
        Lease acked = takeNew();
        Lease failed = takeNew();
        Lease released = takeNew();
        Lease gone = takeNew();
        ack(acked);
        settle(Kind.FAIL, failed);
        settle(Kind.RELEASE, released);
        storage.delete(released.taskId());
        storage.delete(gone.taskId());

        advance(seconds(5 * 60 - 1));

        assertThat(storage.peek(acked.taskId())).isEmpty();
        assertThat(ack(acked).status()).isEqualTo(Status.ALREADY);
        assertThat(settle(Kind.FAIL, failed)).isEqualTo(Status.ALREADY);
        assertThat(settle(Kind.RELEASE, released)).isEqualTo(Status.ALREADY);
        assertThat(settle(Kind.ACK, failed)).isEqualTo(Status.GONE);
        assertThat(settle(Kind.ACK, gone)).isEqualTo(Status.GONE);
    }

    // Tokens

    @Test
    void aLeaseTravelsAsAToken() {
        Lease lease = takeNew();

        Lease parsed = Lease.parse(lease.token());

        assertThat(parsed).isEqualTo(lease);
        assertThat(ack(parsed).status()).isEqualTo(Status.DONE);
    }

    @Test
    void aTextThatIsNoLeaseTokenIsRefused() {
        String token = takeNew().token();

        for (String bad : List.of("", "?", "not a token", token.substring(4), token + "AAAA")) {
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> Lease.parse(bad))
                    .withMessageContaining("is not a lease token");
        }
    }
}
