package dev.leat.storagetests.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.Awaited;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.StorageException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.Faults;
import dev.leat.storagetests.RealTimeTest;
import dev.leat.worker.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Waiting for the end of a task, and for parts of its result. Covers R8-R14, R25, R29, R.3-1 to R.3-4, rule 16, 17. */
public abstract class AwaitContract extends RealTimeTest {
    private static final String A = "invoice-7";
    private static final Duration SOON = Duration.ofMillis(200);
    /** With room for a loaded test machine. */
    private static final Duration LATE = Duration.ofMillis(1_500);

    private static NewTask.Builder addressed() {
        return task().address(A);
    }

    private TakenTask takeOne() {
        return leat.take(one()).get(0);
    }

    private CompletableFuture<Awaited> waiting(long id) {
        return leat.outcomes().awaitAsync(id, LONG);
    }

    /** Starts to wait for the task that has the address now; the task may end when this method has returned. */
    private CompletableFuture<Awaited> waitingAtAddress(long id) throws InterruptedException {
        return waitingAtAddress(leat, id);
    }

    private static CompletableFuture<Awaited> waitingAtAddress(Leat leat, long id) throws InterruptedException {
        CompletableFuture<Awaited> waiter = leat.outcomes().awaitAsync(Q, A, LONG);
        // Queries of an address are answered in their order.
        assertThat(leat.outcomes().await(Q, A, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));
        return waiter;
    }

    private static Awaited get(Future<Awaited> answer) throws Exception {
        return answer.get(20, TimeUnit.SECONDS);
    }

    private static Awaited.Ended ended(long id, TaskState state, String message) {
        return new Awaited.Ended(new Outcome(id, state, message, 0, Optional.empty()));
    }

    /** Every way to end a task that was just put, by the state of its end. */
    private Map<TaskState, LongConsumer> endings() {
        Map<TaskState, LongConsumer> endings = new EnumMap<>(TaskState.class);
        endings.put(TaskState.DONE, id -> leat.ack(takeOne()));
        endings.put(TaskState.FAILED, id -> leat.fail(takeOne(), "broken"));
        endings.put(TaskState.BURIED, id -> leat.bury(takeOne(), "aside"));
        endings.put(TaskState.CANCELED, leat::delete);
        return endings;
    }

    private void failAtOnce() {
        leat.queue(Q).declare(QueueOptions.rsqueue());
    }

    // Ends

    @Test
    void onePutAtAnAddressMakesTheTaskAndTheOthersFindIt() { // R8, R9
        PutResult first = leat.putAddressed(Q, A, "new");
        PutResult second = leat.putAddressed(Q, A, "newer");

        assertThat(first.created()).isTrue();
        assertThat(second).isEqualTo(new PutResult(first.id(), false, TaskState.READY));
        assertThat(leat.peek(first.id()).orElseThrow().payload()).isEqualTo(Payload.of("new"));
    }

    @Test
    void whoWaitsGetsTheResult() throws Exception { // R10
        long id = put(addressed());
        CompletableFuture<Awaited> byId = waiting(id);
        CompletableFuture<Awaited> byAddress = waitingAtAddress(id);

        leat.worker()
                .handle(Q, String.class, (payload, task) -> task.ackWith("forty-two"))
                .start();

        assertThat(get(byAddress)).isEqualTo(get(byId));
        Outcome outcome = get(byId).ended().orElseThrow();
        assertThat(outcome.ok()).isTrue();
        assertThat(leat.decode(outcome.result().orElseThrow(), String.class)).isEqualTo("forty-two");
    }

    @Test
    void whoWaitsGetsTheErrorWithItsMessageAndCode() throws Exception { // R10, R13, R.3-1
        failAtOnce();
        long id = put(addressed());
        CompletableFuture<Awaited> waiter = waitingAtAddress(id);

        leat.settle(new Settle.Fail(takeOne().lease(), "no such host", 503));

        assertThat(get(waiter))
                .isEqualTo(new Awaited.Ended(new Outcome(id, TaskState.FAILED, "no such host", 503, Optional.empty())));
        assertThat(leat.take(one())).isEmpty();
    }

