package dev.leat.storagetests.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.QueueFullException;
import dev.leat.error.QueueInUseException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.SessionEndedException;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.storagetests.Faults;
import dev.leat.storagetests.RealTimeTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Takes that wait, puts that wait, and changes that happen on time. Covers T15, T32, T47, R16, C18, C24, rule 26, 27. */
public abstract class WaitingContract extends RealTimeTest {
    private static final Duration SOON = Duration.ofMillis(200);
    /** How far from its moment a timed change may happen, with room for a loaded test machine. */
    private static final Duration LATE = Duration.ofMillis(1_500);

    @Test
    void aTakeWithoutATimeoutReturnsAtOnce() {
        assertThat(leat.take(one())).isEmpty();
    }

    @Test
    void aWaitingTakeGetsATaskThatIsPutLater() throws Exception { // R16
        CompletableFuture<List<TakenTask>> taken = waiting();

        long id = put("a");

        assertThat(ids(taken)).containsExactly(id);
    }

    @Test
    void aTakeGivesUpWhenItsTimeIsOver() throws Exception {
        long started = System.nanoTime();

        assertThat(leat.take(one(), SOON)).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - started)).isBetween(SOON, SOON.plus(LATE));
    }

    @Test
    void waitersAreServedInTheOrderTheyCame() throws Exception {
        List<CompletableFuture<List<TakenTask>>> waiters = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiters.add(waiting());
        }

        List<Long> put = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            put.add(put("t" + i));
        }

        for (int i = 0; i < 50; i++) {
            assertThat(ids(waiters.get(i))).containsExactly(put.get(i));
        }
    }

    @Test
    void nobodyIsForgottenWhenOthersInFrontAreServedJustThen() throws Exception {
        for (int i = 0; i < fixture.enough(2_000); i++) {
            CompletableFuture<List<TakenTask>> first = waiting();
            leat.putAll(List.of(task().build(), task().build()));
            CompletableFuture<List<TakenTask>> second = waiting();

            assertThat(ids(first)).hasSize(1);
            assertThat(ids(second)).hasSize(1);
        }
    }

    @Test
    void whoeverEndsATaskOfATenantAtItsLimitWakesAWaiter() throws Exception { // N16
        leat.queue(Q).declare(QueueOptions.builder().tenantLimit(1).build());
        for (int i = 0; i < 20; i++) {
            put(task().tenant("a"));
            long next = put(task().tenant("a"));
            TakenTask first = takeOne();
            CompletableFuture<List<TakenTask>> waiter = waiting();

            leat.ack(first);

            assertThat(ids(waiter)).containsExactly(next);
            leat.ack(waiter.join().get(0));
        }
    }

    @Test
    void aThousandWaitersHoldNoThread() {
        int before = Thread.activeCount();
        List<CompletableFuture<List<TakenTask>>> waiters = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiters.add(waiting());
        }

        assertThat(Thread.activeCount() - before)
                .as("threads, of which a server in the same process has some")
                .isLessThan(50);
        waiters.forEach(waiter -> waiter.cancel(false));
    }

    @Test
    void aCanceledWaiterSwallowsNothing() throws Exception {
        CompletableFuture<List<TakenTask>> gone = waiting();
        CompletableFuture<List<TakenTask>> patient = waiting();
        gone.cancel(false);

        long id = put("a");

        assertThat(ids(patient)).containsExactly(id);
    }

    @Test
    void waitersThatCancelWhileTasksComeLoseNone() {
        int tasks = 500;
        ConcurrentLinkedQueue<Long> received = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < tasks; i++) {
            CompletableFuture<List<TakenTask>> waiter = waiting();
            waiter.thenAccept(taken -> taken.forEach(task -> received.add(task.id())));
            put("t" + i);
            waiter.cancel(false);
        }

        await(
                "every task to be received or ready",
                () -> received.size() + leat.queue(Q).stats().count(TaskState.READY) == tasks);
    }

    @Test
    void anInterruptedTakeSwallowsNothing() throws Exception {
        Thread taker = new Thread(() -> {
            try {
                leat.take(one(), LONG);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        taker.start();
        await("the taker to wait", () -> taker.getState() == Thread.State.WAITING);
        taker.interrupt();
        taker.join();

        long id = put("a");

        assertThat(leat.take(one(), LONG)).extracting(TakenTask::id).containsExactly(id);
    }

    @Test
    void aWaiterOfSeveralQueuesGetsWhatComesFirstAndNoMore() throws Exception {
        leat.queue("other").create(QueueOptions.standard());
        CompletableFuture<List<TakenTask>> taken = leat.takeAsync(List.of(one(), TakeRequest.from("other")), LONG);

        long first = leat.put("other", "a");
        assertThat(ids(taken)).containsExactly(first);
        long second = put("b");

        assertThat(state(second)).isEqualTo(TaskState.READY);
    }

    @Test
    void waitersWithDifferentFiltersEachGetTheirOwn() throws Exception {
        leat.queue("typed")
                .create(QueueOptions.builder()
                        .typeFilter(QueueOptions.TypeFilter.ON)
                        .build());
        CompletableFuture<List<TakenTask>> wantsB =
                waiting(TakeRequest.from("typed").types(Set.of("b")));
        CompletableFuture<List<TakenTask>> wantsA =
                waiting(TakeRequest.from("typed").types(Set.of("a")));

        long a = put(NewTask.to("typed").type("a"));
        assertThat(ids(wantsA)).containsExactly(a);
        long b = put(NewTask.to("typed").type("b"));

        assertThat(ids(wantsB)).containsExactly(b);
    }

    @Test
    void everyWayATaskBecomesReadyWakesAWaiter() throws Exception {
        long id = put("a");

        TakenTask taken = takeOne();
        CompletableFuture<List<TakenTask>> afterRelease = waiting();
        leat.settle(Settle.release(taken.lease()));
        taken = afterRelease.get(20, TimeUnit.SECONDS).get(0);

        CompletableFuture<List<TakenTask>> afterKick = waiting();
        leat.settle(Settle.bury(taken.lease(), "aside"));
        leat.kick(id);
        taken = afterKick.get(20, TimeUnit.SECONDS).get(0);

        CompletableFuture<List<TakenTask>> afterDelay = waiting();
        leat.settle(Settle.release(taken.lease(), Duration.ofMillis(50)));
        taken = afterDelay.get(20, TimeUnit.SECONDS).get(0);

        leat.settle(Settle.release(taken.lease()));
        leat.queue(Q).pause();
        CompletableFuture<List<TakenTask>> afterResume = waiting();
        assertThat(afterResume).isNotDone();
        leat.queue(Q).resume();
        assertThat(ids(afterResume)).containsExactly(id);
    }

    @Test
    void aFreedKeyWakesAWaiter() throws Exception {
        put(task().key("k"));
        long second = put(task().key("k"));
        TakenTask first = takeOne();
        CompletableFuture<List<TakenTask>> waiter = waiting();

        leat.settle(Settle.ack(first.lease()));

        assertThat(ids(waiter)).containsExactly(second);
    }

    @Test
    void aTimeLimitThatPassesWakesAWaiter() throws Exception {
        long id = put(task().ttr(Duration.ofMillis(100)));
        takeOne();

        assertThat(ids(waiting())).containsExactly(id);
    }

    @Test
    void aSecondLeatWhoseProcessDiesGivesItsTasksBack() throws Exception { // N23, N42, R19
        long id = put("a");
        String dead = storage.sessions().open(SessionSpec.named("dead").deadAfter(Duration.ofMillis(300)));
        storage.take(one().session(dead));

        assertThat(ids(waiting())).containsExactly(id);
        assertThat(leat.peek(id).orElseThrow().losses()).isEqualTo(1);
    }

    @Test
    void aDueTaskIsHandedOutOnTime() throws Exception { // N25, N40
        CompletableFuture<List<TakenTask>> waiter = waiting();
        long id = put(task().delay(Duration.ofMillis(300)));

        assertThat(ids(waiter)).containsExactly(id);

        Instant due = leat.peek(id).orElseThrow().due();
        assertThat(storage.now()).isBetween(due, due.plus(LATE));
    }

    @Test
    void dueExpiryAndLossAreToldOnTimeWithoutAnybodyAsking() {
        ConcurrentLinkedQueue<TaskEvent> events = new ConcurrentLinkedQueue<>();
        leat.onTaskChange(events::add);
        long due = put(task().delay(Duration.ofMillis(100)));
        long lost = put(task().priority(-1).ttr(Duration.ofMillis(150)));
        takeOne();
        leat.queue("short")
                .create(QueueOptions.builder().ttl(Duration.ofMillis(120)).build());
        long expired = leat.put("short", "x");

        await(
                "all three events",
                () -> events.contains(new TaskEvent(TaskEvent.Kind.DUE, Q, due, TaskState.READY))
                        && events.contains(new TaskEvent(TaskEvent.Kind.LOST, Q, lost, TaskState.READY))
                        && events.contains(new TaskEvent(TaskEvent.Kind.EXPIRE, "short", expired, TaskState.EXPIRED)));
    }

    @Test
    void aListenerHearsEveryChangeMadeThroughThisLeat() {
        List<TaskEvent.Kind> kinds = new ArrayList<>();
        leat.onTaskChange(event -> kinds.add(event.kind()));

        long id = put("a");
        leat.settle(Settle.release(takeOne().lease()));
        leat.settle(Settle.bury(takeOne().lease(), "aside"));
        leat.kick(id);
        leat.settle(Settle.ack(takeOne().lease()));
        leat.delete(put("b"));

        assertThat(kinds)
                .containsExactly(
                        TaskEvent.Kind.PUT,
                        TaskEvent.Kind.TAKE,
                        TaskEvent.Kind.RELEASE,
                        TaskEvent.Kind.TAKE,
                        TaskEvent.Kind.BURY,
                        TaskEvent.Kind.KICK,
                        TaskEvent.Kind.TAKE,
                        TaskEvent.Kind.ACK,
                        TaskEvent.Kind.PUT,
                        TaskEvent.Kind.DELETE);
        assertThat(leat.queue(Q).calls().done()).isEqualTo(2);
        assertThat(leat.queue(Q).calls().count(TaskEvent.Kind.TAKE)).isEqualTo(3);
    }

    @Test
    void aListenerHearsWhatManyTasksGoThroughAtOnce() {
        ConcurrentLinkedQueue<TaskEvent> events = new ConcurrentLinkedQueue<>();
        long released = put("a");
        takeOne();
        leat.onTaskChange(events::add);

        leat.queue(Q).releaseAll();
        leat.queue(Q).truncate();

        await(
                "both changes to be told",
                () -> events.contains(new TaskEvent(TaskEvent.Kind.RELEASE, Q, released, TaskState.READY))
                        && events.contains(new TaskEvent(TaskEvent.Kind.DELETE, Q, released, TaskState.CANCELED)));
    }

    @Test
    void aVerbThatChangesNothingIsNotTold() {
        long id = put("a");
        List<TaskEvent> events = new ArrayList<>();
        leat.onTaskChange(events::add);

        leat.kick(id);
        leat.delete(id);
        leat.delete(id);
        leat.bury(id, "too late");

        assertThat(events).extracting(TaskEvent::kind).containsExactly(TaskEvent.Kind.DELETE);
    }

    @Test
    void aListenerThatThrowsHarmsNobody() {
        leat.onTaskChange(event -> {
            throw new IllegalStateException("broken listener");
        });

        long id = put("a");

        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void aTimedPutWaitsForSpace() throws Exception {
        leat.queue("small").create(QueueOptions.builder().capacity(1).build());
        leat.put("small", "a");
        CompletableFuture<Long> second = new CompletableFuture<>();
        Thread putter = new Thread(() -> {
            try {
                second.complete(leat.put(NewTask.to("small").build(), Duration.ofHours(1))
                        .id());
            } catch (InterruptedException e) {
                second.completeExceptionally(e);
            }
        });
        putter.start();
        TakenTask first = leat.take("small").orElseThrow();
        await("the put to wait", () -> putter.getState() == Thread.State.TIMED_WAITING);

        leat.ack(first);

        assertThat(state(second.get(20, TimeUnit.SECONDS))).isEqualTo(TaskState.READY);
    }

    @Test
    void aTimedPutGivesUpWhenTheQueueStaysFull() {
        leat.queue("small").create(QueueOptions.builder().capacity(1).build());
        leat.put("small", "a");

        assertThatThrownBy(() -> leat.put(NewTask.to("small").build(), SOON)).isInstanceOf(QueueFullException.class);
    }

    @Test
    void aQueueWithWaitingConsumersIsNotDropped() {
        CompletableFuture<List<TakenTask>> waiter = waiting();

        assertThatThrownBy(() -> leat.queue(Q).drop()).isInstanceOf(QueueInUseException.class);

        waiter.cancel(false);
        leat.queue(Q).drop();
        assertThat(leat.queue(Q).info()).isEmpty();
    }

    @Test
    void aTakeThatWaitsWithoutASessionOfThisLeatIsCountedToo() { // T38, rule 25
        CompletableFuture<List<TakenTask>> waiter = waiting(one().detached());

        await("the waiter to be counted", () -> storage.queues().stats(Q).consumers() == 1);

        waiter.cancel(false);
        await("nobody to wait", () -> storage.queues().stats(Q).consumers() == 0);
    }

    @Test
    void aTakeOfMoreThanThereIsGetsTheTasksThereAre() throws Exception {
        CompletableFuture<List<TakenTask>> modest = waiting(one());
        CompletableFuture<List<TakenTask>> greedy = waiting(one().count(Integer.MAX_VALUE));

        leat.putAll(List.of(task().build(), task().build(), task().build()));

        assertThat(ids(modest)).hasSize(1);
        assertThat(ids(greedy)).isNotEmpty();
    }

    @Test
    void aPutMakesAMissingQueueUnlessThatIsSwitchedOff() {
        leat.put("fresh", "a");

        assertThat(leat.queue("fresh").info()).isPresent();
        Leat strict =
                open(Leat.builder("").storage(new Faults().between(storage)).autoCreate(Leat.AutoCreate.OFF));
        assertThatThrownBy(() -> strict.put("missing", "a")).isInstanceOf(QueueNotFoundException.class);
    }

    @Test
    void closingEndsAllWaiting() throws Exception { // R16
        CompletableFuture<List<TakenTask>> waiter = waiting();

        leat.close();

        assertThat(waiter.get(20, TimeUnit.SECONDS)).isEmpty();
    }

    // Between two steps

    @Test
    void aTaskThatComesWhileATakeTurnsIntoAWaiterIsNotMissed() throws Exception {
        Faults faults = new Faults();
        Leat slow = openOn(faults.between(storage));
        Faults.Hold look = faults.hold("take");
        CompletableFuture<CompletableFuture<List<TakenTask>>> taking =
                CompletableFuture.supplyAsync(() -> slow.takeAsync(List.of(one()), LONG));
        await("the take to have looked", look::isReached);

        long id = put("a");
        look.release();

        assertThat(ids(taking.get(20, TimeUnit.SECONDS))).containsExactly(id);
    }

    @Test
    void aNewcomerDoesNotJumpTheLine() throws Exception {
        Faults faults = new Faults();
        Leat slow = openOn(faults.between(storage));
        CompletableFuture<List<TakenTask>> first = slow.takeAsync(List.of(one()), LONG);
        faults.set(Faults.Line.DOWN, "take");
        long id = put("a");
        await("the dispatcher to have failed", () -> faults.calls("take") > 1);
        faults.set(Faults.Line.WORKS);

        CompletableFuture<List<TakenTask>> newcomer = slow.takeAsync(List.of(one()), LONG);

        assertThat(ids(first)).containsExactly(id);
        assertThat(newcomer).isNotDone();
    }

    @Test
    void aTaskTakenForSomebodyWhoLeavesJustThenGoesToTheNextInLine() throws Exception {
        Faults faults = new Faults();
        Leat slow = openOn(faults.between(storage));
        CompletableFuture<List<TakenTask>> leaving = slow.takeAsync(List.of(one()), LONG);
        CompletableFuture<List<TakenTask>> staying = slow.takeAsync(List.of(one()), LONG);
        await("both to have been looked for", () -> faults.calls("take") >= 2);
        Faults.Hold taken = faults.holdTasks();
        long id = put("a");
        await("the task to be taken", taken::isReached);

        leaving.cancel(false);
        taken.release();

        assertThat(ids(staying)).containsExactly(id);
    }

    @Test
    void aTaskTakenForSomebodyWhoLeavesJustThenIsGivenBackEvenAfterAnOutage() {
        Faults faults = new Faults();
        Leat slow = openOn(faults.between(storage));
        CompletableFuture<List<TakenTask>> leaving = slow.takeAsync(List.of(one()), LONG);
        Faults.Hold taken = faults.holdTasks();
        long id = put("a");
        await("the task to be taken", taken::isReached);
        faults.set(Faults.Line.DOWN, "settle");
        leaving.cancel(false);
        taken.release();
        await("the give-back to have failed", () -> faults.calls("settle") > 0);

        faults.set(Faults.Line.WORKS);

        awaitState(id, TaskState.READY);
        assertThat(leat.peek(id).orElseThrow().attempts()).isZero();
    }

    @Test
    void aWaiterIsServedAfterAnOutageWithoutAnotherNotice() throws Exception {
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        CompletableFuture<List<TakenTask>> waiter = shaky.takeAsync(List.of(one()), LONG);
        int looks = faults.calls("take");
        faults.set(Faults.Line.DOWN, "take");
        long id = put("a");
        await("a look to fail", () -> faults.calls("take") > looks);

        faults.set(Faults.Line.WORKS);

        assertThat(ids(waiter)).containsExactly(id);
    }

    @Test
    void noticesDoNotHurryAStorageThatFails() { // R26
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        CompletableFuture<List<TakenTask>> waiter = shaky.takeAsync(List.of(one()), LONG);
        faults.set(Faults.Line.DOWN, "take");
        int before = faults.calls("take");

        for (int i = 0; i < 500; i++) {
            put("t" + i);
            int looks = i / 100;
            await("the looks to go on", () -> faults.calls("take") - before > looks);
        }

        assertThat(faults.calls("take") - before).isLessThan(100);
        waiter.cancel(false);
    }

    /** Where one finds nothing, so do the others, whatever their sessions. */
    @Test
    void manyWaitingTakesShareOneRequest() throws Exception {
        int many = 200;
        Faults faults = new Faults();
        Leat watched = openOn(faults.between(storage));
        List<CompletableFuture<List<TakenTask>>> waiters = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            String session = storage.sessions().open(SessionSpec.named("waiter" + i));
            waiters.add(watched.takeAsync(List.of(one().session(session)), LONG));
        }
        await("each to have been looked for once", () -> faults.calls("take") >= many);
        int before = faults.calls("take");

        long id = put("a");

        assertThat(ids(waiters.get(0))).containsExactly(id);
        assertThat(faults.calls("take") - before).isLessThan(many / 4);
    }

    @Test
    void aRefusedTakeFailsAtOnceAlsoBehindWaitingTakes() {
        leat.takeAsync(List.of(one()), LONG);
        leat.takeAsync(List.of(one()), LONG); // by now somebody has looked in vain

        assertThatThrownBy(() -> leat.take(one().session("nobody#1"), LONG)).isInstanceOf(SessionEndedException.class);
        assertThatThrownBy(() -> leat.take(one().order(TakeOrder.newest()), LONG))
                .isInstanceOf(InvalidRequestException.class);
    }

    // Queues that do not exist

    @Test
    void aTakeThatWaitsForAMissingQueueGetsTheTaskThatMakesIt() throws Exception { // rule 45
        CompletableFuture<List<TakenTask>> first = waiting(TakeRequest.from("later"));
        CompletableFuture<List<TakenTask>> second = waiting(TakeRequest.from("later"));
        assertThat(leat.queue("later").info()).isEmpty();

        long id = leat.put("later", "a");
        long next = leat.put("later", "b");

        assertThat(ids(first)).containsExactly(id);
        assertThat(ids(second)).containsExactly(next);
    }

    @Test
    void aTakeThatDoesNotWaitNeedsAQueue() { // rule 28
        CompletableFuture<List<TakenTask>> other = waiting(TakeRequest.from("later"));

        assertThatThrownBy(() -> leat.take(TakeRequest.from("later"))).isInstanceOf(QueueNotFoundException.class);
        assertThatThrownBy(() -> leat.take(TakeRequest.from("later"), Duration.ZERO))
                .isInstanceOf(QueueNotFoundException.class);

        assertThat(other).isNotDone();
        other.cancel(false);
    }

    @Test
    void aTakeThatWaitsForAMissingQueueGivesUpWhenItsTimeIsOver() throws Exception {
        assertThat(leat.take(TakeRequest.from("never"), Duration.ofMillis(20))).isEmpty();
        assertThat(leat.queue("never").info()).isEmpty();
    }

    @Test
    void aWaiterOfSeveralQueuesIsServedByThoseThatExist() throws Exception {
        CompletableFuture<List<TakenTask>> taken = leat.takeAsync(List.of(TakeRequest.from("later"), one()), LONG);

        long id = put("a");

        assertThat(ids(taken)).containsExactly(id);
    }

    /** A drop is refused while consumers wait. Consumers that no heartbeat has reported yet are not known. */
    @Test
    void aTakeGoesOnWaitingWhenItsQueueIsDroppedAndMadeAnew() throws Exception {
        Faults faults = new Faults();
        Leat unheard = openPatientlyOn(faults.between(storage));
        faults.set(Faults.Line.DOWN, "sessions.heartbeat");
        CompletableFuture<List<TakenTask>> taken = unheard.takeAsync(List.of(one().detached()), LONG);
        storage.queues().drop(Q);
        int looks = faults.calls("take");
        CompletableFuture<List<TakenTask>> choosy =
                unheard.takeAsync(List.of(one().detached().maxPriority(-1)), LONG);
        await("both to be looked for in the queue that is gone", () -> faults.calls("take") >= looks + 2);
        assertThat(choosy).isNotDone();

        long id = put("a");

        assertThat(ids(taken)).containsExactly(id);
    }

    @Test
    void aLostNoticeCostsNoMoreThanALook() throws Exception { // N41
        Leat deaf = openOn(new Faults().deaf().between(storage));
        CompletableFuture<List<TakenTask>> waiter = deaf.takeAsync(List.of(one()), LONG);

        long id = put("a");

        assertThat(ids(waiter)).containsExactly(id);
    }

    @Test
    void aClosedLeatGivesBackWhatItHadTakenAtOnce() {
        Leat other = openOn(new Faults().between(storage));
        long id = put("a");
        other.take(one());

        other.close();

        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    // Judging others by their silence

    @Test
    void aLeatThatHasJustBegunEndsNobodysSession() { // R20, R.3-8
        long id = takenByASilentSession();
        Instant opened = storage.now();

        judge(new Faults());

        awaitReady(id);
        assertThat(storage.now()).isAfterOrEqualTo(opened.plus(JUDGES_AFTER));
    }

    @Test
    void aLeatWhoseCallsFailedJustNowEndsNobodysSession() { // R20
        Faults faults = new Faults();
        judge(faults);
        awaitUnbrokenContact();
        faults.set(Faults.Line.DOWN);
        int failed = faults.calls("sweep");
        await("a call to fail", () -> faults.calls("sweep") > failed);
        long id = takenByASilentSession();
        Instant back = storage.now();

        faults.set(Faults.Line.WORKS);

        awaitReady(id);
        assertThat(storage.now()).isAfterOrEqualTo(back.plus(JUDGES_AFTER));
    }

    @Test
    void aLeatThatWasFrozenEndsNobodysSession() {
        Faults faults = new Faults();
        judge(faults);
        awaitUnbrokenContact();
        Faults.Hold frozen = faults.hold("sweep");
        await("the sweeper to freeze", frozen::isReached);
        long id = takenByASilentSession();
        Instant frozenSince = storage.now();
        await("a gap", () -> storage.now().isAfter(frozenSince.plus(JUDGES_AFTER)));
        Instant thawed = storage.now();

        frozen.release();

        awaitReady(id);
        assertThat(storage.now()).isAfterOrEqualTo(thawed.plus(JUDGES_AFTER));
    }

    /** How long the judging Leat must have seen the storage, by its {@code deadAfter}. */
    private static final Duration JUDGES_AFTER = Duration.ofMillis(1_000);

    /** Closes the test's own Leat, whose sweeper could end sessions too, and opens a Leat on the storage behind {@code faults}. */
    private void judge(Faults faults) {
        leat.close();
        open(Leat.builder("").storage(faults.between(storage)).heartbeat(Duration.ofMillis(100), JUDGES_AFTER));
    }

    private void awaitUnbrokenContact() {
        awaitReady(takenByASilentSession());
    }

    private void awaitReady(long id) {
        await(
                "task " + id + " to be ready",
                () -> storage.peek(id).orElseThrow().state() == TaskState.READY);
    }

    /** A task whose session has been silent for longer than its {@code deadAfter}. */
    private long takenByASilentSession() {
        storage.put(List.of(task().build()));
        String silent = storage.sessions().open(SessionSpec.named("silent").deadAfter(Duration.ofMillis(1)));
        long id = storage.take(one().session(silent)).get(0).id();
        Instant since = storage.now();
        await("the session to be overdue", () -> storage.now().isAfter(since.plusMillis(5)));
        return id;
    }

    private CompletableFuture<List<TakenTask>> waiting() {
        return waiting(one());
    }

    private CompletableFuture<List<TakenTask>> waiting(TakeRequest request) {
        return leat.takeAsync(List.of(request), LONG);
    }

    private TakenTask takeOne() {
        return leat.take(one()).get(0);
    }

    private static List<Long> ids(CompletableFuture<List<TakenTask>> taken) throws Exception {
        return taken.get(20, TimeUnit.SECONDS).stream().map(TakenTask::id).toList();
    }
}
