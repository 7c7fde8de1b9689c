package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * When a task is tried again, how often, and what follows the last attempt. Covers N18-N23, G7, G9, O.3-1, N.3-1, N.3-3,
 * C4, C5, C8, C21, rule 10.
 */
public abstract class RetryContract extends ContractTest {
    private static final RetryPolicy AT_ONCE = RetryPolicy.standard().backoff(Backoff.none());

    private void configure(QueueOptions options) {
        storage.queues().declare(Q, options, QueueInfo.SetBy.CODE);
    }

    private void configure(RetryPolicy retry) {
        configure(QueueOptions.builder().retry(retry).build());
    }

    private void configure(RetryPolicy retry, Exhaustion exhaustion) {
        configure(QueueOptions.builder().retry(retry).exhaustion(exhaustion).build());
    }

    /** Takes the next task and fails it. */
    private TaskState fail() {
        return settle(new Settle.Fail(take().lease(), "broken", 7)).state();
    }

    /** Takes the next task and lets its time run out. */
    private TaskState lose() {
        long id = take(TakeRequest.from(Q).ttr(seconds(1))).get(0).id();
        advance(seconds(1));
        return state(id);
    }

    private void waitUntilDue(long id) {
        Duration rest = Duration.between(now(), peek(id).due());
        if (!rest.isNegative() && !rest.isZero()) {
            advance(rest);
        }
    }

    /** Fails a task for as long as it is tried again, up to a limit, and answers how often it ran. */
    private int failToTheEnd(long id, int most) {
        int runs = 0;
        while (runs < most && (state(id) == TaskState.READY || state(id) == TaskState.SCHEDULED)) {
            waitUntilDue(id);
            TakenTask taken = take();
            assertThat(taken.id()).isEqualTo(id);
            settle(Settle.fail(taken.lease(), "broken"));
            runs++;
        }
        return runs;
    }

    /** Fails a task at the very moment it is due, and answers the delays that followed. */
    private List<Duration> delays(long id, int failures) {
        List<Duration> delays = new ArrayList<>();
        for (int i = 0; i < failures; i++) {
            waitUntilDue(id);
            fail();
            delays.add(Duration.between(now(), peek(id).due()));
        }
        return delays;
    }

    private Task deadRunOf(long id) {
        List<Task> runs = storage.list(TaskQuery.of(Q)).stream()
                .filter(task -> task.deadOf().isPresent())
                .toList();
        assertThat(runs).hasSize(1);
        assertThat(runs.get(0).deadOf()).hasValue(id);
        return runs.get(0);
    }

    // Delays

    @Test
    void aTaskIsTriedTenTimesAtDoublingDelaysUnlessItsQueueSaysOtherwise() {
        long id = put("a");

        List<Duration> delays = delays(id, 9);

        for (int i = 0; i < delays.size(); i++) {
            long exact = 1_000L << i;
            assertThat(delays.get(i).toMillis()).isBetween(exact * 9 / 10 - 1, exact * 11 / 10);
        }
        waitUntilDue(id);
        assertThat(fail()).isEqualTo(TaskState.BURIED);
        assertThat(peek(id).failures()).isEqualTo(10);
    }

    @Test
    void doublingDelaysStopGrowing() {
        configure(RetryPolicy.standard().maxFailures(RetryPolicy.UNLIMITED));
        long id = put("a");

        List<Duration> delays = delays(id, 40);

        assertThat(delays.subList(10, 40)).allSatisfy(delay -> assertThat(delay).isBetween(minutes(9), minutes(11)));
    }

    @Test
    void doublingDelaysAreSpread() {
        IntStream.range(0, 20).forEach(i -> put("task " + i));

        storage.settle(take(20).stream()
                .<Settle>map(taken -> Settle.fail(taken.lease(), "broken"))
                .toList());

        assertThat(storage.list(TaskQuery.of(Q)).stream().map(Task::due).distinct())
                .hasSizeGreaterThan(1);
    }

    @Test
    void doublingDelaysWithoutJitterAreExact() {
        configure(RetryPolicy.standard().backoff(Backoff.exponential(seconds(3), seconds(20), 0)));

        assertThat(delays(put("a"), 5)).containsExactly(seconds(3), seconds(6), seconds(12), seconds(20), seconds(20));
    }

