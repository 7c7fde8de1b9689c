package dev.leat.storagetests.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.queue.TenantStats;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** How many tasks are where. Covers G11, T37, T38, rule 25. */
public abstract class StatsContract extends ContractTest {
    private void setOptions(QueueOptions.Builder options) {
        storage.queues().declare(Q, options.build(), QueueInfo.SetBy.CODE);
    }

    /** The first failure ends a task. */
    private static QueueOptions.Builder strict() {
        return QueueOptions.builder()
                .retry(RetryPolicy.standard().maxFailures(1))
                .exhaustion(Exhaustion.FAIL);
    }

    private void finishOneInEachWay() {
        put(task().ttl(seconds(1)));
        advance(seconds(1));
        put("done");
        ack(take().lease());
        put("failed");
        settle(Settle.fail(take().lease(), "broken"));
        storage.delete(put("canceled"));
    }

    /** Exactly these states have tasks, one each unless a count follows. */
    private void assertCounts(Map<TaskState, Long> expected) {
        Map<TaskState, Long> all = new EnumMap<>(TaskState.class);
        for (TaskState state : TaskState.values()) {
            all.put(state, expected.getOrDefault(state, 0L));
        }
        QueueStats stats = storage.queues().stats(Q);
        assertThat(stats.counts()).isEqualTo(all);
        assertThat(stats.exact()).isTrue();
    }

    private int consumers() {
        return storage.queues().stats(Q).consumers();
    }

    @Test
    void aNewQueueIsEmpty() {
        assertCounts(Map.of());
        assertThat(storage.queues().stats(Q).live()).isZero();
        assertThat(consumers()).isZero();
    }

    @Test
    void everyStepOfALifeIsCounted() { // T37
        long id = put(task().delay(seconds(5))).id();
        assertCounts(Map.of(TaskState.SCHEDULED, 1L));
        advance(seconds(5));
        assertCounts(Map.of(TaskState.READY, 1L));
        Lease lease = take().lease();
        assertCounts(Map.of(TaskState.TAKEN, 1L));
        settle(Settle.release(lease));
        assertCounts(Map.of(TaskState.READY, 1L));
        settle(Settle.release(take().lease(), seconds(5)));
        assertCounts(Map.of(TaskState.SCHEDULED, 1L));
        advance(seconds(5));
        settle(Settle.bury(take().lease(), "aside"));
        assertCounts(Map.of(TaskState.BURIED, 1L));
        storage.kick(id);
        assertCounts(Map.of(TaskState.READY, 1L));
        ack(take().lease());
        assertCounts(Map.of(TaskState.DONE, 1L));
    }

    @Test
    void everyStateIsCounted() {
        setOptions(strict());
        finishOneInEachWay();
        long group = storage.groups().create(GroupSpec.named("unstarted")).id();
        put(task().group(group));
        put(task().group(group));
        storage.bury(put("buried"), "aside");
        put("taken");
        take();
        put(task().delay(minutes(1)));
        put("ready");

        assertCounts(Map.of(
                TaskState.WAITING, 2L,
                TaskState.SCHEDULED, 1L,
                TaskState.READY, 1L,
                TaskState.TAKEN, 1L,
                TaskState.BURIED, 1L,
                TaskState.DONE, 1L,
                TaskState.FAILED, 1L,
                TaskState.EXPIRED, 1L,
                TaskState.CANCELED, 1L));
        assertThat(storage.queues().stats(Q).live()).isEqualTo(6);
    }

    @Test
    void tasksBehindAKeyAreCountedAsWaitingOnceATakeHasMetThem() { // rule 3
        put(task().key("k"));
        put(task().key("k"));
        put(task().key("k"));

        Lease lease = take(9).get(0).lease();

        assertCounts(Map.of(TaskState.TAKEN, 1L, TaskState.WAITING, 2L));
        ack(lease);
        assertCounts(Map.of(TaskState.DONE, 1L, TaskState.READY, 1L, TaskState.WAITING, 1L));
    }

    @Test
    void theTasksOfAGroupAreCountedAsTheyMove() {
        long group = storage.groups().create(GroupSpec.named("g")).id();
        put(task().group(group));
        put(task().group(group));
        put(task().group(group).delay(minutes(1)));
        assertCounts(Map.of(TaskState.WAITING, 3L));
        storage.groups().start(group);
        assertCounts(Map.of(TaskState.READY, 2L, TaskState.SCHEDULED, 1L));
        take();

        storage.groups().cancel(group, "enough");

        assertCounts(Map.of(TaskState.TAKEN, 1L, TaskState.CANCELED, 2L));
    }

    @Test
    void tasksOfADeadSessionAreCountedAsReadyAgain() {
        put("a");
        put("b");
        take(2);

        storage.sessions().close(session);

        assertCounts(Map.of(TaskState.READY, 2L));
    }

    @Test
    void aDeadRunIsCountedBesideTheTaskItIsFor() {
        setOptions(strict().exhaustion(Exhaustion.DEAD_HANDLER));
        put("a");

        settle(Settle.fail(take().lease(), "broken"));

        assertCounts(Map.of(TaskState.FAILED, 1L, TaskState.READY, 1L));
    }

    @Test
    void aTruncatedQueueHasNoLiveTasks() {
        put("a");
        put(task().delay(minutes(1)));
        take();

        storage.queues().truncate(Q);

        assertCounts(Map.of(TaskState.CANCELED, 2L));
        assertThat(storage.queues().stats(Q).live()).isZero();
    }

    @Test
    void aPutThatMakesNoTaskCountsNothing() {
        put(task().address("a"));
        put(task().address("a"));

        assertCounts(Map.of(TaskState.READY, 1L));
    }