    @Test
    void everyEndWakesThoseWhoWait() throws Exception { // rule 16, R10
        failAtOnce();
        for (Map.Entry<TaskState, LongConsumer> ending : endings().entrySet()) {
            long id = put("plain");
            CompletableFuture<Awaited> waiter = waiting(id);
            ending.getValue().accept(id);
            assertThat(get(waiter).ended()).map(Outcome::state).contains(ending.getKey());

            id = put(addressed());
            waiter = waitingAtAddress(id);
            ending.getValue().accept(id);
            assertThat(get(waiter).ended()).map(Outcome::state).contains(ending.getKey());
        }
    }

    @Test
    void theEndByTimeWakesThoseWhoWait() throws Exception {
        long expiring = put(task().ttl(Duration.ofMillis(300)));
        CompletableFuture<Awaited> waiter = waiting(expiring);

        assertThat(get(waiter).ended()).map(Outcome::state).contains(TaskState.EXPIRED);
    }

    @Test
    void theEndOfManyAtOnceWakesThoseWhoWait() throws Exception {
        CompletableFuture<Awaited> plain = waiting(put("a"));
        CompletableFuture<Awaited> addressed = waiting(put(addressed()));

        leat.queue(Q).truncate();

        assertThat(get(plain).ended()).map(Outcome::state).contains(TaskState.CANCELED);
        assertThat(get(addressed).ended()).map(Outcome::state).contains(TaskState.CANCELED);
    }

