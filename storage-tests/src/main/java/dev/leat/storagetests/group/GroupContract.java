package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupInfo;
import dev.leat.GroupInfo.State;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.GroupExistsException;
import dev.leat.error.GroupNotFoundException;
import dev.leat.queue.QueueOptions;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tasks with a joint start: held back until then, and joined by others until the end. Covers R32, R38, C12, rule 2, 18. */
public abstract class GroupContract extends GroupTest {

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
    void startedTasksRunInTheirOwnPlaces() { // rule 1, R7
        long group = create();
        long first = putIn(group);
        long plain = put("plain");
        long second = putIn(group);
        long urgent = put(task().group(group).priority(-1)).id();

        storage.groups().start(group);

        assertThat(takeIds(9)).containsExactly(urgent, first, plain, second);
    }

    @Test
    void aTaskStaysBehindItsGroupWhenItsDueTimeComes() { // rule 2
        long group = create();
        long id = put(task().group(group).delay(seconds(10))).id();
        assertThat(state(id)).isEqualTo(TaskState.WAITING);

        advance(seconds(10));

        assertThat(state(id)).isEqualTo(TaskState.WAITING);
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aDelayCountsFromThePutAndNotFromTheStart() { // rule 2
        long group = create();
        long id = put(task().group(group).delay(seconds(10))).id();
        advance(seconds(6));

        storage.groups().start(group);

        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
        advance(seconds(4));
        assertThat(takeIds(9)).containsExactly(id);
    }

    @Test
    void aTaskWhoseDelayIsOverAtTheStartIsReadyAtOnce() {
        long group = create();
        long id = put(task().group(group).delay(seconds(10))).id();
        advance(seconds(11));

        storage.groups().start(group);

        assertThat(takeIds(9)).containsExactly(id);
    }

    @Test
    void theKeyIsTheLastGate() { // rule 2
        long group = create();
        put(task().key("k"));
        Lease lease = take().lease();
        long id = put(task().group(group).key("k")).id();
        storage.groups().start(group);

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
    void aTaskKickedInAnUnstartedGroupWaitsAgain() { // rule 2: every way back passes all gates
        long group = create();
        long id = putIn(group);
        storage.bury(id, "aside");

        storage.kick(id);

        assertThat(state(id)).isEqualTo(TaskState.WAITING);
        storage.groups().start(group);
        assertThat(takeIds(9)).containsExactly(id);
    }

    // Start

    @Test
    void anEmptyGroupIsCompleteAsSoonAsItStarts() { // R34, C12
        long group = create();

        GroupInfo started = storage.groups().start(group);

        assertThat(started.state()).isEqualTo(State.COMPLETED);
        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void anEmptyGroupIsNotCompleteBeforeItStarts() { // R34
        long group = create();
        storage.delete(putIn(group));
        sweep();

        assertEnded(group, State.OPEN);
    }

    @Test
    void aSecondStartChangesNothing() {
        long group = createStarted(1);
        take();

        assertThat(storage.groups().start(group)).isEqualTo(info(group));

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
        storage.queues().create("other", QueueOptions.standard());
        long group = create();
        putIn(group);
        put(NewTask.to("other").group(group));
        storage.groups().start(group);

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

        storage.groups().start(one);

        assertThat(takeIds(9)).containsExactly(ofOne);
        storage.groups().cancel(two, "not needed");
        assertThat(groupState(one)).isEqualTo(State.STARTED);
        assertThat(groupState(two)).isEqualTo(State.CANCELED);
    }

    // Closed groups and names

    @Test
    void aClosedGroupTakesNoTasks() { // rule 18, R34
        long completed = createStarted(spec("completed"), 0);
        long canceled = create(spec("canceled"));
        storage.groups().cancel(canceled, "not needed");
        long canceling = createStarted(spec("canceling"), 1);
        take();
        storage.groups().cancel(canceling, "enough");

        for (long group : List.of(completed, canceled, canceling)) {
            assertClosed(() -> putIn(group));
            assertClosed(() -> storage.groups().start(group));
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
        storage.groups().start(group);
        assertThatExceptionOfType(GroupExistsException.class).isThrownBy(this::create);
        take();
        storage.groups().cancel(group, "enough");
        assertThatExceptionOfType(GroupExistsException.class).isThrownBy(this::create);
    }

    @Test
    void theNameOfAnEndedGroupIsFreeAgain() { // R38
        long old = createStarted(0);
        assertThat(storage.groups().find("g")).isEmpty();

        long recent = create();

        assertThat(recent).isNotEqualTo(old);
        assertThat(storage.groups().find("g").orElseThrow().id()).isEqualTo(recent);
        assertThat(groupState(old)).isEqualTo(State.COMPLETED);
        assertThat(groupState(recent)).isEqualTo(State.OPEN);
    }

    @Test
    void anUnknownGroupIsAnError() {
        long unknown = create() + 1_000_000;

        assertThat(storage.groups().find(unknown)).isEmpty();
        assertThat(storage.groups().find("unknown")).isEmpty();
        List<Runnable> calls = List.of(
                () -> putIn(unknown),
                () -> storage.groups().start(unknown),
                () -> storage.groups().cancel(unknown, "?"),
                () -> storage.groups().setTasks(unknown, Optional.empty(), Optional.empty()));
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
    void aGroupOfThousandsOfTasksStartsAndIsCanceled() {
        int many = Math.max(2_500, fixture.enough(10_000));
        long group = create();
        storage.put(Collections.nCopies(many, task().group(group).build()));

        storage.groups().start(group);
        assertThat(storage.queues().stats(Q).count(TaskState.READY)).isEqualTo(many);
        List<TakenTask> taken = take(10);
        storage.groups().cancel(group, "enough");

        assertCounts(group, 0, 10, 0, 0, many - 10);
        assertThat(take(1)).isEmpty();
        taken.forEach(t -> ack(t.lease()));
        assertEnded(group, State.CANCELED, "abort");
        assertCounts(group, 0, 0, 10, 0, many - 10);
    }
}
