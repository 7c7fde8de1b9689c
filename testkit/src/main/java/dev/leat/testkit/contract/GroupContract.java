package dev.leat.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Exhaustion;
import dev.leat.GroupClosedException;
import dev.leat.GroupExistsException;
import dev.leat.GroupInfo;
import dev.leat.GroupInfo.State;
import dev.leat.GroupNotFoundException;
import dev.leat.GroupSpec;
import dev.leat.GroupSpec.OnFailure;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.QueueFullException;
import dev.leat.QueueNotFoundException;
import dev.leat.QueueOptions;
import dev.leat.RetryPolicy;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.When;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks with a joint start and a joint end. Covers R32-R39, C12, C13, RULES 2, 16, 18. */
public abstract class GroupContract extends ContractTest {
    private static final String CLOSING = "closing";
    private static final NewTask END = NewTask.to(CLOSING).payload("end").build();
    private static final NewTask ABORT = NewTask.to(CLOSING).payload("abort").build();

    @BeforeEach
    void makeQueueOfClosingTasks() {
        storage.createQueue(CLOSING, QueueOptions.standard());
    }

    private static GroupSpec spec(String name) {
        return GroupSpec.named(name).end(END).abort(ABORT);
    }

    private long create(GroupSpec spec) {
        return storage.createGroup(spec).id();
    }

    private long create() {
        return create(spec("g"));
    }

    private long createStarted(GroupSpec spec, int tasks) {
        long group = create(spec);
        IntStream.range(0, tasks).forEach(i -> putIn(group));
        storage.startGroup(group);
        return group;
    }

    private long createStarted(int tasks) {
        return createStarted(spec("g"), tasks);
    }

    private long putIn(long group) {
        return put(task().group(group)).id();
    }

    /** A queue whose tasks are exhausted by their first failure. */
    private void createStrictQueue(Exhaustion exhaustion) {
        storage.createQueue(
                "strict",
                QueueOptions.builder()
                        .retry(RetryPolicy.standard().maxFailures(1))
                        .exhaustion(exhaustion)
                        .build());
    }

    /** Puts a task into the strict queue, and fails it; answers its id. */
    private long failOne(long group) {
        long id = put(NewTask.to("strict").group(group)).id();
        Lease lease = take(TakeRequest.from("strict")).get(0).lease();
        settle(Settle.fail(lease, "broken"));
        return id;
    }

    /** The group as it is now; its counts must add up whenever a test looks. */
    private GroupInfo info(long group) {
        GroupInfo info = storage.group(group).orElseThrow();
        assertThat(info.open() + info.running() + info.done() + info.failed() + info.canceled())
                .as("counts of %s", info)
                .isEqualTo(info.total());
        return info;
    }

    private State groupState(long group) {
        return info(group).state();
    }

    /** Which closing tasks are there, by payload. */
    private List<String> closingTasks() {
        return storage.list(TaskQuery.of(CLOSING)).stream()
                .map(task -> task.payload().text())
                .toList();
    }

    private void assertEnded(long group, State state, String... closingTasks) {
        assertThat(groupState(group)).isEqualTo(state);
        assertThat(closingTasks()).containsExactly(closingTasks);
    }

    private void assertCounts(long group, long open, long running, long done, long failed, long canceled) {
        GroupInfo info = info(group);
        assertThat(List.of(info.open(), info.running(), info.done(), info.failed(), info.canceled()))
                .as("open, running, done, failed and canceled")
                .containsExactly(open, running, done, failed, canceled);
    }

    private void assertClosed(Runnable deed) {
        assertThatExceptionOfType(GroupClosedException.class).isThrownBy(deed::run);
    }

    // The gate

    @Test
    void aTaskOfAnUnstartedGroupIsNotTakenEvenWithTheBestPriority() { // R32, R.3-6, C12
        long group = create();
        long urgent = put(task().group(group).priority(-100)).id();
        long plain = put("plain");

        assertThat(takeIds(9)).containsExactly(plain);
        assertThat(state(urgent)).isEqualTo(TaskState.WAITING);
    }

