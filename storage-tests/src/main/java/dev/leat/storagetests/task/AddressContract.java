package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.AddressInUseException;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** An address names one live task, and whoever waits for it learns how it ended. Covers R8-R13, C10, rule 16, 17. */
public abstract class AddressContract extends ContractTest {
    private static final String A = "invoice-7";

    private static NewTask.Builder addressed() {
        return task("new").address(A);
    }

    private long putAddressed() {
        PutResult result = put(addressed());
        assertThat(result.created()).isTrue();
        return result.id();
    }

    /** Puts a task at the address, takes it, and fails it for good. */
    private long putFailed(String message, int code) {
        configure(QueueOptions.rsqueue());
        long id = putAddressed();
        settle(new Settle.Fail(take().lease(), message, code));
        assertThat(state(id)).isEqualTo(TaskState.FAILED);
        return id;
    }

    private long putBuried() {
        long id = putAddressed();
        storage.bury(id, "aside");
        return id;
    }

    private void configure(QueueOptions options) {
        storage.queues().declare(Q, options, QueueInfo.SetBy.CODE);
    }

    /** Every way to end a task that was just put at the address, by the state it ends in. */
    private Map<TaskState, LongConsumer> endings() {
        Map<TaskState, LongConsumer> endings = new EnumMap<>(TaskState.class);
        endings.put(TaskState.DONE, id -> ack(take().lease()));
        endings.put(TaskState.FAILED, id -> settle(Settle.fail(take().lease(), "broken")));
        endings.put(TaskState.BURIED, id -> settle(Settle.bury(take().lease(), "aside")));
        endings.put(TaskState.CANCELED, storage::delete);
        endings.put(TaskState.EXPIRED, id -> advance(minutes(1)));
        return endings;
    }

    private void assertHeld(long id, TaskState state) {
        assertThat(state(id)).isEqualTo(state);
        assertThat(put(addressed())).isEqualTo(new PutResult(id, false, state));
        assertThat(storage.findAddress(Q, A)).hasValue(id);
    }

    private void assertForgotten(long id) {
        assertThatExceptionOfType(OutcomeForgottenException.class).isThrownBy(() -> storage.outcome(id));
    }

    // Unique while it lives

    @Test
    void anAddressIsHeldWhileItsTaskWaitsOrRuns() { // R8, R9, C10
        long id = put(addressed().delay(seconds(10))).id();

        assertHeld(id, TaskState.SCHEDULED);
        advance(seconds(10));
        assertHeld(id, TaskState.READY);
        take();
        assertHeld(id, TaskState.TAKEN);
    }

    @Test
    void anAddressIsHeldInAGroupThatHasNotStarted() {
        long group = storage.groups().create(GroupSpec.named("g")).id();
        long id = put(addressed().group(group)).id();

        assertHeld(id, TaskState.WAITING);
    }

    @Test
    void anAddressIsHeldBehindABusyKey() {
        put(task().key("k"));
        long id = put(addressed().key("k")).id();
        take(2);

        assertHeld(id, TaskState.WAITING);
    }

    @Test
    void anAddressIsHeldBetweenAttempts() {
        long id = putAddressed();

        settle(Settle.retry(take().lease(), When.in(minutes(5)), "later"));
        assertHeld(id, TaskState.SCHEDULED);
        advance(minutes(5));
        settle(Settle.release(take().lease()));
        assertHeld(id, TaskState.READY);
        take(TakeRequest.from(Q).ttr(seconds(5)));
        advance(seconds(5));
        assertHeld(id, TaskState.READY);
    }

    @Test
    void aPutThatFindsTheAddressTakenChangesNothing() { // R8
        long id = put(task("old").address(A).priority(3)).id();

        put(task("new").address(A).priority(-3));

        assertThat(peek(id).payload()).isEqualTo(Payload.of("old"));
        assertThat(peek(id).priority()).isEqualTo(3);
        assertThat(storage.queues().stats(Q).live()).isEqualTo(1);
    }

    @Test
    void anAddressIsFreeOnceItsTaskHasEndedInWhateverWay() { // R9, C10, rule 16
        configure(QueueOptions.rsqueue());
        endings().forEach((state, ending) -> {
            long first = put(addressed().ttl(minutes(1))).id();
            ending.accept(first);
            assertThat(state(first)).isEqualTo(state);
            assertThat(storage.findAddress(Q, A)).as("%s", state).isEmpty();

            long second = putAddressed();

            assertThat(second).as("%s", state).isGreaterThan(first);
            assertThat(storage.findAddress(Q, A)).hasValue(second);
            storage.delete(second);
        });
    }

    @Test
    void anAddressIsFreeWhenItsTaskIsDroppedWithItsGroup() {
        long group = storage.groups().create(GroupSpec.named("g")).id();
        put(addressed().group(group));

        storage.groups().cancel(group, "not needed");

        assertThat(storage.findAddress(Q, A)).isEmpty();
        putAddressed();
    }

