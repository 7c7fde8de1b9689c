package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupInfo.State;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.QueueFullException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A group that has nothing left to do ends, once, and puts its closing task. Covers R33, R34, R37, C12, rule 16, 18. */
public abstract class GroupEndContract extends GroupTest {

    // When it ends

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
    void theEndTaskIsPutOnceAndRunsOutsideTheGroup() { // R33, rule 18
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
    void anEndTaskHasEverythingItWasGiven() { // R37
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
        storage.groups().start(group);

        advance(seconds(5));

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 0, 1, 0);
    }

    @Test
    void aBuriedTaskCountsAsFailedAndLetsItsGroupEnd() { // rule 16
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
    void theCountsAddUpAtEveryStep() { // R36
        long group = create();
        assertCounts(group, 0, 0, 0, 0, 0);
        IntStream.range(0, 5).forEach(i -> putIn(group));
        put(task().group(group).delay(minutes(1)));
        assertCounts(group, 6, 0, 0, 0, 0);
        storage.groups().start(group);
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
        storage.groups().cancel(group, "enough");
        assertCounts(group, 0, 0, 1, 0, 5);
        assertThat(info(group).total()).isEqualTo(6);
    }

    // Closing tasks

    @Test
    void theClosingTasksCanBeSetUntilTheGroupHasEnded() { // R32: SetEndWork
        long group = create(GroupSpec.named("g"));
        putIn(group);
        storage.groups().start(group);
        Lease lease = take().lease();

        storage.groups().setTasks(group, Optional.of(END), Optional.of(ABORT));
        ack(lease);

        assertEnded(group, State.COMPLETED, "end");
        assertClosed(() -> storage.groups().setTasks(group, Optional.empty(), Optional.empty()));
    }

    @Test
    void theAbortTaskCanStillBeChangedWhileRunningTasksEnd() {
        long group = createStarted(1);
        Lease lease = take().lease();
        storage.groups().cancel(group, "enough");
        NewTask other = NewTask.to(CLOSING).payload("other").build();

        storage.groups().setTasks(group, Optional.empty(), Optional.of(other));
        ack(lease);

        assertEnded(group, State.CANCELED, "other");
    }

    @Test
    void closingTasksThatAreSetToNothingAreNotPut() {
        long group = create();

        storage.groups().setTasks(group, Optional.empty(), Optional.empty());
        storage.groups().start(group);

        assertEnded(group, State.COMPLETED);
    }

    @Test
    void aClosingTaskForAnUnknownQueueIsRefused() {
        NewTask lost = NewTask.to("nowhere").build();

        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> create(GroupSpec.named("g").end(lost)));
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> create(GroupSpec.named("g").abort(lost)));
        assertThat(storage.groups().find("g")).isEmpty();
    }

    @Test
    void aClosingTaskIsPutEvenOverTheCapacity() {
        NewTask end = NewTask.to("small").payload("end").build();
        storage.queues().create("small", QueueOptions.builder().capacity(1).build());
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
        storage.queues().drop(CLOSING);

        storage.groups().start(group);

        assertThat(take(TakeRequest.from(CLOSING)))
                .extracting(TakenTask::id)
                .containsExactly(info(group).closingTask().orElseThrow());
    }

    @Test
    void aClosingTaskOutlivesTheDropThatEndsItsGroup() {
        long group = create();
        put(NewTask.to(CLOSING).group(group));
        storage.groups().start(group);

        storage.queues().drop(CLOSING);

        assertThat(groupState(group)).isEqualTo(State.COMPLETED);
        assertThat(take(TakeRequest.from(CLOSING)))
                .extracting(TakenTask::id)
                .containsExactly(info(group).closingTask().orElseThrow());
    }
}
