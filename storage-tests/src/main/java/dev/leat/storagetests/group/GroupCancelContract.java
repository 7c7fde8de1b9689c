package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupInfo;
import dev.leat.GroupInfo.State;
import dev.leat.GroupSpec;
import dev.leat.GroupSpec.OnFailure;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.queue.Exhaustion;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A group that is canceled, by somebody or by a failure, drops what does not run and waits for the rest. Covers R35, R36,
 * R39, C13, rule 16, 18.
 */
public abstract class GroupCancelContract extends GroupTest {

    // Cancel

    @Test
    void anUnstartedGroupThatIsCanceledEndsAtOnce() { // R35
        long group = create();
        long id = putIn(group);

        GroupInfo canceled = storage.groups().cancel(group, "not needed");

        assertThat(canceled.state()).isEqualTo(State.CANCELED);
        assertEnded(group, State.CANCELED, "abort");
        assertThat(state(id)).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void anEmptyGroupCanBeCanceled() {
        long group = create();

        storage.groups().cancel(group, "not needed");

        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void aCancelDropsWhatDoesNotRunAndSaysWhy() { // R35, C13
        long group = create();
        put(task().key("k"));
        take();
        long behindKey = put(task().group(group).key("k")).id();
        storage.groups().start(group);
        assertThat(take(9)).isEmpty();
        long scheduled = put(task().group(group).delay(minutes(1))).id();
        long ready = putIn(group);

        storage.groups().cancel(group, "customer left");

        assertThat(List.of(behindKey, scheduled, ready)).allSatisfy(id -> {
            assertThat(state(id)).isEqualTo(TaskState.CANCELED);
            assertThat(peek(id).message().orElse("")).contains("customer left");
        });
        advance(minutes(1));
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aCanceledGroupWaitsForItsRunningTasks() { // C13, R35, R39
        long group = createStarted(3);
        Lease lease = take().lease();

        storage.groups().cancel(group, "enough");

        assertEnded(group, State.CANCELING);
        assertCounts(group, 0, 1, 0, 0, 2);
        ack(lease);
        assertEnded(group, State.CANCELED, "abort");
        assertCounts(group, 0, 0, 1, 0, 2);
    }

    @Test
    void aCancelDoesNotAskRunningTasksToStop() { // R.3-7: cancelling does not interrupt
        long group = createStarted(1);
        TakenTask taken = take();

        storage.groups().cancel(group, "enough");

        assertThat(peek(taken.id()).cancelRequested()).isFalse();
        advance(minutes(1));
        assertThat(ack(taken.lease()).state()).isEqualTo(TaskState.DONE);
    }

    @Test
    void theOutcomeOfARunningTaskOfACanceledGroupIsIgnored() { // C13, R39, R.3-7
        List<Function<Lease, Settle>> outcomes = List.of(
                lease -> Settle.fail(lease, "broken"),
                lease -> Settle.retry(lease, When.in(minutes(1)), "later"),
                Settle::release,
                lease -> Settle.release(lease, minutes(1)),
                lease -> Settle.bury(lease, "aside"),
                Settle::giveBack);

        for (Function<Lease, Settle> outcome : outcomes) {
            long group = createStarted(GroupSpec.named("g"), 1);
            TakenTask taken = take();
            storage.groups().cancel(group, "enough");

            assertThat(settle(outcome.apply(taken.lease())).state()).isEqualTo(TaskState.CANCELED);

            assertThat(groupState(group)).isEqualTo(State.CANCELED);
            assertThat(state(taken.id())).isEqualTo(TaskState.CANCELED);
        }
    }

    @Test
    void aFailureInACanceledGroupDoesNotMakeItAFailedOne() {
        long group = createStarted(spec("g").onFailure(OnFailure.CANCEL_GROUP), 1);
        Lease lease = take().lease();
        storage.groups().cancel(group, "enough");

        settle(Settle.bury(lease, "aside"));

        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void aTaskLostInACanceledGroupDoesNotComeBack() { // R39
        long group = createStarted(1);
        long id = take().id();
        storage.groups().cancel(group, "enough");

        storage.sessions().close(session);

        assertThat(state(id)).isEqualTo(TaskState.CANCELED);
        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void theAbortTaskIsPutOnceHoweverOftenTheGroupIsCanceled() { // rule 18, R35
        long group = createStarted(1);
        Lease lease = take().lease();
        storage.groups().cancel(group, "enough");
        storage.groups().cancel(group, "again");
        ack(lease);
        GroupInfo ended = info(group);

        assertThat(storage.groups().cancel(group, "once more")).isEqualTo(ended);

        sweep();
        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void aCompletedGroupCannotBeCanceled() {
        long group = createStarted(0);

        assertClosed(() -> storage.groups().cancel(group, "too late"));

        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void aCanceledTaskFreesItsAddress() {
        long group = create();
        put(task().group(group).address("a"));

        storage.groups().cancel(group, "not needed");

        assertThat(put(task().address("a")).created()).isTrue();
    }

    // Failure

    @Test
    void aGroupThatGoesOnIsCompleteDespiteFailures() {
        createStrictQueue(Exhaustion.FAIL);
        long group = createStarted(spec("g").onFailure(OnFailure.CONTINUE), 1);

        failOne(group);
        assertEnded(group, State.STARTED);
        ack(take().lease());

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 1, 1, 0);
    }

    @Test
    void aGroupThatIsToBeCanceledFailsWithItsFirstFailure() { // R36
        createStrictQueue(Exhaustion.FAIL);
        long group = createStarted(spec("g").onFailure(OnFailure.CANCEL_GROUP), 2);
        long dropped = storage.list(TaskQuery.of(Q)).get(1).id();
        Lease running = take().lease();

        failOne(group);

        assertEnded(group, State.CANCELING);
        assertThat(state(dropped)).isEqualTo(TaskState.CANCELED);
        ack(running);
        assertEnded(group, State.FAILED, "abort");
        assertCounts(group, 0, 0, 1, 1, 1);
    }

    @Test
    void aBuriedTaskFailsAGroupThatIsToBeCanceled() { // rule 16
        long group = createStarted(spec("g").onFailure(OnFailure.CANCEL_GROUP), 2);

        settle(Settle.bury(take().lease(), "aside"));

        assertEnded(group, State.FAILED, "abort");
        assertCounts(group, 0, 0, 0, 1, 1);
    }

    @Test
    void aFailureThatIsTriedAgainDoesNotFailTheGroup() {
        long group = createStarted(spec("g").onFailure(OnFailure.CANCEL_GROUP), 1);

        settle(Settle.fail(take().lease(), "again"));

        assertEnded(group, State.STARTED);
    }

    @Test
    void theQueueMayFailTheGroup() { // rule 18, O29, R36
        createStrictQueue(Exhaustion.FAIL_GROUP);
        long group = createStarted(1);
        long dropped = storage.list(TaskQuery.of(Q)).get(0).id();

        long failed = failOne(group);

        assertEnded(group, State.FAILED, "abort");
        assertThat(state(failed)).isEqualTo(TaskState.FAILED);
        assertThat(state(dropped)).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void theQueueMayLeaveTheGroupAlone() {
        createStrictQueue(Exhaustion.BURY);
        long group = createStarted(1);

        failOne(group);

        assertEnded(group, State.STARTED);
        assertCounts(group, 1, 0, 0, 1, 0);
    }

    @Test
    void theGroupsPolicyBeatsTheQueues() { // rule 18
        createStrictQueue(Exhaustion.FAIL_GROUP);
        long group = createStarted(spec("g").onFailure(OnFailure.CONTINUE), 1);

        long failed = failOne(group);

        assertThat(state(failed)).isEqualTo(TaskState.FAILED);
        assertEnded(group, State.STARTED);
        assertThat(take(9)).hasSize(1);
    }

    @Test
    void aTaskWithoutAGroupFailsAlone() {
        createStrictQueue(Exhaustion.FAIL_GROUP);
        long group = createStarted(1);
        long id = put(NewTask.to("strict")).id();

        settle(Settle.fail(take(TakeRequest.from("strict")).get(0).lease(), "broken"));

        assertThat(state(id)).isEqualTo(TaskState.FAILED);
        assertEnded(group, State.STARTED);
    }

    // Kick

    @Test
    void aKickedTaskRejoinsItsRunningGroup() { // rule 16
        long group = createStarted(2);
        TakenTask buried = take();
        settle(Settle.bury(buried.lease(), "aside"));

        storage.kick(buried.id());

        assertCounts(group, 2, 0, 0, 0, 0);
        List<TakenTask> again = take(9);
        ack(again.get(1).lease());
        assertEnded(group, State.STARTED);
        ack(again.get(0).lease());
        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 2, 0, 0);
    }

    @Test
    void aTaskKickedAfterItsGroupHasEndedRunsOutsideIt() { // rule 16
        long group = createStarted(1);
        TakenTask buried = take();
        settle(Settle.bury(buried.lease(), "aside"));
        GroupInfo ended = info(group);

        storage.kick(buried.id());

        assertThat(peek(buried.id()).group()).isEmpty();
        ack(take().lease());
        sweep();
        assertThat(info(group)).isEqualTo(ended);
        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void aTaskKickedWhileItsGroupIsBeingCanceledIsCanceled() {
        long group = createStarted(2);
        List<TakenTask> running = take(2);
        settle(Settle.bury(running.get(0).lease(), "aside"));
        storage.groups().cancel(group, "enough");

        storage.kick(running.get(0).id());

        assertThat(state(running.get(0).id())).isEqualTo(TaskState.CANCELED);
        assertThat(take(9)).isEmpty();
        ack(running.get(1).lease());
        assertEnded(group, State.CANCELED, "abort");
    }
}
