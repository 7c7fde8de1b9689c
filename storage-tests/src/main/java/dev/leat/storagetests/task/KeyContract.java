package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.storagetests.ContractTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks of one key run one at a time, in order. Covers T3, T4, T.3-5, T.3-6, C14, rule 2, 3, 4. */
public abstract class KeyContract extends ContractTest {
    private static NewTask.Builder keyed() {
        return task().key("k");
    }

    private long putKeyed() {
        return put(keyed()).id();
    }

    /** A taken task of key k, with two more that a take has met behind it. */
    private final class Busy {
        final long head = putKeyed();
        final long second = putKeyed();
        final long third = putKeyed();
        final Lease lease;

        Busy() {
            List<TakenTask> taken = take(3);
            assertThat(taken).extracting(TakenTask::id).containsExactly(head);
            lease = taken.get(0).lease();
        }
    }

    private void assertFreesTheKey(Consumer<Busy> deed) {
        Busy busy = new Busy();
        deed.accept(busy);
        assertThat(takeIds(9)).containsExactly(busy.second);
    }

    /** The second task was promoted when the key was freed; what ends it then must promote the third. */
    private void assertPromotesTheNext(Consumer<Busy> deed) {
        Busy busy = new Busy();
        ack(busy.lease);
        deed.accept(busy);
        assertThat(takeIds(9)).containsExactly(busy.third);
    }

    private void assertDrains(List<Long> ids) {
        List<Long> seen = new ArrayList<>();
        for (List<TakenTask> taken = take(9); !taken.isEmpty(); taken = take(9)) {
            taken.forEach(t -> seen.add(t.id()));
            taken.forEach(t -> ack(t.lease()));
        }
        assertThat(seen).isEqualTo(ids);
    }

    // Exclusion

    @Test
    void tasksOfOneKeyRunOneAfterTheOtherInOrder() { // T3
        List<Long> ids = List.of(putKeyed(), putKeyed(), putKeyed());

        assertDrains(ids);
    }

    @Test
    void aBatchTakeGetsOneTaskPerKeyAndFillsUpWithOthers() { // rule 4
        long a1 = put(task().key("a")).id();
        put(task().key("a"));
        put(task().key("a"));
        long b1 = put(task().key("b")).id();
        put(task().key("b"));
        long free = put("free");
        long c1 = put(task().key("c")).id();

        assertThat(takeIds(4)).containsExactly(a1, b1, free, c1);
        assertThat(takeIds(4)).isEmpty();
    }

