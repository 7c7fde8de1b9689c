package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.leat.Attempt;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.SettleResult.Status;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Notice;
import dev.leat.storage.Sweep;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Delay, time to live, time limits and the sweep. Covers N25, N40, T23, T29, T30, T.3-4, T.3-17, G7, C15, C16, rule 5, 7, 8. */
public abstract class TimeContract extends ContractTest {
    private Instant expires(long id) {
        return peek(id).expires().orElseThrow();
    }

    private Touch.Result touch(Lease lease, Duration by) {
        return storage.touch(List.of(new Touch(lease, by))).get(0);
    }

    private Optional<Duration> nextIn() {
        return storage.sweep(Sweep.everything()).nextIn();
    }

    /** Takes a task that lives 10 seconds, lets it run that long, and settles it. */
    private long settleTooLate(Function<Lease, Settle> settle) {
        long id = put(task().ttl(seconds(10))).id();
        Lease lease = take().lease();
        advance(seconds(10));
        assertThat(settle(settle.apply(lease)).status()).isEqualTo(Status.DONE);
        return id;
    }

    private void assertExpiredAfterAttempt(long id, Attempt.Outcome outcome) {
        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
        assertThat(storage.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(outcome);
            assertThat(attempt.ended()).isEqualTo(now());
        });
        assertThat(take(9)).isEmpty();
    }

    // Delay

    @Test
    void aDelayedTaskIsReadyWhenItsTimeComesAndNotBefore() { // N25, N40, G10
        long id = put(task().delay(seconds(5))).id();

        assertThat(advance(seconds(4))).isEmpty();
        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
        assertThat(take(1)).isEmpty();

        assertThat(advance(seconds(1))).containsExactly(new TaskEvent(TaskEvent.Kind.DUE, Q, id, TaskState.READY));
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void aDueTaskCanBeTakenBeforeAnybodyHasSwept() { // rule 19
        long id = put(task().delay(seconds(5))).id();

        fixture.advance(seconds(5));

        assertThat(takeIds(1)).containsExactly(id);
    }

    // Time to live

    @Test
    void aTaskThatNobodyTookExpiresAtItsTimeToLiveAndNotBefore() { // T29
        long id = put(task().ttl(seconds(5))).id();

        assertThat(advance(seconds(4))).isEmpty();
        assertThat(state(id)).isEqualTo(TaskState.READY);

        assertThat(advance(seconds(1))).containsExactly(new TaskEvent(TaskEvent.Kind.EXPIRE, Q, id, TaskState.EXPIRED));
        assertThat(peek(id).finished()).contains(now());
        assertThat(take(1)).isEmpty();
    }

    @Test
    void aDelayExtendsTheTimeToLive() { // T29: 60.1 + 80 = 140.1 s
        long id = put(task().delay(Duration.ofMillis(60_100)).ttl(seconds(80))).id();

        advance(seconds(60));
        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
        advance(seconds(80));
        assertThat(state(id)).isEqualTo(TaskState.READY);
        advance(Duration.ofMillis(100));
        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aScheduledTaskNeverExpires() { // rule 5, C15
        long id = put(task().delay(minutes(10)).ttl(seconds(1))).id();

        advance(minutes(9));

        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
    }

    @Test
    void aTaskWhoseDelayAndTimeToLiveHaveBothPassedExpires() {
        long id = put(task().delay(seconds(60)).ttl(seconds(80))).id();

        advance(seconds(140));

        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aBuriedTaskExpires() { // T.3-17, C15
        long id = put(task().ttl(seconds(5))).id();
        storage.bury(id, "aside");

        advance(seconds(4));
        assertThat(state(id)).isEqualTo(TaskState.BURIED);
        advance(seconds(1));
        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aTaskOfAnUnstartedGroupExpires() { // rule 5
        long group = storage.groups().create(GroupSpec.named("g")).id();
        long id = put(task().group(group).ttl(seconds(5))).id();
        assertThat(state(id)).isEqualTo(TaskState.WAITING);

        advance(seconds(5));

        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void buryAndKickDoNotStopTheClock() { // T.3-17
        long id = put(task().ttl(seconds(5))).id();
        storage.bury(id, "aside");
        advance(seconds(3));

        storage.kick(id);
        advance(seconds(2));

        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aTakenTaskNeverExpiresAndCanBeAcknowledged() { // C16, other than T.3-2
        long id = put(task().ttl(seconds(5))).id();
        Lease lease = take().lease();

        assertThat(advance(minutes(5))).isEmpty();

        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        assertThat(ack(lease).state()).isEqualTo(TaskState.DONE);
    }

    @Test
    void aTaskReleasedTooLateExpiresWithItsAttemptRecorded() { // rule 5
        assertExpiredAfterAttempt(settleTooLate(Settle::release), Attempt.Outcome.RELEASED);
    }

    @Test
    void aTaskThatFailedTooLateExpiresWithItsAttemptRecorded() { // rule 5
        assertExpiredAfterAttempt(settleTooLate(lease -> Settle.fail(lease, "broken")), Attempt.Outcome.FAILED);
    }

    @Test
    void aDelayedReleaseAfterTheTimeToLiveDoesNotSaveTheTask() {
        assertExpiredAfterAttempt(settleTooLate(lease -> Settle.release(lease, minutes(5))), Attempt.Outcome.RELEASED);
    }

    @Test
    void aTaskLostTooLateExpiresWithItsAttemptRecorded() { // rule 5
        long id = put(task().ttl(seconds(5)).ttr(seconds(10))).id();
        take();

        assertThat(advance(seconds(10))).containsExactly(new TaskEvent(TaskEvent.Kind.LOST, Q, id, TaskState.EXPIRED));

        assertExpiredAfterAttempt(id, Attempt.Outcome.LOST);
    }

    @Test
    void aTaskThatComesBackInTimeDoesNotExpireYet() {
        long id = put(task().ttl(seconds(10))).id();
        Lease lease = take().lease();
        advance(seconds(9));

        settle(Settle.release(lease));

        assertThat(state(id)).isEqualTo(TaskState.READY);
        advance(seconds(1));
        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aLastAttemptThatFailsTooLateHasFailedAndNotExpired() {
        storage.queues().declare(Q, QueueOptions.rsqueue(), QueueInfo.SetBy.CODE);

        long id = settleTooLate(lease -> Settle.fail(lease, "broken"));

        assertThat(state(id)).isEqualTo(TaskState.FAILED);
    }

    @Test
    void theDelayOfAReleaseOrRetryExtendsTheTimeToLive() { // T.3-4, C15
        long released = put(task().ttl(minutes(2))).id();
        long retried = put(task().ttl(minutes(2))).id();
        Instant end = expires(released);
        List<TakenTask> taken = take(2);

        settle(Settle.release(taken.get(0).lease(), seconds(60)));
        settle(Settle.retry(taken.get(1).lease(), When.in(seconds(30)), "later"));

        assertThat(expires(released)).isEqualTo(end.plusSeconds(60));
        assertThat(expires(retried)).isEqualTo(end.plusSeconds(30));
    }

    @Test
    void aReleaseWithoutDelayDoesNotExtendTheTimeToLive() {
        long id = put(task().ttl(minutes(2))).id();
        Instant end = expires(id);
        Lease lease = take().lease();
        advance(seconds(30));

        settle(Settle.release(lease));

        assertThat(expires(id)).isEqualTo(end);
    }

    // Time limit of a lease

    @Test
    void aLeaseIsLostAtItsTimeLimitAndNotBefore() { // T30, G7
        long id = put(task().ttr(seconds(5))).id();
        long later = put("later");
        Lease lease = take().lease();

        assertThat(advance(seconds(4))).isEmpty();
        assertThat(state(id)).isEqualTo(TaskState.TAKEN);

        assertThat(advance(seconds(1))).containsExactly(new TaskEvent(TaskEvent.Kind.LOST, Q, id, TaskState.READY));
        assertThat(ack(lease).status()).isEqualTo(Status.GONE);
        assertThat(takeIds(2)).containsExactly(id, later);
    }

    @Test
    void aLostAttemptIsRecordedAndCounted() { // G8
        long id = put(task().ttr(seconds(5))).id();
        Instant due = peek(id).due();
        take();

        advance(seconds(5));

        Task task = peek(id);
        assertThat(List.of(task.attempts(), task.losses(), task.failures(), task.releases()))
                .containsExactly(1, 1, 0, 0);
        assertThat(task.due()).isEqualTo(now());
        assertThat(task.previousDue()).contains(due);
        assertThat(storage.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(Attempt.Outcome.LOST);
            assertThat(attempt.number()).isEqualTo(1);
            assertThat(attempt.started()).isEqualTo(due);
            assertThat(attempt.ended()).isEqualTo(now());
            assertThat(attempt.session()).contains(session);
            assertThat(attempt.nextDue()).contains(now());
        });
    }

    @Test
    void theTimeLimitStartsAnewWithEachTake() {
        long id = put(task().ttr(seconds(5))).id();
        take();
        advance(seconds(5));
        Lease second = take().lease();

        advance(seconds(4));

        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        assertThat(ack(second).status()).isEqualTo(Status.DONE);
    }

    @Test
    void aTakeWithoutASessionIsLostAfterSixtySeconds() { // rule 7
        long id = put("a");
        storage.take(TakeRequest.from(Q));

        advance(seconds(59));
        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        advance(seconds(1));
        assertThat(state(id)).isEqualTo(TaskState.READY);
        assertThat(storage.attempts(id)).extracting(Attempt::session).containsExactly(Optional.empty());
    }

    @Test
    void aLeaseWithoutTimeLimitLivesAsLongAsItsSession() { // rule 7
        long id = put("a");
        take();

        advance(Duration.ofDays(1));

        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
    }

    // Touch

    @Test
    void aTouchMovesTheDeadline() { // T23, rule 8
        long id = put(task().ttr(seconds(5))).id();
        TakenTask taken = take();
        Instant deadline = taken.leaseUntil().orElseThrow();
        advance(seconds(4));

        Touch.Result result = touch(taken.lease(), seconds(10));

        assertThat(result).isEqualTo(Touch.Result.extended(Q, deadline.plusSeconds(10)));
        advance(seconds(10));
        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        advance(seconds(1));
        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void aTouchMovesTheTimeToLive() { // T23, rule 8
        long id = put(task().ttr(seconds(60)).ttl(seconds(10))).id();
        Lease lease = take().lease();
        touch(lease, seconds(5));
        advance(seconds(14));

        settle(Settle.release(lease));

        assertThat(state(id)).isEqualTo(TaskState.READY);
        advance(seconds(1));
        assertThat(state(id)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aTouchLastsForThisDeliveryOnly() {
        put(task().ttr(seconds(5)));
        Lease lease = take().lease();
        touch(lease, seconds(60));
        settle(Settle.release(lease));

        assertThat(take().leaseUntil()).contains(now().plusSeconds(5));
    }

    @Test
    void aTouchWithoutATimeLimitChangesNothingAndSaysSo() { // rule 8
        long id = put(task().ttl(minutes(1))).id();
        Instant end = expires(id);
        Lease lease = take().lease();

        assertThat(touch(lease, seconds(30))).isEqualTo(Touch.Result.unlimited(Q));

        assertThat(expires(id)).isEqualTo(end);
    }

    @Test
    void aLostOrSettledLeaseCannotBeTouched() { // rule 8
        put(task().ttr(seconds(5)));
        Lease lost = take().lease();
        advance(seconds(5));
        Lease held = take().lease();
        Touch.Result gone = Touch.Result.gone();

        assertThat(touch(lost, seconds(30))).isEqualTo(gone);
        ack(held);
        assertThat(touch(held, seconds(30))).isEqualTo(gone);
    }

    @Test
    void touchesAreAnsweredInTheirOrder() {
        put(task().ttr(seconds(5)));
        put("unlimited");
        List<TakenTask> taken = take(2);
        Lease unknown = Lease.of(taken.get(0).id(), taken.get(0).lease().nonce() + 1);

        List<Touch.Result> results = storage.touch(List.of(
                new Touch(unknown, seconds(1)),
                new Touch(taken.get(1).lease(), seconds(1)),
                new Touch(taken.get(0).lease(), seconds(1))));

        assertThat(results)
                .extracting(Touch.Result::status)
                .containsExactly(Touch.Result.Status.GONE, Touch.Result.Status.UNLIMITED, Touch.Result.Status.EXTENDED);
    }

    @Test
    void aTouchByNothingOrLessIsRefused() { // rule 8, T.3-11
        put("a");
        Lease lease = take().lease();

        for (Duration by : List.of(Duration.ZERO, seconds(-1))) {
            assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> touch(lease, by));
        }
    }

    // Sweep

    @Test
    void aSweepWithNothingToDoTellsNothing() {
        put(task().delay(minutes(1)).ttl(minutes(1)));
        put(task().ttr(minutes(1)));
        take();

        assertThat(sweep()).isEmpty();
    }

    @Test
    void aSweepTellsEachChangeOnce() {
        long lost = put(task().ttr(seconds(5))).id();
        take();
        long due = put(task().delay(seconds(5))).id();
        long expired = put(task().ttl(seconds(5))).id();
        put("untouched");

        assertThat(advance(seconds(5)))
                .containsExactlyInAnyOrder(
                        new TaskEvent(TaskEvent.Kind.LOST, Q, lost, TaskState.READY),
                        new TaskEvent(TaskEvent.Kind.DUE, Q, due, TaskState.READY),
                        new TaskEvent(TaskEvent.Kind.EXPIRE, Q, expired, TaskState.EXPIRED));
        assertThat(sweep()).isEmpty();
    }

    @Test
    void aSweepTellsHowLongUntilTheNextMoment() {
        put(task().ttr(seconds(5)));
        take();
        put(task().ttl(seconds(7)));
        put(task().delay(seconds(9)));

        assertThat(nextIn()).contains(seconds(5));
        advance(seconds(5));
        assertThat(nextIn()).contains(seconds(2));
        advance(seconds(2));
        assertThat(nextIn()).contains(seconds(2));
        advance(seconds(1));
        assertThat(nextIn()).contains(seconds(1));
    }

    @Test
    void aMomentThatWillNotComeAnyMoreIsNotAwaited() {
        put(task().delay(seconds(9)));
        storage.delete(put(task().delay(seconds(5))).id());
        put(task().ttr(seconds(6)));
        ack(take().lease());

        assertThat(nextIn()).contains(seconds(9));
    }

    @Test
    void aMomentEarlierThanTheLastSweepSaidIsTold() {
        put(task().delay(seconds(9)));
        sweep();
        Queue<Notice> notices = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(notices::add)) {
            put(task().delay(seconds(5)));
            await().untilAsserted(() -> assertThat(notices).contains(Notice.TimerMoved.INSTANCE));
        }
    }
}