    @Test
    void countsAreExactForThousandsOfTasks() { // rule 25
        storage.put(Collections.nCopies(5_000, task().build()));
        List<TakenTask> taken = take(3_000);
        storage.settle(taken.subList(0, 1_000).stream()
                .map(t -> (Settle) Settle.ack(t.lease()))
                .toList());

        assertCounts(Map.of(TaskState.READY, 2_000L, TaskState.TAKEN, 2_000L, TaskState.DONE, 1_000L));
    }

    @Test
    void finishedTasksAreCountedForAsLongAsTheyAreKept() {
        Duration day = Duration.ofDays(1);
        setOptions(strict().retention(new Retention(
                day.multipliedBy(2),
                day.multipliedBy(4),
                day.multipliedBy(4),
                day.multipliedBy(6),
                Retention.DonePayload.DROP)));
        finishOneInEachWay();
        put("live");

        advance(day.multipliedBy(3));
        assertCounts(Map.of(TaskState.FAILED, 1L, TaskState.EXPIRED, 1L, TaskState.CANCELED, 1L, TaskState.READY, 1L));
        advance(day.multipliedBy(2));
        assertCounts(Map.of(TaskState.CANCELED, 1L, TaskState.READY, 1L));
        advance(day.multipliedBy(2));
        assertCounts(Map.of(TaskState.READY, 1L));
    }

    @Test
    void finishedTasksThatAreForgottenAtOnceAreNotCounted() {
        setOptions(strict().retention(Retention.none()));

        finishOneInEachWay();

        assertCounts(Map.of());
    }

    // Queues

    @Test
    void eachQueueIsCountedByItself() { // G11
        storage.queues().create("p", QueueOptions.builder().number(7).build());
        storage.queues().create("r", QueueOptions.standard());
        put("a");
        put("b");
        take();
        storage.put(List.of(NewTask.to("p").build()));

        List<QueueStats> stats = storage.queues().stats();

        assertThat(stats).extracting(QueueStats::queue).containsExactly("p", Q, "r");
        assertThat(stats).extracting(QueueStats::live).containsExactly(1L, 2L, 0L);
        assertThat(stats)
                .extracting(QueueStats::number)
                .containsExactly(OptionalInt.of(7), OptionalInt.empty(), OptionalInt.empty());
        assertThat(stats)
                .allSatisfy(s -> assertThat(s).isEqualTo(storage.queues().stats(s.queue())));
    }

    @Test
    void aDroppedQueueIsNotCounted() {
        put("a");

        storage.queues().drop(Q);

        assertThat(storage.queues().stats()).isEmpty();
    }

    @Test
    void theCountsOfAnUnknownQueueAreAnError() { // T37
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> storage.queues().stats("nowhere"));
    }

    // Consumers

    @Test
    void theWaitingTakesOfAllSessionsAreCounted() { // T38, rule 25
        String other = storage.sessions().open(SessionSpec.named("other"));

        storage.sessions().heartbeat(session, Map.of(Q, 3));
        storage.sessions().heartbeat(other, Map.of(Q, 4, "elsewhere", 9));

        assertThat(consumers()).isEqualTo(7);
    }

    @Test
    void theLastHeartbeatTellsHowManyTakesWait() {
        storage.sessions().heartbeat(session, Map.of(Q, 3));
        storage.sessions().heartbeat(session, Map.of(Q, 1));
        assertThat(consumers()).isEqualTo(1);

        storage.sessions().heartbeat(session, Map.of());

        assertThat(consumers()).isZero();
    }

    @Test
    void aSessionThatHasEndedWaitsForNothing() {
        String closed = storage.sessions().open(SessionSpec.named("closed"));
        String silent = storage.sessions().open(SessionSpec.named("silent"));
        String gone = storage.sessions().open(SessionSpec.named("gone").grace(minutes(5)));
        List.of(closed, silent, gone).forEach(s -> storage.sessions().heartbeat(s, Map.of(Q, 1)));
        assertThat(consumers()).isEqualTo(3);

        storage.sessions().close(closed);
        assertThat(consumers()).isEqualTo(2);
        storage.sessions().disconnect(gone);
        assertThat(consumers()).isEqualTo(1);
        advance(seconds(16));
        assertThat(consumers()).isZero();
    }

    // Tenants

    @Test
    void tasksAreCountedForEachTenantAndBusinessGroup() { // N16
        put(task().tenant("b").businessGroup("x"));
        put(task().tenant("b").businessGroup("x").delay(minutes(1)));
        put(task().tenant("b"));
        ack(take().lease());
        storage.bury(put(task().tenant("a")).id(), "aside");
        put("nobody's");

        List<TenantStats> stats = storage.queues().tenantStats(Q);

        assertThat(stats)
                .extracting(one ->
                        one.tenant().orElse("-") + " " + one.businessGroup().orElse("-"))
                .containsExactly("- -", "a -", "b -", "b x");
        assertThat(stats).allMatch(TenantStats::exact);
        assertThat(stats.get(0).count(TaskState.READY)).isEqualTo(1);
        assertThat(stats.get(1).count(TaskState.BURIED)).isEqualTo(1);
        assertThat(stats.get(2).count(TaskState.READY)).isEqualTo(1);
        assertThat(stats.get(3).count(TaskState.DONE)).isEqualTo(1);
        assertThat(stats.get(3).count(TaskState.SCHEDULED)).isEqualTo(1);
        assertThat(stats.get(3).count(TaskState.READY)).isZero();
    }

    @Test
    void tenantsOfAnUnknownQueueAreAnError() {
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> storage.queues().tenantStats("nowhere"));
    }
}