    @Test
    void aPutIntoAnUnstartedGroupAnswersThatTheTaskWaits() {
        assertThat(put(task().group(create())).state()).isEqualTo(TaskState.WAITING);
    }

    @Test
    void startedTasksRunInTheirOwnPlaces() { // RULES 1
        long group = create();
        long first = putIn(group);
        long plain = put("plain");
        long second = putIn(group);
        long urgent = put(task().group(group).priority(-1)).id();

        storage.startGroup(group);

        assertThat(takeIds(9)).containsExactly(urgent, first, plain, second);
    }

    @Test
    void aTaskStaysBehindItsGroupWhenItsDueTimeComes() { // RULES 2
        long group = create();
        long id = put(task().group(group).delay(seconds(10))).id();
        assertThat(state(id)).isEqualTo(TaskState.WAITING);

        advance(seconds(10));

        assertThat(state(id)).isEqualTo(TaskState.WAITING);
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aDelayCountsFromThePutAndNotFromTheStart() { // RULES 2
        long group = create();
        long id = put(task().group(group).delay(seconds(10))).id();
        advance(seconds(6));

        storage.startGroup(group);

        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
        advance(seconds(4));
        assertThat(takeIds(9)).containsExactly(id);
    }

    @Test
    void aTaskWhoseDelayIsOverAtTheStartIsReadyAtOnce() {
        long group = create();
        long id = put(task().group(group).delay(seconds(10))).id();
        advance(seconds(11));

        storage.startGroup(group);

        assertThat(takeIds(9)).containsExactly(id);
    }

    @Test
    void theKeyIsTheLastGate() { // RULES 2
        long group = create();
        put(task().key("k"));
        Lease lease = take().lease();
        long id = put(task().group(group).key("k")).id();
        storage.startGroup(group);

        assertThat(take(9)).isEmpty();
        assertThat(state(id)).isEqualTo(TaskState.WAITING);
        ack(lease);
        assertThat(takeIds(9)).containsExactly(id);
    }

    @Test
    void aTaskThatComesBackFindsItsStartedGroupOpen() {
        createStarted(1);
        TakenTask taken = take();

        settle(Settle.release(taken.lease()));

        assertThat(takeIds(1)).containsExactly(taken.id());
    }

    @Test
    void aTaskKickedInAnUnstartedGroupWaitsAgain() { // RULES 2: every way back passes all gates
        long group = create();
        long id = putIn(group);
        storage.bury(id, "aside");

        storage.kick(id);

        assertThat(state(id)).isEqualTo(TaskState.WAITING);
        storage.startGroup(group);
        assertThat(takeIds(9)).containsExactly(id);
    }

    // Start

    @Test
    void anEmptyGroupIsCompleteAsSoonAsItStarts() { // R34, C12
        long group = create();

        GroupInfo started = storage.startGroup(group);

        assertThat(started.state()).isEqualTo(State.COMPLETED);
        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void anEmptyGroupIsNotCompleteBeforeItStarts() {
        long group = create();
        storage.delete(putIn(group));
        sweep();

        assertEnded(group, State.OPEN);
    }

    @Test
    void aSecondStartChangesNothing() {
        long group = createStarted(1);
        take();

        assertThat(storage.startGroup(group)).isEqualTo(info(group));

        assertCounts(group, 0, 1, 0, 0, 0);
        assertEnded(group, State.STARTED);
    }

    @Test
    void tasksMayBePutIntoAStartedGroup() {
        long group = createStarted(1);
        Lease first = take().lease();
        long late = putIn(group);
        ack(first);
        assertEnded(group, State.STARTED);

        assertThat(takeIds(9)).containsExactly(late);
    }

    @Test
    void aTaskMayPutItsSuccessorsBeforeItEnds() { // G35
        long group = createStarted(1);

        for (int i = 0; i < 3; i++) {
            Lease lease = take().lease();
            putIn(group);
            ack(lease);
            assertEnded(group, State.STARTED);
        }
        ack(take().lease());

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 4, 0, 0);
    }

    @Test
    void aGroupHoldsTasksOfSeveralQueues() {
        storage.createQueue("other", QueueOptions.standard());
        long group = create();
        putIn(group);
        put(NewTask.to("other").group(group));
        storage.startGroup(group);

        ack(take().lease());
        assertEnded(group, State.STARTED);
        ack(take(TakeRequest.from("other")).get(0).lease());

        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void groupsDoNotDisturbEachOther() {
        long one = create(spec("one"));
        long two = create(spec("two"));
        long ofOne = putIn(one);
        putIn(two);

        storage.startGroup(one);

        assertThat(takeIds(9)).containsExactly(ofOne);
        storage.cancelGroup(two, "not needed");
        assertThat(groupState(one)).isEqualTo(State.STARTED);
        assertThat(groupState(two)).isEqualTo(State.CANCELED);
    }

    // End

    @Test
    void aGroupIsCompleteWhenItsLastTaskIsAcknowledged() { // R33
        long group = createStarted(2);

        ack(take().lease());
        assertEnded(group, State.STARTED);
        ack(take().lease());

        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void aRunningTaskKeepsItsGroupIncomplete() { // R.3-6, C12
        long group = createStarted(2);
        take();
        ack(take().lease());

        advance(minutes(1));

        assertEnded(group, State.STARTED);
        assertCounts(group, 0, 1, 1, 0, 0);
    }

    @Test
    void aTaskThatIsTriedAgainKeepsItsGroupIncomplete() {
        long group = createStarted(1);

        settle(Settle.retry(take().lease(), When.in(minutes(1)), "not yet"));

        assertEnded(group, State.STARTED);
        assertCounts(group, 1, 0, 0, 0, 0);
    }

    @Test
    void theEndTaskIsPutOnceAndRunsOutsideTheGroup() { // R33, RULES 18
        long group = createStarted(1);
        Lease lease = take().lease();
        ack(lease);
        ack(lease);
        sweep();

        assertEnded(group, State.COMPLETED, "end");
        Task end = peek(info(group).closingTask().orElseThrow());
        assertThat(end.payload().text()).isEqualTo("end");
        assertThat(end.group()).isEmpty();
        assertCounts(group, 0, 0, 1, 0, 0);
    }

    @Test
    void anEndTaskHasEverythingItWasGiven() {
        NewTask end = NewTask.to(CLOSING)
                .payload("end")
                .priority(7)
                .key("k")
                .tenant("t")
                .tag("n", 5)
                .delay(seconds(5))
                .build();
        long group = createStarted(GroupSpec.named("g").end(end), 0);

        Task put = peek(info(group).closingTask().orElseThrow());

        assertThat(put.state()).isEqualTo(TaskState.SCHEDULED);
        assertThat(put.due()).isEqualTo(now().plus(seconds(5)));
        assertThat(put.priority()).isEqualTo(7);
        assertThat(put.key()).contains("k");
        assertThat(put.tenant()).contains("t");
        assertThat(put.tags()).containsEntry("n", 5L);
    }

    @Test
    void aGroupWithoutAnEndTaskEndsQuietly() {
        long group = createStarted(GroupSpec.named("g"), 1);

        ack(take().lease());

        assertThat(groupState(group)).isEqualTo(State.COMPLETED);
        assertThat(info(group).closingTask()).isEmpty();
    }

    @Test
    void aDeletedTaskLetsItsGroupEnd() {
        long group = createStarted(1);

        storage.delete(storage.list(TaskQuery.of(Q)).get(0).id());

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 0, 0, 1);
    }

    @Test
    void aTaskThatExpiresCountsAsFailedAndLetsItsGroupEnd() {
        long group = create();
        put(task().group(group).ttl(seconds(5)));
        storage.startGroup(group);

        advance(seconds(5));

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 0, 1, 0);
    }

    @Test
    void aBuriedTaskCountsAsFailedAndLetsItsGroupEnd() { // RULES 16
        long group = createStarted(2);

        settle(Settle.bury(take().lease(), "aside"));
        assertCounts(group, 1, 0, 0, 1, 0);
        ack(take().lease());

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 1, 1, 0);
    }

