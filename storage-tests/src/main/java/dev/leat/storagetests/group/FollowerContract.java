package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupInfo.State;
import dev.leat.GroupSpec;
import dev.leat.GroupSpec.OnFailure;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Predecessor;
import dev.leat.Predecessor.Until;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.GroupExistsException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.storage.GroupPut;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** A task waits for others of its group, as it waits for the group itself. Covers rule 2, 16, 18. */
public abstract class FollowerContract extends GroupTest {
    private long group;

    /** A started group that does not end, because somebody runs a task of it. */
    private void start() {
        start(spec("g"));
    }

    private void start(GroupSpec spec) {
        storage.queues().create("holding", QueueOptions.standard());
        group = create(spec);
        put(NewTask.to("holding").group(group));
        storage.groups().start(group);
        take(TakeRequest.from("holding"));
    }

    private NewTask.Builder member() {
        return task().group(group);
    }

    private long putAfter(long... before) {
        return put(member().after(before)).id();
    }

    private Lease takeOf(long id) {
        return take(9).stream()
                .filter(taken -> taken.id() == id)
                .findFirst()
                .orElseThrow(() -> new AssertionError("task " + id + " cannot be taken, it is " + state(id)))
                .lease();
    }

    private void assertCanceledBecauseOf(long before, long follower, TaskState end) {
        assertThat(state(follower)).isEqualTo(TaskState.CANCELED);
        assertThat(peek(follower).message()).contains("task " + before + ", which it was to follow, ended as " + end);
    }

    // Waiting

    @Test
    void aTaskWaitsUntilTheOneBeforeItIsDone() { // rule 2
        start();
        long first = putIn(group);
        PutResult second = put(member().after(first));
        assertThat(second.created()).isTrue();
        assertThat(second.state()).isEqualTo(TaskState.WAITING);
        Lease lease = takeOf(first);
        assertThat(take(9)).isEmpty();

        ack(lease);

        assertThat(state(second.id())).isEqualTo(TaskState.READY);
        assertThat(takeIds(9)).containsExactly(second.id());
    }

    @Test
    void aTaskWaitsForAllThatAreBeforeIt() {
        start();
        long one = putIn(group);
        long two = putIn(group);
        long last = putAfter(one, two);
        List<Lease> leases = take(2).stream().map(t -> t.lease()).toList();

        ack(leases.get(1));
        assertThat(state(last)).isEqualTo(TaskState.WAITING);
        ack(leases.get(0));

        assertThat(takeIds(9)).containsExactly(last);
    }

    @Test
    void severalTasksMayWaitForOne() {
        start();
        long first = putIn(group);
        long one = putAfter(first);
        long two = putAfter(first);

        ack(takeOf(first));

        assertThat(takeIds(9)).containsExactly(one, two);
    }

    @Test
    void aTaskThatIsTriedAgainHasNotEnded() {
        start();
        long first = putIn(group);
        long second = putAfter(first);

        settle(Settle.release(takeOf(first)));
        assertThat(state(second)).isEqualTo(TaskState.WAITING);
        settle(Settle.fail(takeOf(first), "again"));
        assertThat(state(second)).isEqualTo(TaskState.WAITING);
    }

    @Test
    void aTaskAfterOneThatIsDoneAlreadyIsReady() {
        start();
        long first = putIn(group);
        ack(takeOf(first));

        assertThat(put(member().after(first)).state()).isEqualTo(TaskState.READY);
    }

    @Test
    void tasksWaitForTheirGroupAsWell() { // rule 2
        group = create();
        long first = putIn(group);
        long second = putAfter(first);
        assertThat(take(9)).isEmpty();

        storage.groups().start(group);

        assertThat(takeIds(9)).containsExactly(first);
        assertThat(state(second)).isEqualTo(TaskState.WAITING);
    }