    @Test
    void aTaskThatHasEndedAnswersAtOnce() throws Exception { // R10
        long id = put("a");
        leat.ack(takeOne());

        assertThat(leat.outcomes().await(id, Duration.ZERO)).isEqualTo(ended(id, TaskState.DONE, ""));
        assertThat(leat.outcomes().await(id, LONG)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void aFailedAttemptThatIsTriedAgainIsNotTheEnd() throws Exception {
        long id = put(addressed());
        CompletableFuture<Awaited> waiter = waiting(id);

        leat.release(takeOne(), Duration.ZERO);
        leat.retry(takeOne(), When.in(Duration.ZERO), "once more");
        assertThat(leat.outcomes().await(id, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));
        assertThat(waiter).isNotDone();
        leat.ack(takeOne());

        assertThat(get(waiter)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void burialIsTheErrorAndAKickIsWaitedForAnew() throws Exception { // rule 16
        long id = put(addressed());
        CompletableFuture<Awaited> first = waiting(id);
        leat.bury(id, "aside");
        assertThat(get(first)).isEqualTo(ended(id, TaskState.BURIED, "aside"));
        assertThat(leat.outcomes().await(id, LONG)).isEqualTo(ended(id, TaskState.BURIED, "aside"));

        leat.kick(id);
        CompletableFuture<Awaited> second = waitingAtAddress(id);
        leat.ack(takeOne());

        assertThat(get(second)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void whoIsWokenFindsTheOutcomeRecordedAndTheAddressFree() throws Exception { // R25, R.3-2
        for (int i = 0; i < fixture.enough(200); i++) {
            long id = put(addressed());
            AtomicReference<Optional<Outcome>> outcome = new AtomicReference<>();
            AtomicReference<OptionalLong> holder = new AtomicReference<>();
            CompletableFuture<Void> looked = waiting(id).thenAcceptAsync(awaited -> {
                outcome.set(leat.outcomes().find(id));
                holder.set(leat.findAddress(Q, A));
            });

            leat.ack(takeOne());

            looked.get(20, TimeUnit.SECONDS);
            assertThat(outcome.get()).map(Outcome::ok).contains(true);
            assertThat(holder.get()).isEmpty();
        }
    }

    // Addresses

    @Test
    void anAddressThatNobodyHasAnswersAtOnce() throws Exception { // R12, R.3-3
        assertThat(leat.outcomes().await(Q, "nobody's", LONG)).isEqualTo(new Awaited.NotThere(Q, "nobody's"));
        long id = put(addressed());
        leat.delete(id);
        assertThat(leat.outcomes().await(Q, A, LONG)).isEqualTo(new Awaited.NotThere(Q, A));
    }

    @Test
    void anAddressMustNotBeBlank() { // R12
        for (ThrowingCallable deed : List.<ThrowingCallable>of(
                () -> leat.outcomes().await(Q, " ", LONG),
                () -> leat.findAddress(Q, " "),
                () -> leat.putAddressed(Q, " ", "new"))) {
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(deed)
                    .withMessageContaining("address");
        }
    }

    @Test
    void anUnknownQueueIsRefusedAndHarmsNobodyElse() throws Exception {
        long id = put(addressed());
        CompletableFuture<Awaited> patient = waitingAtAddress(id);

        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> leat.outcomes().await("nowhere", A, LONG));

        leat.ack(takeOne());
        assertThat(get(patient)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void anUnknownTaskIsRefusedAndHarmsNobodyElse() throws Exception {
        long id = put("a");
        CompletableFuture<Awaited> patient = waiting(id);

        assertThatExceptionOfType(TaskNotFoundException.class)
                .isThrownBy(() -> leat.outcomes().await(id + 1_000_000, LONG));

        leat.ack(takeOne());
        assertThat(get(patient)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void aTaskThatIsRefusedHarmsNobodyWhoIsAskedForTogetherWithIt() throws Exception {
        Faults faults = new Faults();
        Leat own = openPatientlyOn(faults.between(storage));
        Faults.Hold hold = faults.hold("statuses");
        CompletableFuture<Awaited> first = own.outcomes().awaitAsync(put("first"), LONG);
        await("the first question", hold::isReached);
        long id = put("a");
        long refused = put("b");
        faults.refuseToTell(refused);
        CompletableFuture<Awaited> patient = own.outcomes().awaitAsync(id, LONG);
        CompletableFuture<Awaited> inVain = own.outcomes().awaitAsync(refused, LONG);

        hold.release();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> get(inVain))
                .withCauseInstanceOf(IllegalArgumentException.class);
        leat.delete(id);
        assertThat(get(patient).ended()).map(Outcome::state).contains(TaskState.CANCELED);
        assertThat(first).isNotDone();
    }

    @Test
    void anOlderRunsErrorNeverLeaksIntoANewRun() throws Exception { // R.3-4, rule 17
        failAtOnce();
        long old = put(addressed());
        CompletableFuture<Awaited> ofOld = waitingAtAddress(old);
        leat.fail(takeOne(), "broken");

        long next = put(addressed());
        CompletableFuture<Awaited> ofNext = waitingAtAddress(next);
        leat.ack(takeOne());

        assertThat(get(ofOld)).isEqualTo(ended(old, TaskState.FAILED, "broken"));
        assertThat(get(ofNext)).isEqualTo(ended(next, TaskState.DONE, ""));
    }

    @Test
    void runsThatFollowEachOtherAreNeverMixedUp() throws Exception { // R.3-4
        failAtOnce();
        for (int i = 0; i < fixture.enough(300); i++) {
            boolean fails = i % 2 == 0;
            PutResult put = leat.putAddressed(Q, A, "run " + i);
            assertThat(put.created()).isTrue();
            CompletableFuture<Awaited> waiter = waitingAtAddress(put.id());
            TakenTask taken = takeOne();
            if (fails) {
                leat.fail(taken, "broken");
            } else {
                leat.ack(taken);
            }

            Outcome outcome = get(waiter).ended().orElseThrow();

            assertThat(outcome.taskId()).isEqualTo(put.id());
            assertThat(outcome.ok()).isEqualTo(!fails);
        }
    }

    // Time

    @Test
    void whoWaitsTooLongIsToldSo() throws Exception {
        long id = put(addressed());
        long started = System.nanoTime();

        assertThat(leat.outcomes().await(id, SOON)).isEqualTo(new Awaited.TimedOut(id));
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isBetween(SOON, SOON.plus(LATE));

        assertThat(leat.outcomes().await(Q, A, SOON)).isEqualTo(new Awaited.TimedOut(id));
        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void aTaskThatHasEndedInTimeIsNeverSaidToLive() throws Exception {
        Faults faults = new Faults().deaf();
        Leat own = openPatientlyOn(faults.between(storage));
        long id = put("a");
        Faults.Hold hold = faults.hold("statuses");
        long began = System.nanoTime();
        CompletableFuture<Awaited> waiter = own.outcomes().awaitAsync(id, SOON);
        await("the task to be seen alive", hold::isReached);

        leat.ack(takeOne());
        await("the time to be over", () -> System.nanoTime() - began > 2 * SOON.toNanos());
        hold.release();

        assertThat(get(waiter)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void aNegativeTimeIsNone() throws Exception {
        long id = put("a");

        assertThat(leat.outcomes().await(id, Duration.ofSeconds(-1))).isEqualTo(new Awaited.TimedOut(id));
    }

    @Test
    void aLostSignalCostsNoMoreThanALook() throws Exception { // R10
        Leat deaf = openPatientlyOn(new Faults().deaf().between(storage));
        long plain = put("a");
        long addressed = put(addressed());
        CompletableFuture<Awaited> one = deaf.outcomes().awaitAsync(plain, LONG);
        CompletableFuture<Awaited> two = waitingAtAddress(deaf, addressed);

        leat.ack(takeOne());
        leat.ack(takeOne());

        assertThat(get(one)).isEqualTo(ended(plain, TaskState.DONE, ""));
        assertThat(get(two)).isEqualTo(ended(addressed, TaskState.DONE, ""));
    }

    @Test
    void whoWaitsOutlastsAnOutageOfTheStorage() throws Exception { // R10
        Faults faults = new Faults();
        Leat cutOff = openPatientlyOn(faults.between(storage));
        long id = put("a");
        CompletableFuture<Awaited> waiter = cutOff.outcomes().awaitAsync(id, LONG);
        await("the waiter to be looked for", () -> faults.calls("statuses") > 0);

        faults.set(Faults.Line.DOWN);
        leat.ack(takeOne());
        int before = faults.calls("statuses");
        await("a look in vain", () -> faults.calls("statuses") > before);
        faults.set(Faults.Line.WORKS);

        assertThat(get(waiter)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void whoNeverReachedTheStorageIsNotToldThatTheTaskLives() throws Exception {
        Faults faults = new Faults();
        Leat cutOff = openPatientlyOn(faults.between(storage));
        long id = put(addressed());
        faults.set(Faults.Line.DOWN);

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> cutOff.outcomes().await(id, SOON));
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> cutOff.outcomes().await(Q, A, SOON));

        faults.set(Faults.Line.WORKS);
        assertThat(cutOff.outcomes().await(id, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));
    }

    // Many

    @Test
    void aThousandWaitersOnOneAddressAreOneQuestion() throws Exception {
        Faults faults = new Faults();
        Leat crowded = openPatientlyOn(faults.between(storage));
        long id = put(addressed());
        int threads = Thread.activeCount();
        Faults.Hold hold = faults.hold("statuses");
        List<CompletableFuture<Awaited>> waiters = new ArrayList<>();
        waiters.add(crowded.outcomes().awaitAsync(Q, A, LONG));
        await("the first question", hold::isReached);
        for (int i = 0; i < 1_000; i++) {
            waiters.add(crowded.outcomes().awaitAsync(Q, A, LONG));
            waiters.add(crowded.outcomes().awaitAsync(id, LONG));
        }

        hold.release();
        await("the second question for the address", () -> faults.calls("findAddresses") == 2);
        await("the question for its task", () -> faults.calls("statuses") >= 2);
        leat.ack(takeOne());

        for (CompletableFuture<Awaited> waiter : waiters) {
            assertThat(get(waiter)).isEqualTo(ended(id, TaskState.DONE, ""));
        }
        assertThat(faults.calls("findAddresses")).isEqualTo(2);
        assertThat(faults.calls("findAddress")).isZero();
        assertThat(faults.calls("outcome")).isZero();
        assertThat(faults.calls("statuses")).as("questions").isLessThan(50);
        assertThat(Thread.activeCount() - threads)
                .as("threads, of which a server in the same process has some")
                .isLessThan(50);
    }

    @Test
    void aThousandTasksAreAskedForTogether() throws Exception {
        Faults faults = new Faults();
        Leat crowded = openPatientlyOn(faults.between(storage));
        Faults.Hold hold = faults.hold("statuses");
        List<CompletableFuture<Awaited>> waiters = new ArrayList<>();
        waiters.add(crowded.outcomes().awaitAsync(put("first"), LONG));
        await("the first question", hold::isReached);
        for (int i = 0; i < 1_000; i++) {
            waiters.add(crowded.outcomes().awaitAsync(put("t" + i), LONG));
        }

        hold.release();
        leat.queue(Q).truncate();

        for (CompletableFuture<Awaited> waiter : waiters) {
            assertThat(get(waiter).ended()).map(Outcome::state).contains(TaskState.CANCELED);
        }
        assertThat(faults.calls("statuses")).as("questions").isLessThan(200);
    }

    @Test
    void nobodyIsForgottenWhoComesWhileTheTaskEnds() throws Exception {
        int threads = 8;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < fixture.enough(100); round++) {
                long id = put(addressed());
                TakenTask taken = takeOne();
                CountDownLatch start = new CountDownLatch(1);
                Callable<Awaited> waiter = () -> {
                    start.await();
                    return leat.outcomes().await(id, LONG);
                };
                List<Future<Awaited>> waiters = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    waiters.add(executor.submit(waiter));
                }
                start.countDown();

                leat.ack(taken);

                for (Future<Awaited> each : waiters) {
                    assertThat(get(each)).isEqualTo(ended(id, TaskState.DONE, ""));
                }
            }
        } finally {
            executor.shutdownNow();
        }
    }

    // The end of waiting

    @Test
    void theTaskOfAnInterruptedWaiterIsNotQueriedAnyMore() throws Exception {
        Faults faults = new Faults();
        Leat own = openPatientlyOn(faults.deaf().between(storage));
        long id = put("a");
        long other = put("b");
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread waiter =
                new Thread(() -> end.set(catchThrowable(() -> own.outcomes().await(id, LONG))));
        waiter.start();
        await("the waiter to be looked for", () -> Set.of(id).equals(asked(faults)));

        waiter.interrupt();
        waiter.join();

        assertThat(end.get()).isInstanceOf(InterruptedException.class);
        CompletableFuture<Awaited> patient = own.outcomes().awaitAsync(other, LONG);
        await("the other to be looked for alone", () -> Set.of(other).equals(asked(faults)));
        assertThat(patient).isNotDone();
    }

    @Test
    void theTaskOfACanceledWaiterIsNotQueriedAnyMore() {
        Faults faults = new Faults();
        Leat own = openPatientlyOn(faults.deaf().between(storage));
        long id = put("a");
        long other = put("b");
        CompletableFuture<Awaited> gone = own.outcomes().awaitAsync(id, LONG);
        CompletableFuture<Awaited> patient = own.outcomes().awaitAsync(other, LONG);
        await("both to be looked for", () -> Set.of(id, other).equals(asked(faults)));

        gone.cancel(false);

        await("the other to be looked for alone", () -> Set.of(other).equals(asked(faults)));
        assertThat(patient).isNotDone();
    }

    /** The tasks of the last question. */
    private static Set<?> asked(Faults faults) {
        Object answer = faults.lastAnswer("statuses");
        return answer == null ? Set.of() : ((Map<?, ?>) answer).keySet();
    }

    @Test
    void oneOfManyWhoCancelsDoesNotHarmTheOthers() throws Exception {
        long id = put("a");
        CompletableFuture<Awaited> gone = waiting(id);
        CompletableFuture<Awaited> patient = waiting(id);
        gone.cancel(false);

        leat.ack(takeOne());

        assertThat(get(patient)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void aCloseEndsAllWaiting() {
        Leat closing = openPatientlyOn(new Faults().between(storage));
        long id = put(addressed());
        CompletableFuture<Awaited> byId = closing.outcomes().awaitAsync(id, LONG);
        CompletableFuture<Awaited> byAddress = closing.outcomes().awaitAsync(Q, A, LONG);

        closing.close();

        for (CompletableFuture<Awaited> waiter : List.of(byId, byAddress)) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(waiter))
                    .withCauseInstanceOf(ClosedException.class);
        }
        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> closing.outcomes().await(id, LONG));
        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> closing.outcomes().await(Q, A, LONG));
    }

    @Test
    void aCallbackThatThrowsHarmsNobodyElse() throws Exception {
        long id = put("a");
        CompletableFuture<Awaited> first = waiting(id);
        CompletableFuture<Awaited> careless = first.thenApply(awaited -> {
            throw new IllegalStateException("broken callback");
        });
        CompletableFuture<Awaited> second = waiting(id);

        leat.ack(takeOne());

        assertThat(get(second)).isEqualTo(ended(id, TaskState.DONE, ""));
        assertThat(careless).isCompletedExceptionally();
        long next = put("b");
        leat.ack(takeOne());
        assertThat(leat.outcomes().await(next, LONG)).isEqualTo(ended(next, TaskState.DONE, ""));
    }

    @Test
    void aCallbackThatWaitsIsRefused() throws Exception {
        long id = put("a");
        long other = put("b");
        CompletableFuture<Throwable> refused = waiting(id)
                .thenApply(awaited -> catchThrowable(() -> leat.outcomes().await(other, LONG)));

        leat.ack(takeOne());

        assertThat(refused.get(20, TimeUnit.SECONDS)).hasMessageContaining("A callback must not wait");
    }

    // Chunks

    @Test
    void aPartOfTheResultAnswersEarly() throws Exception { // R11
        long id = put(addressed());
        CompletableFuture<Awaited> streaming = leat.outcomes().awaitChunkAsync(id, 0, LONG);
        CompletableFuture<Awaited> patient = waiting(id);
        TakenTask taken = takeOne();

        assertThat(leat.outcomes().reportChunk(taken.lease(), 1)).isTrue();
        assertThat(get(streaming)).isEqualTo(new Awaited.Chunk(id, 1));

        CompletableFuture<Awaited> further = leat.outcomes().awaitChunkAsync(id, 1, LONG);
        assertThat(leat.outcomes().awaitChunk(id, 1, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));
        leat.outcomes().reportChunk(taken.lease(), 3);
        assertThat(get(further)).isEqualTo(new Awaited.Chunk(id, 3));

        assertThat(patient).as("one who asked for the end only").isNotDone();
        CompletableFuture<Awaited> last = leat.outcomes().awaitChunkAsync(id, 3, LONG);
        leat.ack(taken);
        assertThat(get(last)).isEqualTo(ended(id, TaskState.DONE, ""));
        assertThat(get(patient)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void aPartThatIsThereAnswersAtOnce() throws Exception { // R11
        long id = put("a");
        TakenTask taken = takeOne();
        leat.outcomes().reportChunk(taken.lease(), 2);

        assertThat(leat.outcomes().awaitChunk(id, 1, LONG)).isEqualTo(new Awaited.Chunk(id, 2));
        assertThat(leat.outcomes().awaitChunk(id, 2, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));
    }

    @Test
    void thePartsOfAnAttemptThatWasLostAreNotThereAnyMore() throws Exception {
        long id = put("a");
        TakenTask taken = takeOne();
        leat.outcomes().reportChunk(taken.lease(), 5);
        leat.release(taken, Duration.ZERO);

        assertThat(leat.outcomes().awaitChunk(id, 0, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));
        assertThat(leat.outcomes().reportChunk(taken.lease(), 6)).isFalse();
        leat.outcomes().reportChunk(takeOne().lease(), 1);
        assertThat(leat.outcomes().awaitChunk(id, 0, LONG)).isEqualTo(new Awaited.Chunk(id, 1));
    }

    @Test
    void partsCountFromOne() {
        long id = put("a");
        TakenTask taken = takeOne();

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> leat.outcomes().reportChunk(taken.lease(), 0))
                .withMessageContaining("number");
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> leat.outcomes().awaitChunk(id, -1, LONG))
                .withMessageContaining("seen");
    }

    @Test
    void aHandlersPartsAreStreamedWhileItRuns() throws Exception { // R11
        CountDownLatch seen = new CountDownLatch(1);
        leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    task.chunk(1);
                    seen.await();
                    task.chunk(2);
                    task.ackWith("all");
                })
                .start();
        long id = put(addressed().payload("a"));

        assertThat(leat.outcomes().awaitChunk(id, 0, LONG)).isEqualTo(new Awaited.Chunk(id, 1));
        seen.countDown();

        Outcome outcome = leat.outcomes().await(id, LONG).ended().orElseThrow();
        assertThat(outcome.result()).contains(Payload.of("all"));
    }

    // Tasks that wait for tasks

    @Test
    void aHandlerWaitsForAnotherTaskOfItsOwnWorker() throws Exception { // R29, R.3-10
        assertInnerTaskRuns(
                (task, inner) -> task.awaiting(() -> task.leat().outcomes().await(inner, LONG)));
    }

    @Test
    void aHandlerThatBlocksInAwaitWaitsForAnotherTaskOfItsOwnWorker() throws Exception { // R29, R.3-10
        assertInnerTaskRuns((task, inner) -> task.leat().outcomes().await(inner, LONG));
    }

    private interface InnerWait {
        Awaited await(RunningTask task, long inner) throws Exception;
    }

    /** Runs in a worker with one processor. */
    private void assertInnerTaskRuns(InnerWait wait) throws Exception {
        leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    if (payload.equals("inner")) {
                        task.ackWith("from within");
                        return;
                    }
                    long inner = task.leat().putAddressed(Q, A, "inner").id();
                    Awaited awaited = wait.await(task, inner);
                    task.ackWith(
                            awaited.ended().orElseThrow().result().orElseThrow().text());
                })
                .concurrency(1)
                .start();

        Awaited awaited = leat.outcomes().await(put("outer"), LONG);

        assertThat(awaited.ended().orElseThrow().result()).contains(Payload.of("from within"));
    }
}
