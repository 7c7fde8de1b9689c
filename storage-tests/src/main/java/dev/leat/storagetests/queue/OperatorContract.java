package dev.leat.storagetests.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import dev.leat.Attempt;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.SettleResult.Status;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Notice;
import dev.leat.storagetests.ContractTest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What anybody may do to a task without holding it. Covers T18-T21, T26, T.3-7 to T.3-9, R14, C17, rule 2, 11. */
public abstract class OperatorContract extends ContractTest {
    private long group;

    /** A task in each live state. */
    private Map<TaskState, Long> oneInEachLiveState() {
        Map<TaskState, Long> ids = new EnumMap<>(TaskState.class);
        group = storage.groups().create(GroupSpec.named("unstarted")).id();
        ids.put(TaskState.WAITING, put(task().group(group)).id());
        ids.put(TaskState.SCHEDULED, put(task().delay(minutes(5))).id());
        ids.put(TaskState.TAKEN, put("taken"));
        take();
        ids.put(TaskState.BURIED, putBuried(0));
        ids.put(TaskState.READY, put("ready"));
        ids.forEach((state, id) -> assertThat(state(id)).isEqualTo(state));
        return ids;
    }

    private long putBuried(int priority) {
        long id = put(task().priority(priority)).id();
        storage.bury(id, "aside");
        return id;
    }

    private List<Long> kick(int count) {
        return storage.kick(Q, count).stream().map(TaskEvent::taskId).toList();
    }

    private List<Long> list(TaskQuery query) {
        return storage.list(query).stream().map(Task::id).toList();
    }

    private List<Lease> cancelRequests(String ofSession) {
        return storage.sessions().heartbeat(ofSession, Map.of()).cancelRequested();
    }

    private TakenTask takeAndCancel(NewTask.Builder task) {
        put(task);
        TakenTask taken = take();
        storage.cancel(taken.id(), "not needed");
        return taken;
    }

    private void assertGone(Lease lease) {
        assertThat(ack(lease).status()).isEqualTo(Status.GONE);
    }

    // Peek

    @Test
    void aPeekShowsATaskAndChangesNothing() { // T18
        long id = put("a");

        assertThat(peek(id).state()).isEqualTo(TaskState.READY);
        assertThat(peek(id).attempts()).isZero();
        assertThat(takeIds(1)).containsExactly(id);
        assertThat(peek(id).state()).isEqualTo(TaskState.TAKEN);
    }

    @Test
    void aFinishedTaskThatIsKeptCanBePeekedAt() {
        long id = put("a");
        ack(take().lease());

        assertThat(peek(id).state()).isEqualTo(TaskState.DONE);
        assertThat(peek(id).finished()).contains(now());
    }

    // Bury