    @Test
    void theOtherGatesComeAfterwards() { // rule 2
        start();
        long first = putIn(group);
        long later = put(member().after(first).delay(minutes(1))).id();
        long keyed = put(member().after(first).key("k")).id();
        assertThat(state(later)).isEqualTo(TaskState.WAITING);
        Lease lease = takeOf(first);
        put(task().key("k"));
        take();

        ack(lease);

        assertThat(state(later)).isEqualTo(TaskState.SCHEDULED);
        assertThat(state(keyed)).isEqualTo(TaskState.READY);
        assertThat(take(9)).isEmpty();
        assertThat(state(keyed)).isEqualTo(TaskState.WAITING);
        advance(minutes(1));
        assertThat(takeIds(9)).containsExactly(later);
    }

    @Test
    void theDelayCountsFromThePut() {
        start();
        long first = putIn(group);
        long second = put(member().after(first).delay(minutes(1))).id();
        Lease lease = takeOf(first);
        advance(minutes(1));

        ack(lease);

        assertThat(state(second)).isEqualTo(TaskState.READY);
    }

    @Test
    void aTaskThatWaitsKeepsItsGroupFromEnding() {
        group = create();
        long first = putIn(group);
        putAfter(first);
        storage.groups().start(group);

        ack(take().lease());
        assertEnded(group, State.STARTED);
        assertCounts(group, 1, 0, 1, 0, 0);
        ack(take().lease());

        assertEnded(group, State.COMPLETED, "end");
    }

    @Test
    void aLongChainRunsOneByOne() {
        start();
        List<Long> chain = new ArrayList<>(List.of(putIn(group)));
        for (int i = 1; i < 20; i++) {
            chain.add(putAfter(chain.get(i - 1)));
        }

        for (long id : chain) {
            assertThat(storage.queues().stats(Q).count(TaskState.READY)).isEqualTo(1);
            ack(takeOf(id));
        }
    }

    @Test
    void whatATaskWaitsForCanBeSeen() {
        start();
        long one = putIn(group);
        long two = putIn(group);
        long last = put(member().after(one).afterEnd(two)).id();

        assertThat(peek(last).after())
                .containsExactlyInAnyOrder(
                        new Predecessor.Known(one, Until.DONE), new Predecessor.Known(two, Until.ENDED));
        assertThat(peek(one).after()).isEmpty();
        assertThat(storage.list(TaskQuery.live().group(group)))
                .filteredOn(t -> t.id() == last)
                .singleElement()
                .satisfies(t -> assertThat(t.after()).hasSize(2));
        take(2).forEach(t -> ack(t.lease()));
        ack(takeOf(last));
        assertThat(peek(last).after()).hasSize(2);
    }

    // When the one before ends badly

    /** Each way to end other than well, told what it is to be done to. */
    private List<LongConsumer> badEnds() {
        return List.of(
                id -> settle(Settle.bury(takeOf(id), "aside")),
                id -> storage.delete(id),
                id -> storage.cancel(id, "not needed"),
                id -> storage.bury(id, "aside"));
    }

    @Test
    void aTaskIsCanceledWhenTheOneBeforeItEndsInAnyOtherWay() {
        start();
        for (LongConsumer end : badEnds()) {
            long first = putIn(group);
            long second = putAfter(first);

            end.accept(first);

            assertCanceledBecauseOf(first, second, state(first));
        }
    }

    @Test
    void aTaskIsCanceledWhenTheOneBeforeItFails() {
        createStrictQueue(Exhaustion.FAIL);
        start();
        long first = put(NewTask.to("strict").group(group)).id();
        long second = putAfter(first);

        settle(Settle.fail(take(TakeRequest.from("strict")).get(0).lease(), "broken"));

        assertCanceledBecauseOf(first, second, TaskState.FAILED);
        assertCounts(group, 0, 1, 0, 1, 1);
    }

    @Test
    void aTaskIsCanceledWhenTheOneBeforeItExpires() {
        start();
        long first = put(member().ttl(seconds(5))).id();
        long second = putAfter(first);

        advance(seconds(5));

        assertCanceledBecauseOf(first, second, TaskState.EXPIRED);
    }

