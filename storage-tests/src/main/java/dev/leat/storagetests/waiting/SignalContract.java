package dev.leat.storagetests.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.When;
import dev.leat.error.QueueFullException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.Notice;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Every call that frees a task, a key or a place sends a notice. Covers C24, N6, N41, N46, R40, rule 11, 27. */
public abstract class SignalContract extends ContractTest {
    private static final Notice READY = new Notice.Ready(Q);
    private static final Duration SOON = Duration.ofSeconds(2);

    private static void awaitNotice(Collection<Notice> heard, Notice notice) {
        await().atMost(SOON)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(heard).contains(notice));
    }

    private void assertTells(Notice notice, Runnable deed) {
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(heard::add)) {
            deed.run();
            awaitNotice(heard, notice);
        }
    }

    private void assertWakes(Runnable deed) {
        assertTells(READY, deed);
    }

    private void setOptions(QueueOptions.Builder options) {
        storage.queues().declare(Q, options.build(), QueueInfo.SetBy.CODE);
    }

    private Lease putAndTake() {
        put("a");
        return take().lease();
    }

    // A task is there

    @Test
    void aPutWakes() { // R40
        assertWakes(() -> put("a"));
    }

    @Test
    void aPutWakesEveryQueueThatGotATask() {
        storage.queues().create("other", QueueOptions.standard());
        NewTask other = NewTask.to("other").build();

        assertWakes(() -> storage.put(List.of(other, task().build(), other)));
        assertTells(new Notice.Ready("other"), () -> storage.put(List.of(task().build(), other)));
    }

    @Test
    void aTaskThatBecomesDueWakes() {
        put(task().delay(seconds(5)));

        assertWakes(() -> advance(seconds(5)));
    }

    @Test
    void aTaskThatComesBackWakes() {
        setOptions(QueueOptions.builder().retry(RetryPolicy.standard().backoff(Backoff.none())));
        List<Function<Lease, Settle>> waysBack = List.of(
                Settle::release,
                Settle::giveBack,
                lease -> Settle.fail(lease, "again"),
                lease -> Settle.retry(lease, When.now(), "again"));
        put("a");

        waysBack.forEach(way -> {
            Lease lease = take().lease();
            assertWakes(() -> settle(way.apply(lease)));
        });
    }

    @Test
    void aTaskThatFailedWakesWhenItIsDueAgain() {
        settle(Settle.retry(putAndTake(), When.in(seconds(5)), "later"));

        assertWakes(() -> advance(seconds(5)));
    }

    @Test
    void aTaskThatRanTooLongWakes() {
        put(task().ttr(seconds(5)));
        take();

        assertWakes(() -> advance(seconds(5)));
    }

    @Test
    void theTasksOfAClosedSessionWake() {
        putAndTake();

        assertWakes(() -> storage.sessions().close(session));
    }

    @Test
    void theTasksOfADisconnectedSessionWake() { // T32
        putAndTake();

        assertWakes(() -> storage.sessions().disconnect(session));
    }

    @Test
    void theTasksOfASilentSessionWake() { // R19
        String silent = storage.sessions().open(SessionSpec.named("silent"));
        put("a");
        storage.take(TakeRequest.from(Q).session(silent));

        assertWakes(() -> advance(seconds(16)));
    }

    @Test
    void aLeaseTakenAwayByAnOperatorWakes() { // T25
        putAndTake();

        assertWakes(() -> storage.queues().releaseAll(Q));
    }

    @Test
    void aKickWakes() {
        long id = put("a");
        storage.bury(id, "aside");
        assertWakes(() -> storage.kick(id));

        storage.bury(id, "aside");
        assertWakes(() -> storage.kick(Q, 1));
    }

    @Test
    void theStartOfAGroupWakes() {
        long group = storage.groups().create(GroupSpec.named("g")).id();
        put(task().group(group));

        assertWakes(() -> storage.groups().start(group));
    }

    @Test
    void theStartOfAGroupWakesEveryQueueItHasTasksIn() {
        storage.queues().create("other", QueueOptions.standard());
        long group = storage.groups().create(GroupSpec.named("g")).id();
        put(task().group(group));
        put(NewTask.to("other").group(group));

        assertTells(new Notice.Ready("other"), () -> storage.groups().start(group));
    }

    @Test
    void theClosingTaskOfAGroupWakes() {
        long ends = storage.groups()
                .create(GroupSpec.named("ends").end(task().build()))
                .id();
        long aborts = storage.groups()
                .create(GroupSpec.named("aborts").abort(task().build()))
                .id();

        assertWakes(() -> storage.groups().start(ends));
        assertWakes(() -> storage.groups().cancel(aborts, "not needed"));
    }

    @Test
    void aTaskForTheDeadHandlerWakes() {
        setOptions(QueueOptions.builder()
                .retry(RetryPolicy.standard().maxFailures(1))
                .exhaustion(Exhaustion.DEAD_HANDLER));
        Lease lease = putAndTake();

        assertWakes(() -> settle(Settle.fail(lease, "broken")));
    }

    @Test
    void aResumedQueueWakes() {
        put("a");
        storage.queues().pause(Q);

        assertWakes(() -> storage.queues().resume(Q));
    }

    // A key is free

    /** A task waits behind a taken task of its key; the action is applied to the taken task. */
    private void assertFreedKeyWakes(Consumer<TakenTask> deed) {
        put(task().key("k"));
        put(task().key("k"));
        TakenTask holder = take(2).get(0);

        assertWakes(() -> deed.accept(holder));
    }

    @Test
    void aKeyFreedByAnAckWakes() { // C14
        assertFreedKeyWakes(holder -> ack(holder.lease()));
    }

    @Test
    void aKeyFreedByABurialWakes() {
        assertFreedKeyWakes(holder -> settle(Settle.bury(holder.lease(), "aside")));
    }

    @Test
    void aKeyFreedByAnOperatorsBurialWakes() {
        assertFreedKeyWakes(holder -> storage.bury(holder.id(), "aside"));
    }

    @Test
    void aKeyFreedByADeleteWakes() {
        assertFreedKeyWakes(holder -> storage.delete(holder.id()));
    }

    @Test
    void aKeyFreedByADelayedReleaseWakes() {
        assertFreedKeyWakes(holder -> settle(Settle.release(holder.lease(), minutes(1))));
    }

    @Test
    void aKeyFreedByAFailureWakes() {
        assertFreedKeyWakes(holder -> settle(Settle.fail(holder.lease(), "again")));
    }

    @Test
    void aKeyFreedByACancelThatWasIgnoredWakes() { // rule 11
        assertFreedKeyWakes(holder -> {
            storage.cancel(holder.id(), "not needed");
            advance(seconds(10));
        });
    }

    // A place is free

    /** The queue is full with one READY task; the action ends this task. */
    private void assertFreedPlaceWakes(Consumer<Long> deed) {
        setOptions(QueueOptions.builder().capacity(1));
        long id = put(task().ttl(minutes(1))).id();

        assertWakes(() -> deed.accept(id));
    }

    @Test
    void aPlaceFreedByAnAckWakes() { // rule 6
        setOptions(QueueOptions.builder().capacity(1));
        Lease lease = putAndTake();

        assertWakes(() -> ack(lease));
    }

    @Test
    void aPlaceFreedByADeleteWakes() {
        assertFreedPlaceWakes(storage::delete);
    }

    @Test
    void aPlaceFreedByACancelWakes() {
        assertFreedPlaceWakes(id -> storage.cancel(id, "not needed"));
    }

    @Test
    void aPlaceFreedByTimeWakes() {
        assertFreedPlaceWakes(id -> advance(minutes(1)));
    }

    @Test
    void aPlaceFreedByATruncateWakes() {
        assertFreedPlaceWakes(id -> storage.queues().truncate(Q));
    }

    // Time and sessions

    @Test
    void aTaskDueBeforeAnythingElseMovesTheTimer() {
        put(task().delay(seconds(10)));
        sweep();

        assertTells(Notice.TimerMoved.INSTANCE, () -> put(task().delay(seconds(5))));
    }

    @Test
    void aTimeLimitBeforeAnythingElseMovesTheTimer() {
        put(task().ttr(seconds(5)));
        sweep();

        assertTells(Notice.TimerMoved.INSTANCE, this::take);
    }

    @Test
    void aRetryBeforeAnythingElseMovesTheTimer() {
        Lease lease = putAndTake();
        sweep();

        assertTells(Notice.TimerMoved.INSTANCE, () -> settle(Settle.retry(lease, When.in(seconds(5)), "later")));
    }

    @Test
    void theCancelOfATakenTaskIsNewsForItsSession() { // rule 11
        Lease lease = putAndTake();

        assertTells(new Notice.SessionNews(session), () -> storage.cancel(lease.taskId(), "not needed"));
        assertThat(storage.sessions().heartbeat(session, Map.of()).cancelRequested())
                .containsExactly(lease);
    }

    // Listeners

    @Test
    void everyListenerHears() { // N46, N50, R40, R42
        Collection<Notice> one = new ConcurrentLinkedQueue<>();
        Collection<Notice> two = new ConcurrentLinkedQueue<>();
        try (Registration first = storage.signal().listen(one::add);
                Registration second = storage.signal().listen(two::add)) {
            put("a");

            awaitNotice(one, READY);
            awaitNotice(two, READY);
        }
    }

    @Test
    void aClosedRegistrationHearsNothing() { // R40
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        storage.signal().listen(heard::add).close();

        assertWakes(() -> put("a"));

        assertThat(heard).isEmpty();
    }

    @Test
    void aNoticeThatIsSentIsHeard() { // N50: a server wakes workers whose database cannot
        Notice notice = new Notice.Ready("elsewhere");

        assertTells(notice, () -> storage.signal().send(notice));
    }

    @Test
    void aRefusedPutWakesNobody() {
        storage.queues().create("full", QueueOptions.builder().capacity(1).build());
        NewTask toFull = NewTask.to("full").build();
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(heard::add)) {
            assertThat(catchThrowable(() -> storage.put(List.of(toFull, toFull))))
                    .isInstanceOf(QueueFullException.class);
            put("a");
            awaitNotice(heard, READY);
        }

        assertThat(heard).doesNotContain(new Notice.Ready("full"));
    }

    @Test
    void aSleeperKnowsHowOftenToLookForHimself() {
        assertThat(storage.signal().missInterval()).isPositive();
    }
}