    @Test
    void aTaskCanBeBuriedFromEveryLiveState() { // T19, rule 2
        oneInEachLiveState().values().forEach(id -> {
            TaskEvent.Kind kind = state(id) == TaskState.BURIED ? TaskEvent.Kind.UNCHANGED : TaskEvent.Kind.BURY;

            TaskEvent event = storage.bury(id, "look at this");

            assertThat(event).isEqualTo(new TaskEvent(kind, Q, id, TaskState.BURIED));
            assertThat(state(id)).isEqualTo(TaskState.BURIED);
        });
        advance(minutes(5));
        storage.groups().start(group);
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aBuriedTaskSaysWhy() {
        long id = put("a");

        storage.bury(id, "look at this");

        assertThat(peek(id).message()).contains("look at this");
    }

    @Test
    void buryingABuriedTaskChangesNothing() { // T19
        long id = put("a");
        storage.bury(id, "first");

        storage.bury(id, "second");

        assertThat(state(id)).isEqualTo(TaskState.BURIED);
        assertThat(peek(id).message()).contains("first");
    }

    @Test
    void aForeignBuryTakesTheLeaseAway() { // T.3-7, C17
        long id = put("a");
        Lease lease = take().lease();

        storage.bury(id, "look at this");

        assertGone(lease);
        assertThat(state(id)).isEqualTo(TaskState.BURIED);
        assertThat(storage.attempts(id))
                .extracting(Attempt::outcome, Attempt::message)
                .containsExactly(tuple(Attempt.Outcome.LOST, "look at this"));
    }

    // Kick

    @Test
    void kicksGoByPriorityAndPlaceNotByTheOrderOfBurials() { // T.3-9
        long a = put("a");
        long b = put("b");
        long c = put("c");
        List.of(c, a, b).forEach(id -> storage.bury(id, "aside"));

        assertThat(kick(2)).containsExactly(a, b);
        assertThat(state(c)).isEqualTo(TaskState.BURIED);
    }

    @Test
    void theMostImportantBuriedTaskIsKickedFirst() { // T.3-9
        long five = putBuried(5);
        long one = putBuried(1);
        long three = putBuried(3);

        assertThat(kick(1)).containsExactly(one);
        assertThat(kick(9)).containsExactly(three, five);
        assertThat(kick(9)).isEmpty();
    }

    @Test
    void aKickTellsWhatBecameOfEachTask() { // T20
        long id = putBuried(0);

        assertThat(storage.kick(Q, 9)).containsExactly(new TaskEvent(TaskEvent.Kind.KICK, Q, id, TaskState.READY));
        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void aKickLeavesOtherQueuesAlone() {
        storage.queues().create("other", QueueOptions.standard());
        long id = put(NewTask.to("other")).id();
        storage.bury(id, "aside");

        assertThat(kick(9)).isEmpty();
        assertThat(state(id)).isEqualTo(TaskState.BURIED);
    }

    @Test
    void aKickedTaskComesBackAtItsOwnPlace() { // rule 1
        long first = put("a");
        long second = put("b");
        storage.bury(first, "aside");

        TaskEvent event = storage.kick(first);

        assertThat(event).isEqualTo(new TaskEvent(TaskEvent.Kind.KICK, Q, first, TaskState.READY));
        assertThat(takeIds(2)).containsExactly(first, second);
    }

    @Test
    void aKickedTaskHasAllItsAttemptsAgainAndKeepsItsHistory() {
        storage.queues()
                .declare(
                        Q,
                        QueueOptions.builder()
                                .retry(RetryPolicy.standard().maxFailures(2).backoff(Backoff.none()))
                                .build(),
                        QueueInfo.SetBy.CODE);
        long id = put("a");
        settle(Settle.fail(take().lease(), "first"));
        settle(Settle.fail(take().lease(), "second"));
        assertThat(state(id)).isEqualTo(TaskState.BURIED);

        storage.kick(id);

        assertThat(peek(id).failures()).isZero();
        assertThat(peek(id).attempts()).isEqualTo(2);
        assertThat(storage.attempts(id)).extracting(Attempt::message).containsExactly("first", "second");
        assertThat(settle(Settle.fail(take().lease(), "third")).state()).isEqualTo(TaskState.READY);
    }

    @Test
    void aKickedTaskPassesEveryGateAgain() { // rule 2
        Map<TaskState, Long> ids = oneInEachLiveState();
        ids.keySet().retainAll(EnumSet.of(TaskState.WAITING, TaskState.SCHEDULED));

        ids.forEach((state, id) -> {
            storage.bury(id, "aside");

            assertThat(storage.kick(id).state()).isEqualTo(state);
            assertThat(state(id)).isEqualTo(state);
        });
    }

    @Test
    void kickingALiveTaskThatIsNotBuriedChangesNothing() {
        Map<TaskState, Long> ids = oneInEachLiveState();
        ids.remove(TaskState.BURIED);

        ids.forEach((state, id) -> {
            assertThat(storage.kick(id).state()).isEqualTo(state);
            assertThat(state(id)).isEqualTo(state);
        });
    }

    // Delete

    @Test
    void aTaskCanBeDeletedFromEveryLiveState() { // T21
        oneInEachLiveState().values().forEach(id -> {
            TaskEvent event = storage.delete(id);

            assertThat(event).isEqualTo(new TaskEvent(TaskEvent.Kind.DELETE, Q, id, TaskState.CANCELED));
            assertThat(peek(id).finished()).contains(now());
        });
        assertThat(storage.queues().stats(Q).live()).isZero();
        assertThat(kick(9)).isEmpty();
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aForeignDeleteTakesTheLeaseAway() { // T.3-7
        long id = put("a");
        Lease lease = take().lease();

        storage.delete(id);

        assertGone(lease);
        assertThat(state(id)).isEqualTo(TaskState.CANCELED);
    }

    // Cancel

    @Test
    void cancelingATaskThatDoesNotRunEndsItAtOnce() { // rule 11
        Map<TaskState, Long> ids = oneInEachLiveState();
        ids.remove(TaskState.TAKEN);

        ids.values().forEach(id -> {
            TaskEvent event = storage.cancel(id, "not needed");

            assertThat(event).isEqualTo(new TaskEvent(TaskEvent.Kind.DELETE, Q, id, TaskState.CANCELED));
            assertThat(peek(id).message()).contains("not needed");
        });
    }

    @Test
    void cancelingARunningTaskTellsItsHolder() { // rule 11
        String other = storage.sessions().open(SessionSpec.named("other"));
        put("a");
        put("b");
        List<TakenTask> taken = take(2);
        assertThat(cancelRequests(session)).isEmpty();

        TaskEvent event = storage.cancel(taken.get(0).id(), "not needed");

        assertThat(event.kind()).isEqualTo(TaskEvent.Kind.UNCHANGED);
        assertThat(event.state()).isEqualTo(TaskState.TAKEN);
        assertThat(peek(taken.get(0).id()).cancelRequested()).isTrue();
        assertThat(peek(taken.get(1).id()).cancelRequested()).isFalse();
        assertThat(storage.sessions().heartbeat(session, Map.of()))
                .isEqualTo(new HeartbeatReply(true, List.of(taken.get(0).lease())));
        assertThat(cancelRequests(other)).isEmpty();
    }

    @Test
    void theHolderIsWokenToHearOfACancel() { // rule 11
        long id = put("a");
        take();
        Queue<Notice> notices = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(notices::add)) {
            storage.cancel(id, "not needed");
            await().untilAsserted(() -> assertThat(notices).contains(new Notice.SessionNews(session)));
        }
    }

    @Test
    void anySettleOfACanceledTaskIsAcceptedAndEndsIt() { // rule 11
        Map<String, Function<Lease, Settle>> settles = Map.of(
                "ack", Settle::ack,
                "fail", lease -> Settle.fail(lease, "stopped"),
                "retry", lease -> Settle.retry(lease, When.in(minutes(1)), "stopped"),
                "release", Settle::release,
                "delayed release", lease -> Settle.release(lease, minutes(1)),
                "bury", lease -> Settle.bury(lease, "stopped"),
                "give back", Settle::giveBack);

        settles.forEach((name, how) -> {
            TakenTask taken = takeAndCancel(task(name));
            Settle settle = how.apply(taken.lease());

            assertThat(settle(settle)).as(name).isEqualTo(SettleResult.done(Q, TaskState.CANCELED));
            assertThat(settle(settle)).as(name).isEqualTo(SettleResult.already(Q, TaskState.CANCELED));
            assertThat(state(taken.id())).as(name).isEqualTo(TaskState.CANCELED);
        });
        assertThat(cancelRequests(session)).isEmpty();
    }

    @Test
    void aCanceledTaskIsTakenAwayAfterTenSeconds() { // rule 11
        TakenTask taken = takeAndCancel(task());

        advance(seconds(9));
        assertThat(state(taken.id())).isEqualTo(TaskState.TAKEN);

        advance(seconds(1));
        assertThat(state(taken.id())).isEqualTo(TaskState.CANCELED);
        assertGone(taken.lease());
        assertThat(cancelRequests(session)).isEmpty();
    }

    @Test
    void cancelingTwiceDoesNotGiveMoreTime() {
        TakenTask taken = takeAndCancel(task());
        advance(seconds(6));

        storage.cancel(taken.id(), "really not");
        advance(seconds(4));

        assertThat(state(taken.id())).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void aTouchDoesNotPutOffTheEndOfACanceledTask() {
        TakenTask taken = takeAndCancel(task().ttr(seconds(5)));

        storage.touch(List.of(new Touch(taken.lease(), minutes(1))));
        advance(seconds(10));

        assertThat(state(taken.id())).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void aCanceledTaskThatIsLostDoesNotComeBack() {
        TakenTask overTime = takeAndCancel(task().ttr(seconds(5)));
        TakenTask orphaned = takeAndCancel(task());

        advance(seconds(5));
        storage.sessions().close(session);

        assertThat(state(overTime.id())).isEqualTo(TaskState.CANCELED);
        assertThat(state(orphaned.id())).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void aTaskTakenWithoutASessionCanBeCanceledToo() {
        long id = put("a");
        storage.take(TakeRequest.from(Q));

        storage.cancel(id, "not needed");
        advance(seconds(10));

        assertThat(state(id)).isEqualTo(TaskState.CANCELED);
    }

    @Test
    void deleteAndBuryEndARunningTaskEvenWhileACancelIsUnderWay() {
        TakenTask deleted = takeAndCancel(task());
        TakenTask buried = takeAndCancel(task());

        storage.delete(deleted.id());
        storage.bury(buried.id(), "look at this");

        assertThat(state(deleted.id())).isEqualTo(TaskState.CANCELED);
        assertThat(state(buried.id())).isEqualTo(TaskState.BURIED);
        assertGone(deleted.lease());
        assertGone(buried.lease());
    }

    // Unknown and finished tasks

    @Test
    void anUnknownTaskIsNotFound() { // T.3-8
        long unknown = put("a") + 1_000_000;
        Map<String, ThrowingCallable> calls = Map.of(
                "bury", () -> storage.bury(unknown, "?"),
                "kick", () -> storage.kick(unknown),
                "delete", () -> storage.delete(unknown),
                "cancel", () -> storage.cancel(unknown, "?"),
                "attempts", () -> storage.attempts(unknown));

        assertThat(storage.peek(unknown)).isEmpty();
        calls.forEach((name, call) -> assertThatThrownBy(call)
                .as(name)
                .isInstanceOf(TaskNotFoundException.class)
                .hasMessageContaining("Task " + unknown + " not found"));
    }

    @Test
    void aLeaseThatWasNeverGivenSettlesNothing() { // T.3-8
        long id = put("a");
        Lease held = take().lease();
        Lease forged = Lease.of(id, held.nonce() + 1);
        Lease unknown = Lease.of(id + 1_000_000, held.nonce());

        assertGone(forged);
        assertGone(unknown);
        assertThat(ack(held).status()).isEqualTo(Status.DONE);
    }

    @Test
    void nothingChangesAFinishedTask() {
        long id = put("a");
        ack(take().lease());
        Map<String, LongFunction<TaskEvent>> verbs = Map.of(
                "bury",
                task -> storage.bury(task, "?"),
                "kick",
                storage::kick,
                "delete",
                storage::delete,
                "cancel",
                task -> storage.cancel(task, "?"));

        verbs.forEach((name, verb) -> {
            assertThat(verb.apply(id).state()).as(name).isEqualTo(TaskState.DONE);
            assertThat(state(id)).as(name).isEqualTo(TaskState.DONE);
            assertThat(peek(id).message()).as(name).isEmpty();
        });
        assertThat(kick(9)).isEmpty();
        assertThat(take(9)).isEmpty();
    }

    // List

    @Test
    void tasksAreListedByState() { // T26
        Map<TaskState, Long> ids = oneInEachLiveState();
        long deleted = put("deleted");
        storage.delete(deleted);

        ids.forEach((state, id) ->
                assertThat(list(TaskQuery.of(Q).state(state))).as(state.name()).containsExactly(id));
        assertThat(list(TaskQuery.of(Q).states(EnumSet.of(TaskState.BURIED, TaskState.SCHEDULED))))
                .containsExactly(ids.get(TaskState.SCHEDULED), ids.get(TaskState.BURIED));
        assertThat(list(TaskQuery.of(Q))).containsExactlyInAnyOrderElementsOf(ids.values());
        assertThat(list(TaskQuery.of(Q).states(TaskState.finished()))).containsExactly(deleted);
        assertThat(list(TaskQuery.of(Q).states(EnumSet.noneOf(TaskState.class))))
                .isEmpty();
    }

    @Test
    void tasksAreListedByEveryFilter() { // N16, R14
        storage.queues().create("other", QueueOptions.standard());
        long open = storage.groups().create(GroupSpec.named("open")).id();
        long other = put(NewTask.to("other")).id();
        long plain = put(task()).id();
        long typed = put(task().type("mail")).id();
        long tenant = put(task().tenant("acme")).id();
        long keyed = put(task().key("k")).id();
        long addressed = put(task().address("a")).id();
        long grouped = put(task().group(open)).id();

        assertThat(list(TaskQuery.live())).containsExactly(other, plain, typed, tenant, keyed, addressed, grouped);
        assertThat(list(TaskQuery.of("other"))).containsExactly(other);
        assertThat(list(TaskQuery.of(Q).type("mail"))).containsExactly(typed);
        assertThat(list(TaskQuery.of(Q).tenant("acme"))).containsExactly(tenant);
        assertThat(list(TaskQuery.of(Q).key("k"))).containsExactly(keyed);
        assertThat(list(TaskQuery.of(Q).address("a"))).containsExactly(addressed);
        assertThat(list(TaskQuery.of(Q).group(open))).containsExactly(grouped);
        assertThat(list(TaskQuery.of("other").type("mail"))).isEmpty();
    }

    @Test
    void tasksOfSomeTypesAreListedWhileTheyWaitAndRunAndAreNotClaimed() { // R14
        long running = put(task().type("mail").priority(-1)).id();
        long later = put(task().type("fax").delay(seconds(60))).id();
        put(task().type("letter"));
        put("untyped");
        long ready = put(task().type("mail")).id();
        take();
        TaskQuery some = TaskQuery.of(Q).types(Set.of("mail", "fax"));

        assertThat(list(some)).containsExactly(running, later, ready);
        assertThat(list(some.limit(2))).containsExactly(running, later);
        assertThat(list(some.after(running))).containsExactly(later, ready);
        assertThat(list(some.state(TaskState.TAKEN))).containsExactly(running);
        assertThat(list(TaskQuery.of(Q).types(Set.of()))).isEmpty();
        assertThat(peek(ready).attempts()).isZero();
    }

    @Test
    void filtersAreCombined() {
        put(task().type("mail").tenant("acme"));
        long both = put(task().type("mail").tenant("acme").priority(-1)).id();
        put(task().type("mail").tenant("other"));
        take();

        assertThat(list(TaskQuery.of(Q).type("mail").tenant("acme").state(TaskState.TAKEN)))
                .containsExactly(both);
    }

    @Test
    void listsAreReadInPagesById() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ids.add(put(task().priority(-i)).id());
        }
        TaskQuery pages = TaskQuery.of(Q).limit(3);

        List<Long> first = list(pages);
        List<Long> second = list(pages.after(first.get(2)));
        List<Long> third = list(pages.after(second.get(2)));

        assertThat(first).isEqualTo(ids.subList(0, 3));
        assertThat(second).isEqualTo(ids.subList(3, 6));
        assertThat(third).isEqualTo(ids.subList(6, 7));
        assertThat(list(pages.after(ids.get(6)))).isEmpty();
    }

    @Test
    void aListHasAHundredTasksUnlessItAsksForMore() {
        for (int i = 0; i < 101; i++) {
            put("t" + i);
        }

        assertThat(list(TaskQuery.of(Q))).hasSize(100);
        assertThat(list(TaskQuery.of(Q).limit(Integer.MAX_VALUE))).hasSize(101);
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> TaskQuery.of(Q).limit(0));
    }
}