    @Test
    void aTaskIsCanceledWhenTheOneBeforeItIsCanceledWhileItsGroupIsOpen() {
        group = create();
        long first = putIn(group);
        long second = putAfter(first);

        storage.delete(first);

        assertCanceledBecauseOf(first, second, TaskState.CANCELED);
        assertThat(groupState(group)).isEqualTo(State.OPEN);
    }

    @Test
    void aCancelGoesOnAlongTheChain() {
        start();
        long first = putIn(group);
        List<Long> chain = new ArrayList<>(List.of(first));
        for (int i = 1; i < 20; i++) {
            chain.add(putAfter(chain.get(i - 1)));
        }

        settle(Settle.bury(takeOf(first), "aside"));

        assertCanceledBecauseOf(first, chain.get(1), TaskState.BURIED);
        for (int i = 2; i < chain.size(); i++) {
            assertCanceledBecauseOf(chain.get(i - 1), chain.get(i), TaskState.CANCELED);
        }
        assertCounts(group, 0, 1, 0, 1, 19);
    }

    @Test
    void aCancelAlongTheChainIsTold() {
        start();
        long first = putIn(group);
        long second = putAfter(first);
        storage.delete(first);

        assertThat(sweep()).contains(new TaskEvent(TaskEvent.Kind.DELETE, Q, second, TaskState.CANCELED));
    }

    @Test
    void aGroupEndsWhenItsChainIsCanceled() {
        group = create();
        long first = putIn(group);
        putAfter(putAfter(first));
        storage.groups().start(group);

        settle(Settle.bury(take().lease(), "aside"));

        assertEnded(group, State.COMPLETED, "end");
        assertCounts(group, 0, 0, 0, 1, 2);
    }

    @Test
    void aTaskThatWaitsForAnyEndGoesOnAfterABadOne() {
        start();
        for (LongConsumer end : badEnds()) {
            long first = putIn(group);
            long second = put(member().afterEnd(first)).id();

            end.accept(first);

            assertThat(state(second)).isEqualTo(TaskState.READY);
            ack(takeOf(second));
        }
    }

    @Test
    void aTaskAfterOneAndAfterTheEndOfAnotherIsCanceledByTheFirstOnly() {
        start();
        long done = putIn(group);
        long ended = putIn(group);
        long goesOn = put(member().after(done).afterEnd(ended)).id();
        long ends = put(member().after(ended).afterEnd(done)).id();

        storage.delete(ended);
        assertThat(state(goesOn)).isEqualTo(TaskState.WAITING);
        assertCanceledBecauseOf(ended, ends, TaskState.CANCELED);
        ack(takeOf(done));

        assertThat(state(goesOn)).isEqualTo(TaskState.READY);
    }

    @Test
    void aTaskAfterOneThatHasEndedBadlyIsPutAndCanceledAtOnce() {
        start();
        long first = putIn(group);
        storage.delete(first);

        PutResult second = put(member().after(first));

        assertThat(second.created()).isTrue();
        assertThat(second.state()).isEqualTo(TaskState.CANCELED);
        assertCanceledBecauseOf(first, second.id(), TaskState.CANCELED);
        assertCounts(group, 0, 1, 0, 0, 2);
        assertThat(put(member().afterEnd(first)).state()).isEqualTo(TaskState.READY);
    }

    @Test
    void aTaskAfterABuriedOneIsCanceledAtOnce() { // rule 16
        start();
        long first = putIn(group);
        storage.bury(first, "aside");

        assertCanceledBecauseOf(first, putAfter(first), TaskState.BURIED);
        assertThat(put(member().afterEnd(first)).state()).isEqualTo(TaskState.READY);
    }