    @Test
    void theEndOfABuriedTaskDoesNotFreeTheAddressOfItsSuccessor() { // rule 16
        long buried = putBuried();
        long expiring = put(addressed().ttl(minutes(1))).id();
        storage.bury(expiring, "aside");
        long successor = putAddressed();

        storage.delete(buried);
        advance(minutes(1));

        assertThat(state(expiring)).isEqualTo(TaskState.EXPIRED);
        assertHeld(successor, TaskState.READY);
    }

    @Test
    void anAddressNobodyHasIsNotFound() { // R12
        putAddressed();

        assertThat(storage.findAddress(Q, "another")).isEmpty();
        assertThatExceptionOfType(QueueNotFoundException.class).isThrownBy(() -> storage.findAddress("nowhere", A));
    }

    @Test
    void theSameAddressInAnotherQueueIsAnotherAddress() {
        storage.queues().create("other", QueueOptions.standard());
        long here = putAddressed();

        PutResult there = put(NewTask.to("other").address(A));

        assertThat(there.created()).isTrue();
        assertThat(storage.findAddress(Q, A)).hasValue(here);
        assertThat(storage.findAddress("other", A)).hasValue(there.id());
        storage.delete(there.id());
        assertHeld(here, TaskState.READY);
    }

    // In a batch

    @Test
    void theSecondPutOfAnAddressInABatchFindsTheFirst() {
        List<PutResult> results = storage.put(List.of(
                task("plain").build(),
                task("first").address(A).build(),
                task("second").address(A).build(),
                task("other").address("another").build()));

        assertThat(results).extracting(PutResult::created).containsExactly(true, true, false, true);
        assertThat(results.get(2).id()).isEqualTo(results.get(1).id());
        assertThat(peek(results.get(1).id()).payload()).isEqualTo(Payload.of("first"));
        assertThat(storage.queues().stats(Q).live()).isEqualTo(3);
    }

    @Test
    void aTakenAddressDoesNotHoldUpTheRestOfABatch() {
        long id = putAddressed();

        List<PutResult> results =
                storage.put(List.of(addressed().build(), task("plain").build()));

        assertThat(results.get(0)).isEqualTo(new PutResult(id, false, TaskState.READY));
        assertThat(results.get(1).created()).isTrue();
    }

    @Test
    void anAddressThatIsTakenNeedsNoPlaceInAFullQueue() { // rule 6
        configure(QueueOptions.builder().capacity(1).build());
        long id = putAddressed();

        assertThat(put(addressed())).isEqualTo(new PutResult(id, false, TaskState.READY));
    }

    @Test
    void twoPutsOfOneAddressInABatchNeedOnePlace() { // rule 6
        configure(QueueOptions.builder().capacity(1).build());

        List<PutResult> results =
                storage.put(List.of(addressed().build(), addressed().build()));

        assertThat(results).extracting(PutResult::created).containsExactly(true, false);
    }

    // Kick

    @Test
    void aKickedTaskHasItsAddressAgain() { // rule 16
        long id = putBuried();

        storage.kick(id);

        assertHeld(id, TaskState.READY);
    }

    @Test
    void aTaskWhoseAddressIsTakenCannotBeKicked() { // rule 16
        long buried = putBuried();
        long successor = putAddressed();

        assertThatExceptionOfType(AddressInUseException.class)
                .isThrownBy(() -> storage.kick(buried))
                .withMessageContaining(A)
                .withMessageContaining(Long.toString(successor));

        assertThat(state(buried)).isEqualTo(TaskState.BURIED);
        storage.delete(successor);
        assertThat(storage.kick(buried).state()).isEqualTo(TaskState.READY);
    }

    @Test
    void aKickOfManySkipsTasksWhoseAddressIsTaken() { // rule 16
        long blocked = putBuried();
        putAddressed();
        long one = put("one");
        long two = put("two");
        storage.bury(one, "aside");
        storage.bury(two, "aside");

        assertThat(storage.kick(Q, 2)).extracting(TaskEvent::taskId).containsExactly(one, two);

        assertThat(state(blocked)).isEqualTo(TaskState.BURIED);
        assertThat(storage.kick(Q, 9)).isEmpty();
    }

    @Test
    void aKickOfManyFreesOneTaskPerAddress() { // rule 16
        long first = putBuried();
        long second = putBuried();

        assertThat(storage.kick(Q, 9)).extracting(TaskEvent::taskId).containsExactly(first);

        assertThat(state(second)).isEqualTo(TaskState.BURIED);
        assertHeld(first, TaskState.READY);
    }

    // Outcome

    @Test
    void aLiveTaskHasNoOutcome() { // R10
        long id = put(addressed().delay(seconds(5))).id();
        assertThat(storage.outcome(id)).isEmpty();

        advance(seconds(5));
        assertThat(storage.outcome(id)).isEmpty();
        settle(Settle.fail(take().lease(), "broken"));
        assertThat(storage.outcome(id)).isEmpty();
        advance(seconds(5));
        take();
        assertThat(storage.outcome(id)).isEmpty();
    }