    @Test
    void aFixedDelayIsAlwaysTheSame() {
        configure(RetryPolicy.standard().backoff(Backoff.fixed(seconds(30))));

        assertThat(delays(put("a"), 4)).containsOnly(seconds(30));
    }

    @Test
    void aLinearDelayGrowsByOneStepUpToItsMost() {
        configure(RetryPolicy.standard().backoff(Backoff.linear(seconds(10), seconds(25))));

        assertThat(delays(put("a"), 4)).containsExactly(seconds(10), seconds(20), seconds(25), seconds(25));
    }

    @Test
    void withoutADelayAFailedTaskIsReadyAtOnce() {
        configure(AT_ONCE);
        long id = put("a");

        assertThat(fail()).isEqualTo(TaskState.READY);

        assertThat(peek(id).due()).isEqualTo(now());
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void aDelayCountsFromTheFailure() {
        configure(RetryPolicy.standard().backoff(Backoff.fixed(seconds(30))));
        long id = put("a");
        TakenTask taken = take();
        advance(minutes(2));

        settle(Settle.fail(taken.lease(), "broken"));

        assertThat(peek(id).due()).isEqualTo(now().plusSeconds(30));
    }

    @Test
    void aDelayAnchoredAtTheDueTimeCountsFromThere() { // N19, C5
        configure(RetryPolicy.standard().backoff(Backoff.linear(minutes(5))).anchor(RetryPolicy.Anchor.DUE));
        long id = put("a");
        Instant due = now();

        for (int failures = 1; failures <= 3; failures++) {
            TakenTask taken = take();
            advance(minutes(1));
            settle(Settle.fail(taken.lease(), "broken"));

            due = due.plus(minutes(5L * failures));
            assertThat(peek(id).due()).isEqualTo(due);
            waitUntilDue(id);
        }
    }

    @Test
    void anAnchoredMomentThatHasPassedMeansAtOnce() { // N.3-1
        configure(RetryPolicy.standard().backoff(Backoff.linear(minutes(5))).anchor(RetryPolicy.Anchor.DUE));
        long id = put("a");
        Instant due = now();
        advance(minutes(60));

        assertThat(fail()).isEqualTo(TaskState.READY);

        assertThat(peek(id).due()).isEqualTo(due.plus(minutes(5)));
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void aLostTaskIsTriedAgainAtOnce() { // G7
        configure(RetryPolicy.standard().backoff(Backoff.fixed(minutes(5))));
        long id = put("a");

        assertThat(lose()).isEqualTo(TaskState.READY);

        assertThat(peek(id).due()).isEqualTo(now());
    }

    // Limits

    @Test
    void aTaskRunsExactlyAsOftenAsItMayFail() { // N.3-3, O.3-1, C4
        for (int max : List.of(1, 3, 10)) {
            configure(RetryPolicy.standard().maxFailures(max));
            long id = put("a");

            assertThat(failToTheEnd(id, 99)).isEqualTo(max);

            assertThat(state(id)).isEqualTo(TaskState.BURIED);
            assertThat(take(9)).isEmpty();
        }
    }

    @Test
    void theLastAttemptNamesNoNext() { // N20
        configure(AT_ONCE.maxFailures(2));
        long id = put("a");

        failToTheEnd(id, 99);

        assertThat(storage.attempts(id))
                .extracting(Attempt::nextDue)
                .containsExactly(Optional.of(now()), Optional.empty());
    }

    @Test
    void aRetryBeyondTheLimitIsTheLastAttemptTooWhateverTimeItNames() { // rule 9
        configure(AT_ONCE.maxFailures(2));
        long id = put("a");
        fail();

        TaskState state = settle(Settle.retry(take().lease(), When.in(minutes(1)), "later"))
                .state();

        assertThat(state).isEqualTo(TaskState.BURIED);
        advance(minutes(2));
        assertThat(take(1)).isEmpty();
        assertThat(peek(id).failures()).isEqualTo(2);
    }

    @Test
    void lossesDoNotUseUpFailures() { // rule 10
        configure(AT_ONCE.maxFailures(2).maxLosses(3));
        put("a");

        assertThat(lose()).isEqualTo(TaskState.READY);
        assertThat(lose()).isEqualTo(TaskState.READY);
        assertThat(fail()).isEqualTo(TaskState.READY);
        assertThat(fail()).isEqualTo(TaskState.BURIED);
    }

    @Test
    void failuresDoNotUseUpLosses() { // rule 10
        configure(AT_ONCE.maxFailures(3).maxLosses(2));
        put("a");

        assertThat(fail()).isEqualTo(TaskState.READY);
        assertThat(fail()).isEqualTo(TaskState.READY);
        assertThat(lose()).isEqualTo(TaskState.READY);
        assertThat(lose()).isEqualTo(TaskState.BURIED);
    }

    @Test
    void tenLossesBuryATaskUnlessItsQueueSaysOtherwise() { // rule 10
        long id = put("a");

        for (int losses = 1; losses < 10; losses++) {
            assertThat(lose()).isEqualTo(TaskState.READY);
        }

        assertThat(lose()).isEqualTo(TaskState.BURIED);
        assertThat(peek(id).losses()).isEqualTo(10);
        assertThat(peek(id).failures()).isZero();
    }

    @Test
    void lossesChargedTogetherWithFailuresShareTheirLimit() { // rule 10
        configure(AT_ONCE.maxFailures(3).maxLosses(1).charge(RetryPolicy.Charge.TOGETHER));
        put("a");

        assertThat(lose()).isEqualTo(TaskState.READY);
        assertThat(fail()).isEqualTo(TaskState.READY);
        assertThat(lose()).isEqualTo(TaskState.BURIED);
    }

    @Test
    void withoutALimitATaskIsTriedForEver() { // G9
        configure(AT_ONCE.maxFailures(RetryPolicy.UNLIMITED).maxLosses(RetryPolicy.UNLIMITED));
        long id = put("a");

        for (int i = 0; i < 50; i++) {
            assertThat(fail()).isEqualTo(TaskState.READY);
            assertThat(lose()).isEqualTo(TaskState.READY);
        }

        assertThat(peek(id).attempts()).isEqualTo(100);
    }

    @Test
    void releasesNeverUseATaskUp() { // rule 9
        configure(AT_ONCE.maxFailures(1).maxLosses(1));
        long id = put("a");

        for (int i = 0; i < 20; i++) {
            settle(Settle.release(take().lease()));
            settle(Settle.giveBack(take().lease()));
        }

        assertThat(state(id)).isEqualTo(TaskState.READY);
        assertThat(peek(id).releases()).isEqualTo(20);
    }

    // After the last attempt

    @Test
    void aUsedUpTaskIsBuriedWithItsError() {
        configure(AT_ONCE.maxFailures(1), Exhaustion.BURY);
        long id = put("a");

        fail();

        Task task = peek(id);
        assertThat(task.state()).isEqualTo(TaskState.BURIED);
        assertThat(task.message()).contains("broken");
        assertThat(task.errorCode()).isEqualTo(7);
        assertThat(task.payload()).isEqualTo(Payload.of("a"));
        assertThat(task.finished()).isEmpty();
    }

    @Test
    void aUsedUpTaskIsFinishedWithItsError() {
        configure(AT_ONCE.maxFailures(1), Exhaustion.FAIL);
        long id = put("a");

        fail();

        Task task = peek(id);
        assertThat(task.state()).isEqualTo(TaskState.FAILED);
        assertThat(task.message()).contains("broken");
        assertThat(task.errorCode()).isEqualTo(7);
        assertThat(task.finished()).contains(now());
        assertThat(storage.kick(Q, 9)).isEmpty();
    }

    @Test
    void aUsedUpTaskGetsADeadRunThatIsLikeIt() { // N21
        configure(AT_ONCE.maxFailures(1), Exhaustion.DEAD_HANDLER);
        NewTask.Builder given = task("pay")
                .priority(-3)
                .tenant("acme")
                .type("invoice")
                .key("k")
                .tag("company", 5)
                .address("a")
                .ttl(minutes(1));
        long id = put(given).id();

        assertThat(fail()).isEqualTo(TaskState.FAILED);

        Task dead = deadRunOf(id);
        assertThat(dead.state()).isEqualTo(TaskState.READY);
        assertThat(dead.payload()).isEqualTo(Payload.of("pay"));
        assertThat(dead.priority()).isEqualTo(-3);
        assertThat(dead.tenant()).contains("acme");
        assertThat(dead.type()).contains("invoice");
        assertThat(dead.key()).contains("k");
        assertThat(dead.tags()).containsEntry("company", 5L);
        assertThat(dead.address()).isEmpty();
        assertThat(dead.expires()).isEmpty();
        assertThat(dead.attempts()).isZero();
        assertThat(dead.failures()).isZero();
    }

    @Test
    void aDeadRunHasAttemptsOfItsOwnAndEndsBuried() { // N21, C21
        configure(RetryPolicy.standard().maxFailures(3), Exhaustion.DEAD_HANDLER);
        long id = put("a");
        assertThat(failToTheEnd(id, 99)).isEqualTo(3);
        long dead = deadRunOf(id).id();

        assertThat(failToTheEnd(dead, 99)).isEqualTo(3);

        assertThat(state(dead)).isEqualTo(TaskState.BURIED);
        assertThat(storage.list(TaskQuery.of(Q))).extracting(Task::id).containsExactly(dead);
    }

    @Test
    void aDeadRunThatSucceedsDoesNotChangeTheFailure() { // N21, C21
        configure(AT_ONCE.maxFailures(1), Exhaustion.DEAD_HANDLER);
        long id = put("a");
        fail();
        long dead = deadRunOf(id).id();

        ack(take().lease());

        assertThat(state(dead)).isEqualTo(TaskState.DONE);
        assertThat(state(id)).isEqualTo(TaskState.FAILED);
        assertThat(peek(id).message()).contains("broken");
    }

    @Test
    void aTaskLostOnItsLastAttemptGetsADeadRunWithItsPayload() { // N23, N.5
        configure(AT_ONCE.maxLosses(2), Exhaustion.DEAD_HANDLER);
        long id = put("pay");
        lose();

        assertThat(lose()).isEqualTo(TaskState.FAILED);

        assertThat(deadRunOf(id).payload()).isEqualTo(Payload.of("pay"));
    }

    @Test
    void aDeadRunIsPutEvenIntoAFullQueue() {
        configure(QueueOptions.builder()
                .capacity(1)
                .retry(AT_ONCE.maxFailures(1))
                .exhaustion(Exhaustion.DEAD_HANDLER)
                .build());
        long id = put("a");

        fail();

        assertThat(deadRunOf(id).state()).isEqualTo(TaskState.READY);
    }

    @Test
    void aUsedUpTaskFailsItsGroup() { // O.3-2, rule 18
        configure(AT_ONCE.maxFailures(1), Exhaustion.FAIL_GROUP);
        long group = storage.groups().create(GroupSpec.named("g")).id();
        long failing = put(task().group(group)).id();
        long waiting = put(task().group(group)).id();
        long outside = put("outside");
        storage.groups().start(group);

        assertThat(fail()).isEqualTo(TaskState.FAILED);
        sweep();

        assertThat(storage.groups().find(group)).map(GroupInfo::state).contains(GroupInfo.State.FAILED);
        assertThat(state(failing)).isEqualTo(TaskState.FAILED);
        assertThat(state(waiting)).isEqualTo(TaskState.CANCELED);
        assertThat(takeIds(9)).containsExactly(outside);
    }

    @Test
    void aTaskUsedUpByLossesFailsItsGroupToo() {
        configure(AT_ONCE.maxLosses(1), Exhaustion.FAIL_GROUP);
        long group = storage.groups().create(GroupSpec.named("g")).id();
        put(task().group(group));
        long waiting = put(task().group(group)).id();
        storage.groups().start(group);

        assertThat(lose()).isEqualTo(TaskState.FAILED);

        assertThat(state(waiting)).isEqualTo(TaskState.CANCELED);
        assertThat(storage.groups().find(group)).map(GroupInfo::state).contains(GroupInfo.State.FAILED);
    }

    @Test
    void aUsedUpTaskWithoutAGroupFailsAlone() {
        configure(AT_ONCE.maxFailures(1), Exhaustion.FAIL_GROUP);
        long failing = put("a");
        long other = put("b");

        assertThat(fail()).isEqualTo(TaskState.FAILED);

        assertThat(state(failing)).isEqualTo(TaskState.FAILED);
        assertThat(takeIds(9)).containsExactly(other);
    }

    // Presets

    @Test
    void anNsjQueueTriesAHundredTimesAndThenRunsTheDeadHandler() { // N19, N20, N21
        configure(QueueOptions.nsj());
        long id = put("pay");
        Instant first = now();
        fail();
        assertThat(peek(id).due()).isEqualTo(first.plus(minutes(5)));
        waitUntilDue(id);
        assertThat(lose()).as("a lost attempt is one of the hundred").isEqualTo(TaskState.READY);

        assertThat(failToTheEnd(id, 999)).isEqualTo(98);

        assertThat(state(id)).isEqualTo(TaskState.FAILED);
        assertThat(deadRunOf(id).payload()).isEqualTo(Payload.of("pay"));
    }

    @Test
    void anRsqueueJobThatFailedIsFinishedWithItsError() { // R21, C8, R.3-1
        configure(QueueOptions.rsqueue());
        long id = put("a");

        assertThat(fail()).isEqualTo(TaskState.FAILED);

        assertThat(storage.outcome(id)).contains(new Outcome(id, TaskState.FAILED, "broken", 7, Optional.empty()));
        advance(minutes(30));
        assertThat(take(1)).isEmpty();
    }

    @Test
    void anRsqueueJobThatWasLostRunsAgainHoweverOften() { // R19, C8, R.3-1
        configure(QueueOptions.rsqueue());
        long id = put("a");

        for (int i = 0; i < 20; i++) {
            assertThat(lose()).isEqualTo(TaskState.READY);
        }

        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void theTenthFailureOfAnOpsqueueChunkFailsItsSubmission() { // O.3-1, C4
        configure(QueueOptions.opsqueue());
        long group = storage.groups().create(GroupSpec.named("submission")).id();
        long chunk = put(task().group(group)).id();
        long rest = put(task().group(group)).id();
        storage.groups().start(group);

        for (int i = 0; i < 4; i++) {
            assertThat(fail()).isEqualTo(TaskState.READY);
            assertThat(lose()).isEqualTo(TaskState.READY);
        }
        assertThat(fail()).isEqualTo(TaskState.READY);
        assertThat(storage.groups().find(group)).map(GroupInfo::state).contains(GroupInfo.State.STARTED);
        assertThat(fail()).isEqualTo(TaskState.FAILED);
        sweep();

        assertThat(peek(chunk).attempts()).isEqualTo(10);
        assertThat(state(rest)).isEqualTo(TaskState.CANCELED);
        assertThat(storage.groups().find(group)).map(GroupInfo::state).contains(GroupInfo.State.FAILED);
    }

    @Test
    void anOpsqueueReservationExpiresAfterTenMinutes() { // O30
        configure(QueueOptions.opsqueue());
        put("a");

        assertThat(take().leaseUntil()).contains(now().plus(minutes(10)));
    }

    @Test
    void aTaskOfAQueueWithVisibilityTimeoutComesBackForEver() { // G7, G9
        configure(QueueOptions.visibilityTimeout());
        long id = put("a");

        for (int i = 0; i < 30; i++) {
            assertThat(take().leaseUntil()).contains(now().plusSeconds(60));
            advance(seconds(59));
            assertThat(state(id)).isEqualTo(TaskState.TAKEN);
            advance(seconds(1));
            assertThat(state(id)).isEqualTo(TaskState.READY);
            settle(Settle.retry(take().lease(), When.now(), "again"));
        }

        assertThat(peek(id).losses()).isEqualTo(30);
        assertThat(peek(id).failures()).isEqualTo(30);
        assertThat(takeIds(1)).containsExactly(id);
    }
}