    @Test
    void aTaskThatIsForgottenAtOnceLetsThoseAfterItGo() {
        storage.queues()
                .declare(Q, QueueOptions.builder().retention(Retention.none()).build(), QueueInfo.SetBy.CODE);
        start();
        long first = putIn(group);
        long second = putAfter(first);

        ack(takeOf(first));
        sweep();

        assertThat(storage.peek(first)).isEmpty();
        assertThat(state(second)).isEqualTo(TaskState.READY);
    }

    @Test
    void aGroupThatIsToBeCanceledByAFailureIsCanceledAsAWhole() { // rule 18
        start(spec("g").onFailure(OnFailure.CANCEL_GROUP));
        long first = putIn(group);
        long follower = putAfter(first);
        long other = put(member().afterEnd(first)).id();

        settle(Settle.bury(takeOf(first), "aside"));

        assertThat(groupState(group)).isEqualTo(State.CANCELING);
        assertThat(List.of(follower, other))
                .allSatisfy(id -> assertThat(state(id)).isEqualTo(TaskState.CANCELED));
        assertThat(peek(follower).message().orElse("")).contains("group canceled");
    }

    @Test
    void aGroupThatIsCanceledDropsThoseThatWait() {
        start();
        long first = putIn(group);
        long second = putAfter(first);
        Lease lease = takeOf(first);

        storage.groups().cancel(group, "enough");
        ack(lease);

        assertThat(state(second)).isEqualTo(TaskState.CANCELED);
        assertThat(peek(second).message()).contains("group canceled: enough");
    }

    // By operators

    @Test
    void aKickedTaskDoesNotBringBackThoseThatWereToFollowIt() { // rule 16
        start();
        long first = putIn(group);
        long second = putAfter(first);
        settle(Settle.bury(takeOf(first), "aside"));

        storage.kick(first);
        ack(takeOf(first));

        assertThat(state(second)).isEqualTo(TaskState.CANCELED);
        assertThat(put(member().after(first)).state()).isEqualTo(TaskState.READY);
    }

    @Test
    void aKickedTaskPassesAllGatesAgain() { // rule 2
        start();
        long first = putIn(group);
        long second = putAfter(first);
        storage.bury(second, "aside");

        storage.kick(second);

        assertThat(state(second)).isEqualTo(TaskState.WAITING);
        ack(takeOf(first));
        assertThat(state(second)).isEqualTo(TaskState.READY);
    }

    @Test
    void aTaskThatWasBuriedMeanwhileIsLookedAtWhenItIsKicked() {
        start();
        long good = putIn(group);
        long afterGood = putAfter(good);
        long bad = putIn(group);
        long afterBad = putAfter(bad);
        storage.bury(afterGood, "aside");
        storage.bury(afterBad, "aside");
        ack(takeOf(good));
        storage.delete(bad);
        assertThat(state(afterBad)).isEqualTo(TaskState.BURIED);

        assertThat(storage.kick(afterGood).state()).isEqualTo(TaskState.READY);
        assertThat(storage.kick(afterBad).state()).isEqualTo(TaskState.CANCELED);

        assertCanceledBecauseOf(bad, afterBad, TaskState.CANCELED);
    }

    @Test
    void aTaskThatWaitsCanBeCanceledAndExpires() {
        start();
        long first = putIn(group);
        long canceled = putAfter(first);
        long expiring = put(member().after(first).ttl(seconds(5))).id();

        storage.cancel(canceled, "not needed");
        advance(seconds(5));

        assertThat(state(canceled)).isEqualTo(TaskState.CANCELED);
        assertThat(state(expiring)).isEqualTo(TaskState.EXPIRED);
        ack(takeOf(first));
        assertThat(take(9)).isEmpty();
    }

    // What is refused

    private void assertRefused(Runnable put, String... words) {
        long before = storage.queues().stats(Q).live();
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(put::run)
                .satisfies(e -> assertThat(e.field()).isEqualTo("after"))
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
        assertThat(storage.queues().stats(Q).live()).isEqualTo(before);
    }