    @Test
    void aTaskForTheDeadHandlerHasFailedForItsGroupAndItsDeadRunIsOutside() {
        createStrictQueue(Exhaustion.DEAD_HANDLER);
        long group = createStarted(1);
        Lease lease = take().lease();
        long id = failOne(group);
        ack(lease);

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 1, 1, 0);
        Task dead = take(TakeRequest.from("strict")).get(0).task();
        assertThat(dead.deadOf()).hasValue(id);
        assertThat(dead.group()).isEmpty();
    }

    @Test
    void theCountsAddUpAtEveryStep() {
        long group = create();
        assertCounts(group, 0, 0, 0, 0, 0);
        IntStream.range(0, 5).forEach(i -> putIn(group));
        put(task().group(group).delay(minutes(1)));
        assertCounts(group, 6, 0, 0, 0, 0);
        storage.startGroup(group);
        assertCounts(group, 6, 0, 0, 0, 0);
        List<TakenTask> taken = take(4);
        assertCounts(group, 2, 4, 0, 0, 0);
        ack(taken.get(0).lease());
        assertCounts(group, 2, 3, 1, 0, 0);
        settle(Settle.bury(taken.get(1).lease(), "aside"));
        assertCounts(group, 2, 2, 1, 1, 0);
        storage.delete(taken.get(2).id());
        assertCounts(group, 2, 1, 1, 1, 1);
        settle(Settle.fail(taken.get(3).lease(), "again"));
        assertCounts(group, 3, 0, 1, 1, 1);
        storage.kick(taken.get(1).id());
        assertCounts(group, 4, 0, 1, 0, 1);
        storage.cancelGroup(group, "enough");
        assertCounts(group, 0, 0, 1, 0, 5);
        assertThat(info(group).total()).isEqualTo(6);
    }

    // Closing tasks

    @Test
    void theClosingTasksCanBeSetUntilTheGroupHasEnded() { // R32: SetEndWork
        long group = create(GroupSpec.named("g"));
        putIn(group);
        storage.startGroup(group);
        Lease lease = take().lease();

        storage.setGroupTasks(group, Optional.of(END), Optional.of(ABORT));
        ack(lease);

        assertEnded(group, State.COMPLETED, "end");
        assertClosed(() -> storage.setGroupTasks(group, Optional.empty(), Optional.empty()));
    }

    @Test
    void theAbortTaskCanStillBeChangedWhileRunningTasksEnd() {
        long group = createStarted(1);
        Lease lease = take().lease();
        storage.cancelGroup(group, "enough");
        NewTask other = NewTask.to(CLOSING).payload("other").build();

        storage.setGroupTasks(group, Optional.empty(), Optional.of(other));
        ack(lease);

        assertEnded(group, State.CANCELED, "other");
    }

    @Test
    void closingTasksThatAreSetToNothingAreNotPut() {
        long group = create();

        storage.setGroupTasks(group, Optional.empty(), Optional.empty());
        storage.startGroup(group);

        assertEnded(group, State.COMPLETED);
    }

    @Test
    void aClosingTaskForAnUnknownQueueIsRefused() {
        NewTask lost = NewTask.to("nowhere").build();

        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> create(GroupSpec.named("g").end(lost)));
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> create(GroupSpec.named("g").abort(lost)));
        assertThat(storage.group("g")).isEmpty();
    }

    @Test
    void aClosingTaskIsPutEvenOverTheCapacity() {
        NewTask end = NewTask.to("small").payload("end").build();
        storage.createQueue("small", QueueOptions.builder().capacity(1).build());
        storage.put(List.of(end));

        long group = createStarted(GroupSpec.named("g").end(end), 0);

        assertThat(take(TakeRequest.from("small").count(9)))
                .extracting(TakenTask::id)
                .contains(info(group).closingTask().orElseThrow())
                .hasSize(2);
        assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> storage.put(List.of(end)));
    }

    @Test
    void aClosingTaskIsPutEvenIntoAQueueThatWasDropped() {
        long group = create();
        storage.drop(CLOSING);

        storage.startGroup(group);

        assertThat(take(TakeRequest.from(CLOSING)))
                .extracting(TakenTask::id)
                .containsExactly(info(group).closingTask().orElseThrow());
    }

    @Test
    void aClosingTaskOutlivesTheDropThatEndsItsGroup() {
        long group = create();
        put(NewTask.to(CLOSING).group(group));
        storage.startGroup(group);

        storage.drop(CLOSING);

        assertThat(groupState(group)).isEqualTo(State.COMPLETED);
        assertThat(take(TakeRequest.from(CLOSING)))
                .extracting(TakenTask::id)
                .containsExactly(info(group).closingTask().orElseThrow());
    }

    // Cancel

    @Test
    void anUnstartedGroupThatIsCanceledEndsAtOnce() { // R35
        long group = create();
        long id = putIn(group);

        GroupInfo canceled = storage.cancelGroup(group, "not needed");

        assertThat(canceled.state()).isEqualTo(State.CANCELED);
        assertEnded(group, State.CANCELED, "abort");
        assertThat(state(id)).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void anEmptyGroupCanBeCanceled() {
        long group = create();

        storage.cancelGroup(group, "not needed");

        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void aCancelDropsWhatDoesNotRunAndSaysWhy() { // R35, C13
        long group = create();
        put(task().key("k"));
        take();
        long behindKey = put(task().group(group).key("k")).id();
        storage.startGroup(group);
        assertThat(take(9)).isEmpty();
        long scheduled = put(task().group(group).delay(minutes(1))).id();
        long ready = putIn(group);

        storage.cancelGroup(group, "customer left");

        assertThat(List.of(behindKey, scheduled, ready)).allSatisfy(id -> {
            assertThat(state(id)).isEqualTo(TaskState.CANCELED);
            assertThat(peek(id).message().orElse("")).contains("customer left");
        });
        advance(minutes(1));
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aCanceledGroupWaitsForItsRunningTasks() { // C13
        long group = createStarted(3);
        Lease lease = take().lease();

        storage.cancelGroup(group, "enough");

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

        storage.cancelGroup(group, "enough");

        assertThat(peek(taken.id()).cancelRequested()).isFalse();
        advance(minutes(1));
        assertThat(ack(taken.lease()).state()).isEqualTo(TaskState.DONE);
    }

    @Test
    void theOutcomeOfARunningTaskOfACanceledGroupIsIgnored() { // C13
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
            storage.cancelGroup(group, "enough");

            assertThat(settle(outcome.apply(taken.lease())).state()).isEqualTo(TaskState.CANCELED);

            assertThat(groupState(group)).isEqualTo(State.CANCELED);
            assertThat(state(taken.id())).isEqualTo(TaskState.CANCELED);
        }
    }

    @Test
    void aFailureInACanceledGroupDoesNotMakeItAFailedOne() {
        long group = createStarted(spec("g").onFailure(OnFailure.CANCEL_GROUP), 1);
        Lease lease = take().lease();
        storage.cancelGroup(group, "enough");

        settle(Settle.bury(lease, "aside"));

        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void aTaskLostInACanceledGroupDoesNotComeBack() {
        long group = createStarted(1);
        long id = take().id();
        storage.cancelGroup(group, "enough");

        storage.closeSession(session);

        assertThat(state(id)).isEqualTo(TaskState.CANCELED);
        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void theAbortTaskIsPutOnceHoweverOftenTheGroupIsCanceled() { // RULES 18
        long group = createStarted(1);
        Lease lease = take().lease();
        storage.cancelGroup(group, "enough");
        storage.cancelGroup(group, "again");
        ack(lease);
        GroupInfo ended = info(group);

        assertThat(storage.cancelGroup(group, "once more")).isEqualTo(ended);

        sweep();
        assertEnded(group, State.CANCELED, "abort");
    }

    @Test
    void aCompletedGroupCannotBeCanceled() {
        long group = createStarted(0);

        assertClosed(() -> storage.cancelGroup(group, "too late"));

        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void aCanceledTaskFreesItsAddress() {
        long group = create();
        put(task().group(group).address("a"));

        storage.cancelGroup(group, "not needed");

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
    void aGroupThatIsToBeCanceledFailsWithItsFirstFailure() {
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
    void aBuriedTaskFailsAGroupThatIsToBeCanceled() { // RULES 16
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
    void theQueueMayFailTheGroup() { // RULES 18, O29
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
    void theGroupsPolicyBeatsTheQueues() { // RULES 18
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
    void aKickedTaskRejoinsItsRunningGroup() { // RULES 16
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
    void aTaskKickedAfterItsGroupHasEndedRunsOutsideIt() { // RULES 16
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
        storage.cancelGroup(group, "enough");

        storage.kick(running.get(0).id());

        assertThat(state(running.get(0).id())).isEqualTo(TaskState.CANCELED);
        assertThat(take(9)).isEmpty();
        ack(running.get(1).lease());
        assertEnded(group, State.CANCELED, "abort");
    }

    // Closed groups and names

    @Test
    void aClosedGroupTakesNoTasks() { // RULES 18
        long completed = createStarted(spec("completed"), 0);
        long canceled = create(spec("canceled"));
        storage.cancelGroup(canceled, "not needed");
        long canceling = createStarted(spec("canceling"), 1);
        take();
        storage.cancelGroup(canceling, "enough");

        for (long group : List.of(completed, canceled, canceling)) {
            assertClosed(() -> putIn(group));
            assertClosed(() -> storage.startGroup(group));
        }
    }

    @Test
    void oneTaskForAClosedGroupRefusesItsWholeBatch() {
        long group = createStarted(0);
        NewTask good = task("good").build();
        NewTask late = task("late").group(group).build();

        assertClosed(() -> storage.put(List.of(good, late)));

        assertThat(take(9)).isEmpty();
    }

    @Test
    void namesAreUniqueAmongGroupsThatHaveNotEnded() { // R38
        long group = create();

        assertThatExceptionOfType(GroupExistsException.class).isThrownBy(this::create);
        putIn(group);
        storage.startGroup(group);
        assertThatExceptionOfType(GroupExistsException.class).isThrownBy(this::create);
        take();
        storage.cancelGroup(group, "enough");
        assertThatExceptionOfType(GroupExistsException.class).isThrownBy(this::create);
    }

    @Test
    void theNameOfAnEndedGroupIsFreeAgain() { // R38
        long old = createStarted(0);
        assertThat(storage.group("g")).isEmpty();

        long recent = create();

        assertThat(recent).isNotEqualTo(old);
        assertThat(storage.group("g").orElseThrow().id()).isEqualTo(recent);
        assertThat(groupState(old)).isEqualTo(State.COMPLETED);
        assertThat(groupState(recent)).isEqualTo(State.OPEN);
    }

    @Test
    void anUnknownGroupIsAnError() {
        long unknown = create() + 1_000_000;

        assertThat(storage.group(unknown)).isEmpty();
        assertThat(storage.group("unknown")).isEmpty();
        List<Runnable> calls = List.of(
                () -> putIn(unknown),
                () -> storage.startGroup(unknown),
                () -> storage.cancelGroup(unknown, "?"),
                () -> storage.setGroupTasks(unknown, Optional.empty(), Optional.empty()));
        assertThat(calls).allSatisfy(call -> assertThatExceptionOfType(GroupNotFoundException.class)
                .isThrownBy(call::run));
    }

    @Test
    void theTasksOfAGroupCanBeListed() {
        long group = create();
        put("other");
        long first = putIn(group);
        long second = putIn(group);

        assertThat(storage.list(TaskQuery.live().group(group)))
                .extracting(Task::id)
                .containsExactly(first, second);
    }

    // Size

    @Test
    void aGroupOfTenThousandTasksStartsAndIsCanceled() {
        long group = create();
        storage.put(Collections.nCopies(10_000, task().group(group).build()));

        storage.startGroup(group);
        assertThat(storage.stats(Q).count(TaskState.READY)).isEqualTo(10_000);
        List<TakenTask> taken = take(10);
        storage.cancelGroup(group, "enough");

        assertCounts(group, 0, 10, 0, 0, 9_990);
        assertThat(take(1)).isEmpty();
        taken.forEach(t -> ack(t.lease()));
        assertEnded(group, State.CANCELED, "abort");
        assertCounts(group, 0, 0, 10, 0, 9_990);
    }
}