    @Test
    void aTaskBehindABusyKeyWaits() {
        Busy busy = new Busy();

        assertThat(state(busy.second)).isEqualTo(TaskState.WAITING);
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aPutBehindABusyKeyWaitsToo() {
        putKeyed();
        take();
        putKeyed();

        assertThat(take(9)).isEmpty();
    }

    @Test
    void tasksWithoutAKeyDoNotExcludeEachOther() { // rule 3, other than T.3-5
        List<Long> ids = List.of(put("a"), put("b"), put("c"));

        assertThat(takeIds(9)).isEqualTo(ids);
    }

    @Test
    void theSameKeyInAnotherQueueIsAnotherKey() {
        storage.queues().create("other", QueueOptions.standard());
        new Busy();
        storage.put(List.of(NewTask.to("other").key("k").build()));

        assertThat(take(TakeRequest.from("other"))).hasSize(1);
    }

    @Test
    void keysAreComparedExactly() {
        List<Long> ids = List.of(
                put(task().key("k")).id(),
                put(task().key("K")).id(),
                put(task().key("k ")).id(),
                put(task().key(" k")).id(),
                put(task().key("ḱ")).id());

        assertThat(takeIds(9)).isEqualTo(ids);
    }

    @Test
    void aKeyExcludesAcrossSessionsAndOrders() {
        storage.queues()
                .declare(Q, QueueOptions.builder().takeOrder(TakeOrder.newest()).build(), QueueInfo.SetBy.CODE);
        long old = putKeyed();
        long recent = putKeyed();
        TakeRequest newest = TakeRequest.from(Q).order(TakeOrder.newest()).count(9);

        assertThat(storage.take(newest)).extracting(TakenTask::id).containsExactly(recent);
        assertThat(take(9)).isEmpty();
        assertThat(state(old)).isEqualTo(TaskState.WAITING);
    }

    @Test
    void changedOptionsDoNotOpenABusyKey() {
        Busy busy = new Busy();

        storage.queues()
                .declare(Q, QueueOptions.builder().takeOrder(TakeOrder.random()).build(), QueueInfo.SetBy.OPERATOR);

        assertThat(take(9)).isEmpty();
        ack(busy.lease);
        assertThat(takeIds(9)).containsExactly(busy.second);
    }

    // What frees a key

    @Test
    void aReleasedHeadIsNextAgain() { // T.3-6
        Busy busy = new Busy();

        settle(Settle.release(busy.lease));

        assertThat(takeIds(9)).containsExactly(busy.head);
    }

    @Test
    void aHeadThatWasGivenBackIsNextAgain() {
        Busy busy = new Busy();

        settle(Settle.giveBack(busy.lease));

        assertThat(takeIds(9)).containsExactly(busy.head);
    }

    @Test
    void anAckFreesTheKey() {
        assertFreesTheKey(busy -> ack(busy.lease));
    }

    @Test
    void aBuryByTheHolderFreesTheKey() { // T.3-6
        assertFreesTheKey(busy -> settle(Settle.bury(busy.lease, "aside")));
    }

    @Test
    void aDelayedReleaseFreesTheKey() { // T.3-6
        assertFreesTheKey(busy -> settle(Settle.release(busy.lease, seconds(10))));
    }

    @Test
    void aRetryInTheFutureFreesTheKey() {
        assertFreesTheKey(busy -> settle(Settle.retry(busy.lease, When.in(seconds(10)), "later")));
    }

    @Test
    void anOperatorsBuryFreesTheKey() { // T.3-6
        assertFreesTheKey(busy -> storage.bury(busy.head, "aside"));
    }

    @Test
    void aDeleteFreesTheKey() { // T.3-6
        assertFreesTheKey(busy -> storage.delete(busy.head));
    }

    @Test
    void aCancelFreesTheKeyWhenTheHolderSettles() {
        assertFreesTheKey(busy -> {
            storage.cancel(busy.head, "not needed");
            assertThat(take(9)).isEmpty();
            settle(Settle.release(busy.lease));
        });
    }

    @Test
    void aCancelFreesTheKeyWhenTheHolderDoesNotListen() {
        assertFreesTheKey(busy -> {
            storage.cancel(busy.head, "not needed");
            advance(seconds(10));
        });
    }

    @Test
    void aHeadThatExpiresOnComingBackFreesTheKey() { // rule 5
        long head = put(keyed().ttl(seconds(5))).id();
        long second = putKeyed();
        Lease lease = take(2).get(0).lease();
        advance(seconds(5));

        settle(Settle.release(lease));

        assertThat(state(head)).isEqualTo(TaskState.EXPIRED);
        assertThat(takeIds(9)).containsExactly(second);
    }

    @Test
    void aHeadLostByItsTimeLimitIsNextAgain() {
        long head = put(keyed().ttr(seconds(5))).id();
        putKeyed();
        assertThat(take(2)).hasSize(1);

        advance(seconds(5));

        assertThat(takeIds(9)).containsExactly(head);
    }

    @Test
    void theEndOfASessionFreesItsKeys() {
        String other = storage.sessions().open(SessionSpec.named("other"));
        long a = put(task().key("a")).id();
        put(task().key("a"));
        long b = put(task().key("b")).id();
        put(task().key("b"));
        storage.take(TakeRequest.from(Q).count(9).session(other));

        storage.sessions().close(other);

        assertThat(takeIds(9)).containsExactly(a, b);
    }

    @Test
    void releaseAllFreesTheKeysInOrder() {
        Busy busy = new Busy();

        storage.queues().releaseAll(Q);

        assertDrains(List.of(busy.head, busy.second, busy.third));
    }

    @Test
    void aScheduledHeadDoesNotHoldTheKey() { // C14
        long delayed = put(keyed().delay(seconds(5))).id();
        long second = putKeyed();
        TakenTask running = take();
        assertThat(running.id()).isEqualTo(second);

        advance(seconds(5));

        assertThat(take(9)).isEmpty();
        ack(running.lease());
        assertThat(takeIds(9)).containsExactly(delayed);
    }

    // Order within a key

    @Test
    void aKickedOlderTaskWaitsForTheYoungerOneThatRunsAndThenGoesFirst() { // T.3-6
        Busy busy = new Busy();
        settle(Settle.bury(busy.lease, "aside"));
        TakenTask younger = take();
        assertThat(younger.id()).isEqualTo(busy.second);

        storage.kick(busy.head);

        assertThat(take(9)).isEmpty();
        ack(younger.lease());
        assertDrains(List.of(busy.head, busy.third));
    }

    @Test
    void aLaterAndMoreImportantTaskOfTheKeyGoesFirst() { // rule 3
        Busy busy = new Busy();
        long urgent = put(keyed().priority(-1)).id();

        ack(busy.lease);

        assertDrains(List.of(urgent, busy.second, busy.third));
    }

    @Test
    void theMostImportantOfThoseThatWaitGoesFirst() { // rule 3
        Busy busy = new Busy();
        long urgent = put(keyed().priority(-1)).id();
        assertThat(take(9)).isEmpty();

        ack(busy.lease);

        assertDrains(List.of(urgent, busy.second, busy.third));
    }

    @Test
    void aTaskOfAnotherKeyIsNotHeldUpByABusyOne() {
        new Busy();
        long other = put(task().key("other").priority(9)).id();

        assertThat(takeIds(1)).containsExactly(other);
    }

    // Whatever happens to those behind a key, none is forgotten

    @Test
    void aWaitingTaskCanBeDeleted() {
        Busy busy = new Busy();

        storage.delete(busy.second);
        ack(busy.lease);

        assertThat(state(busy.second)).isEqualTo(TaskState.CANCELED);
        assertDrains(List.of(busy.third));
    }

    @Test
    void aWaitingTaskCanBeBuriedAndKicked() {
        Busy busy = new Busy();

        storage.bury(busy.second, "aside");
        assertThat(state(busy.second)).isEqualTo(TaskState.BURIED);
        storage.kick(busy.second);
        assertThat(take(9)).isEmpty();
        ack(busy.lease);

        assertDrains(List.of(busy.second, busy.third));
    }

    @Test
    void aWaitingTaskExpires() { // rule 5
        putKeyed();
        long mortal = put(keyed().ttl(seconds(5))).id();
        long third = putKeyed();
        Lease lease = take(9).get(0).lease();

        advance(seconds(5));
        ack(lease);

        assertThat(state(mortal)).isEqualTo(TaskState.EXPIRED);
        assertDrains(List.of(third));
    }

    @Test
    void aTruncatedQueueHasNoBusyKeys() {
        new Busy();

        storage.queues().truncate(Q);

        assertDrains(List.of(putKeyed(), putKeyed()));
    }

    @Test
    void theNextTaskIsPromotedWhenThePromotedOneIsDeleted() {
        assertPromotesTheNext(busy -> storage.delete(busy.second));
    }

    @Test
    void theNextTaskIsPromotedWhenThePromotedOneIsCanceled() {
        assertPromotesTheNext(busy -> storage.cancel(busy.second, "not needed"));
    }

    @Test
    void theNextTaskIsPromotedWhenThePromotedOneIsBuried() {
        assertPromotesTheNext(busy -> storage.bury(busy.second, "aside"));
    }

    @Test
    void theNextTaskIsPromotedWhenThePromotedOneExpires() {
        putKeyed();
        long promoted = put(keyed().ttl(seconds(5))).id();
        long third = putKeyed();
        ack(take(9).get(0).lease());

        advance(seconds(5));

        assertThat(state(promoted)).isEqualTo(TaskState.EXPIRED);
        assertDrains(List.of(third));
    }

    @Test
    void theNextTaskIsPromotedWhenThePromotedOneIsDroppedWithItsGroup() {
        long group = storage.groups().create(GroupSpec.named("g")).id();
        putKeyed();
        long promoted = put(keyed().group(group)).id();
        storage.groups().start(group);
        long third = putKeyed();
        ack(take(9).get(0).lease());

        storage.groups().cancel(group, "not needed");

        assertThat(state(promoted)).isEqualTo(TaskState.CANCELED);
        assertDrains(List.of(third));
    }

    @Test
    void theNextTaskIsPromotedWhenTheHeadIsTheLastAttemptAndFails() {
        storage.queues().declare(Q, QueueOptions.rsqueue(), QueueInfo.SetBy.CODE);

        assertFreesTheKey(busy -> settle(Settle.fail(busy.lease, "broken")));
    }

    @Test
    void aTakeOfOnePassesALongLineOfBusyKeysAndNothingBehindItsTask() { // rule 3, P5
        Set<Long> running =
                Set.of(put(task().key("a")).id(), put(task().key("b")).id());
        assertThat(takeIds(2)).containsExactlyInAnyOrderElementsOf(running);
        List<NewTask> line = IntStream.range(0, 1_100)
                .mapToObj(i -> task().key(i % 3 == 0 ? "a" : "b").build())
                .toList();
        List<Long> before = ids(storage.put(line));
        long free = put("free");
        List<Long> behind = ids(storage.put(line.subList(0, 20)));

        assertThat(takeIds(1)).containsExactly(free);

        assertThat(before).allMatch(id -> state(id) == TaskState.WAITING);
        assertThat(behind).allMatch(id -> state(id) == TaskState.READY);
    }

    @Test
    void aLongLineBehindOneKeyDrainsOneByOneInOrder() { // P5
        List<NewTask> batch = IntStream.range(0, fixture.enough(500))
                .mapToObj(i -> keyed().build())
                .toList();
        List<Long> ids = IntStream.range(0, 4)
                .boxed()
                .flatMap(i -> ids(storage.put(batch)).stream())
                .toList();

        assertDrains(ids);
    }

    private static List<Long> ids(List<PutResult> results) {
        return results.stream().map(PutResult::id).toList();
    }
}