    @Test
    void theOutcomeOfSuccessHasItsResult() { // R10
        long id = putAddressed();
        settle(new Settle.Ack(take().lease(), "sent", Optional.of(Payload.of("42"))));

        assertThat(storage.outcome(id))
                .contains(new Outcome(id, TaskState.DONE, "sent", 0, Optional.of(Payload.of("42"))));
        assertThat(storage.outcome(id).orElseThrow().ok()).isTrue();
    }

    @Test
    void theOutcomeOfAFailureHasItsMessageAndCode() { // R13
        long id = putFailed("no such host", 503);

        assertThat(storage.outcome(id))
                .contains(new Outcome(id, TaskState.FAILED, "no such host", 503, Optional.empty()));
        assertThat(storage.outcome(id).orElseThrow().ok()).isFalse();
    }

    @Test
    void everyEndIsAnOutcome() {
        configure(QueueOptions.rsqueue());
        endings().forEach((state, ending) -> {
            long id = put(addressed().ttl(minutes(1))).id();

            ending.accept(id);

            assertThat(storage.outcome(id)).map(Outcome::state).contains(state);
        });
    }

    @Test
    void burialIsAnOutcomeForWhoeverWaitsUntilSomebodyKicks() { // rule 16
        long id = putBuried();

        Outcome outcome = storage.outcome(id).orElseThrow();
        assertThat(outcome.state()).isEqualTo(TaskState.BURIED);
        assertThat(outcome.ok()).isFalse();
        assertThat(outcome.message()).isEqualTo("aside");

        storage.kick(id);
        assertThat(storage.outcome(id)).isEmpty();
        ack(take().lease());
        assertThat(storage.outcome(id)).contains(new Outcome(id, TaskState.DONE, "", 0, Optional.empty()));
    }

    @Test
    void anOlderRunsErrorIsNotTheNewRunsOutcome() { // R.3-4, C10
        long old = putFailed("no such host", 503);

        long next = putAddressed();
        assertThat(storage.outcome(next)).isEmpty();
        ack(take().lease());

        assertThat(storage.outcome(next)).contains(new Outcome(next, TaskState.DONE, "", 0, Optional.empty()));
        assertThat(storage.outcome(old)).map(Outcome::message).contains("no such host");
    }

    @Test
    void aTaskWithoutAnAddressHasAnOutcomeToo() {
        long id = put("a");
        ack(take().lease());

        assertThat(storage.outcome(id)).map(Outcome::ok).contains(true);
    }

    @Test
    void anUnknownTaskHasNoOutcome() {
        long unknown = put("a") + 1_000_000;

        assertThatExceptionOfType(TaskNotFoundException.class).isThrownBy(() -> storage.outcome(unknown));
    }

    // How long it is known

    @Test
    void theOutcomeOfAnAddressedTaskIsKnownForTenMinutesWhereNothingIsKept() { // rule 17
        configure(QueueOptions.rsqueue().toBuilder().retention(Retention.none()).build());
        Map<TaskState, LongConsumer> endings = endings();
        endings.remove(TaskState.BURIED);
        endings.forEach((state, ending) -> {
            long id = put(addressed().ttl(minutes(1))).id();
            ending.accept(id);

            advance(minutes(10).minusSeconds(1));

            assertThat(storage.peek(id)).as("%s", state).isEmpty();
            assertThat(storage.outcome(id)).map(Outcome::state).contains(state);
        });
    }

    @Test
    void anOutcomeThatIsForgottenIsNeverAFalseOk() { // rule 17, other than R.3-3
        configure(QueueOptions.builder().retention(Retention.none()).build());
        long done = putAddressed();
        ack(take().lease());
        long canceled = putAddressed();
        storage.delete(canceled);
        long plain = put("plain");
        ack(take().lease());

        advance(Duration.ofDays(2));

        assertForgotten(done);
        assertForgotten(canceled);
        assertForgotten(plain);
    }

    @Test
    void anOutcomeIsKnownForAsLongAsItsTaskIsKept() {
        configure(QueueOptions.builder()
                .retention(Retention.all(Duration.ofDays(3)))
                .build());
        long id = putAddressed();
        ack(take().lease());

        advance(Duration.ofDays(3).minusSeconds(1));

        assertThat(storage.outcome(id)).map(Outcome::ok).contains(true);
    }

    @Test
    void aBuriedTaskIsNeverForgotten() { // C25
        configure(QueueOptions.builder().retention(Retention.none()).build());
        long id = putBuried();

        advance(Duration.ofDays(30));

        assertThat(storage.outcome(id)).map(Outcome::state).contains(TaskState.BURIED);
    }

    @Test
    void anAddressIsFreeWhileTheOldOutcomeIsStillKnown() { // rule 17
        configure(QueueOptions.builder().retention(Retention.none()).build());
        long old = putAddressed();
        SettleResult settled = settle(new Settle.Ack(take().lease(), "first", Optional.empty()));
        assertThat(settled.state()).isEqualTo(TaskState.DONE);

        long next = putAddressed();

        assertThat(storage.findAddress(Q, A)).hasValue(next);
        assertThat(storage.outcome(old)).map(Outcome::message).contains("first");
        assertThat(storage.outcome(next)).isEmpty();
    }
}