    @Test
    void onlyTasksOfTheSameGroupCanBeWaitedFor() {
        start();
        long member = putIn(group);
        long outside = put("x");
        long elsewhere = putIn(create(spec("other")));
        long unknown = elsewhere + 1_000_000;

        assertRefused(() -> put(task().after(member)), "group");
        assertRefused(() -> put(member().after(outside)), "task " + outside, "group " + group);
        assertRefused(() -> put(member().after(member, elsewhere)), "task " + elsewhere);
        assertRefused(() -> put(member().after(unknown)), "task " + unknown);
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> create(
                        GroupSpec.named("closing").end(member().after(member).build())));
    }

    @Test
    void aTaskOfTheSamePutMustComeBefore() {
        start();
        NewTask self = member().after(new Predecessor.InPut(0, Until.DONE)).build();
        NewTask later = member().after(new Predecessor.InPut(2, Until.DONE)).build();
        NewTask outside = member().after(new Predecessor.InPut(0, Until.DONE)).build();

        assertRefused(() -> storage.put(List.of(self)), "before");
        assertRefused(() -> storage.put(List.of(member().build(), later, member().build())), "before");
        assertRefused(() -> storage.put(List.of(task().build(), outside)), "group");
        put(task().address("a"));
        assertRefused(() -> storage.put(List.of(member().address("a").build(), outside)), "group");
    }

    // Together

    private GroupPut putGroup(NewTask.Builder... tasks) {
        return storage.groups()
                .put(
                        spec("w"),
                        List.of(tasks).stream().map(NewTask.Builder::build).toList());
    }

    private static Predecessor at(int position) {
        return new Predecessor.InPut(position, Until.DONE);
    }

    @Test
    void aGroupIsMadeFilledAndStartedInOneStep() {
        GroupPut put = putGroup(
                task("a"),
                task("b").after(at(0)),
                task("c").after(at(0)),
                task("d").after(at(1)).after(at(2)));
        List<Long> ids = put.tasks().stream().map(PutResult::id).toList();

        assertThat(put.group().state()).isEqualTo(State.STARTED);
        assertThat(put.group().total()).isEqualTo(4);
        assertThat(put.tasks())
                .extracting(PutResult::state)
                .containsExactly(TaskState.READY, TaskState.WAITING, TaskState.WAITING, TaskState.WAITING);
        assertThat(peek(ids.get(1)).group()).hasValue(put.group().id());
        assertThat(peek(ids.get(1)).after()).containsExactly(new Predecessor.Known(ids.get(0), Until.DONE));
        ack(take().lease());
        List<Lease> middle = take(9).stream().map(t -> t.lease()).toList();
        assertThat(middle).hasSize(2);
        ack(middle.get(0));
        assertThat(take(9)).isEmpty();
        ack(middle.get(1));
        assertThat(take().id()).isEqualTo(ids.get(3));
    }

    @Test
    void aGroupThatCannotBeMadeLeavesNothing() {
        storage.groups().create(spec("w"));

        assertThatExceptionOfType(GroupExistsException.class).isThrownBy(() -> putGroup(task("a")));
        assertThatExceptionOfType(QueueNotFoundException.class).isThrownBy(() -> storage.groups()
                .put(
                        GroupSpec.named("v"),
                        List.of(task().build(), NewTask.to("nowhere").build())));
        assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> storage.groups()
                .put(
                        GroupSpec.named("v"),
                        List.of(task().build(), task().after(at(1)).build())));

        assertThat(storage.groups().find("v")).isEmpty();
        assertThat(storage.queues().stats(Q).live()).isZero();
    }

    @Test
    void aGroupWhoseTasksAreAllThereAlreadyIsOver() {
        put(task().address("a"));

        GroupPut put = putGroup(task().address("a"));
        sweep();

        assertThat(put.tasks().get(0).created()).isFalse();
        assertEnded(put.group().id(), State.COMPLETED, "end");
    }
}
