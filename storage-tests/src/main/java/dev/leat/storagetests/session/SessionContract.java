package dev.leat.storagetests.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Attempt;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.QueueInUseException;
import dev.leat.error.SessionEndedException;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Sweep;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A session's heartbeat holds its leases, apart from any time limit. Covers T31, T32, T38, R19, R20, O31, C18, rule 7,
 * 12.
 */
public abstract class SessionContract extends ContractTest {
    private static final Duration DEAD_AFTER = seconds(15);
    private static final SessionSpec WORKER = SessionSpec.named("worker");

    /** A session that only the test keeps alive, and the tasks that the session holds. */
    private final class Worker {
        final String id;
        final List<TakenTask> held;

        Worker(SessionSpec spec, int tasks) {
            id = storage.sessions().open(spec);
            for (int i = 0; i < tasks; i++) {
                put("task " + i);
            }
            held = tasks == 0
                    ? List.of()
                    : storage.take(TakeRequest.from(Q).count(tasks).session(id));
            assertThat(held).hasSize(tasks);
        }

        boolean isAlive() {
            return storage.sessions().heartbeat(id, Map.of()).alive();
        }

        void waitFor(String queue, int takes) {
            storage.sessions().heartbeat(id, Map.of(queue, takes));
        }

        List<TaskState> states() {
            return held.stream().map(taken -> state(taken.id())).toList();
        }

        Lease lease() {
            return held.get(0).lease();
        }

        long task() {
            return held.get(0).id();
        }

        TaskEvent[] losses() {
            return held.stream()
                    .map(taken -> new TaskEvent(TaskEvent.Kind.LOST, Q, taken.id(), TaskState.READY))
                    .toArray(TaskEvent[]::new);
        }
    }

    private Worker worker() {
        return new Worker(WORKER, 1);
    }

    private List<TaskEvent> sweepSparingTheSilent() {
        return storage.sweep(new Sweep(Sweep.Sessions.SPARE, Integer.MAX_VALUE)).events();
    }

    private int consumers(String queue) {
        return storage.queues().stats(queue).consumers();
    }

    private void assertEnded(Worker worker) {
        assertThat(worker.isAlive()).isFalse();
        assertThat(worker.states()).doesNotContain(TaskState.TAKEN);
        assertThat(ack(worker.lease())).isEqualTo(SettleResult.gone());
    }

    private void assertHolds(Worker worker) {
        assertThat(worker.states()).containsOnly(TaskState.TAKEN);
    }

    // Leases

    @Test
    void aSessionsLeasesAreThoseItHasTakenAndNotSettled() {
        storage.queues().create("other", QueueOptions.standard());
        storage.put(List.of(NewTask.to("other").build()));
        Worker worker = new Worker(WORKER, 3);
        TakenTask other =
                storage.take(TakeRequest.from("other").session(worker.id)).get(0);
        put("somebody else's");
        take();

        ack(worker.lease());

        assertThat(storage.sessions().leases(worker.id))
                .containsExactlyInAnyOrder(
                        worker.held.get(1).lease(), worker.held.get(2).lease(), other.lease());
    }

    @Test
    void anEndedSessionHasNoLeases() {
        Worker worker = worker();

        storage.sessions().close(worker.id);

        assertThat(storage.sessions().leases(worker.id)).isEmpty();
    }

    // Liveness

    @Test
    void aSilentSessionLosesAllItsLeasesAndNotBeforeItsTime() { // N23, N42, rule 7, R19
        Worker worker = new Worker(WORKER, 3);

        assertThat(advance(DEAD_AFTER.minusSeconds(1))).isEmpty();
        assertHolds(worker);

        assertThat(advance(seconds(1))).containsExactlyInAnyOrder(worker.losses());
        assertThat(worker.states()).containsOnly(TaskState.READY);
        assertEnded(worker);
    }

    @Test
    void eachSessionSaysHowLongItMayBeSilent() {
        Worker patient = new Worker(WORKER.deadAfter(minutes(2)), 1);
        Worker hasty = new Worker(WORKER.deadAfter(seconds(3)), 1);

        advance(seconds(3));
        assertEnded(hasty);
        assertHolds(patient);

        advance(seconds(116));
        assertHolds(patient);
        advance(seconds(1));
        assertEnded(patient);
    }

    @Test
    void aHeartbeatKeepsASessionAndItsLeases() { // rule 7, R18
        Worker worker = worker();

        for (int i = 0; i < 10; i++) {
            advance(DEAD_AFTER.minusSeconds(1));
            assertThat(worker.isAlive()).isTrue();
        }

        assertThat(ack(worker.lease()).status()).isEqualTo(SettleResult.Status.DONE);
    }

    @Test
    void aHeartbeatBeforeAnybodySweptSavesALateSession() { // rule 12, R20
        Worker worker = worker();
        fixture.advance(DEAD_AFTER.plusSeconds(5));

        assertThat(worker.isAlive()).isTrue();
        storage.sessions().heartbeat(session, Map.of());

        assertThat(sweep()).isEmpty();
        assertHolds(worker);
    }

    @Test
    void aSilentSessionDoesNotTouchTheLeasesOfOthers() {
        Worker silent = worker();
        put("other");
        TakenTask other = take();
        put("nobody's");
        TakenTask detached =
                storage.take(TakeRequest.from(Q).ttr(minutes(5)).detached()).get(0);

        advance(DEAD_AFTER);

        assertEnded(silent);
        assertThat(ack(other.lease()).status()).isEqualTo(SettleResult.Status.DONE);
        assertThat(ack(detached.lease()).status()).isEqualTo(SettleResult.Status.DONE);
    }

    @Test
    void aHeartbeatDoesNotExtendATimeLimit() { // rule 7
        Worker worker = new Worker(WORKER, 0);
        long id = put(task().ttr(seconds(20))).id();
        storage.take(TakeRequest.from(Q).session(worker.id));

        advance(seconds(10));
        assertThat(worker.isAlive()).isTrue();
        advance(seconds(10));

        assertThat(state(id)).isEqualTo(TaskState.READY);
        assertThat(worker.isAlive()).isTrue();
    }

    @Test
    void aTimeLimitDoesNotKeepTheLeaseOfASilentSession() { // rule 7
        Worker worker = new Worker(WORKER, 0);
        long id = put(task().ttr(minutes(10))).id();
        storage.take(TakeRequest.from(Q).session(worker.id));

        advance(DEAD_AFTER);

        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void aLeaseLostWithItsSessionIsChargedAsALoss() { // rule 10, O31
        Worker worker = worker();
        Instant taken = now();

        advance(DEAD_AFTER);

        Task task = peek(worker.task());
        assertThat(List.of(task.attempts(), task.failures(), task.losses(), task.releases()))
                .containsExactly(1, 0, 1, 0);
        assertThat(storage.attempts(worker.task())).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(Attempt.Outcome.LOST);
            assertThat(attempt.session()).isEqualTo(Optional.of(worker.id));
            assertThat(attempt.started()).isEqualTo(taken);
            assertThat(attempt.ended()).isEqualTo(now());
        });
    }

    @Test
    void whatASessionSettledIsNotLostWithIt() {
        Worker worker = new Worker(WORKER, 2);
        ack(worker.lease());

        advance(DEAD_AFTER);

        assertThat(worker.states()).containsExactly(TaskState.DONE, TaskState.READY);
    }

    @Test
    void tasksOfAnEndedSessionComeBackAtTheirOwnPlace() { // T.3-1, C2
        Worker worker = new Worker(WORKER, 2);
        long later = put("later");

        advance(DEAD_AFTER);

        assertThat(takeIds(9))
                .containsExactly(worker.held.get(0).id(), worker.held.get(1).id(), later);
    }

    // Close

    @Test
    void closingASessionReturnsItsLeasesAtOnce() {
        Worker worker = new Worker(WORKER, 2);

        assertThat(storage.sessions().close(worker.id)).containsExactlyInAnyOrder(worker.losses());

        assertEnded(worker);
        assertThat(worker.states()).containsOnly(TaskState.READY);
        assertThat(worker.held)
                .allSatisfy(taken -> assertThat(peek(taken.id()).losses()).isEqualTo(1));
    }

    @Test
    void closingASessionThatHoldsNothingTellsNothing() {
        assertThat(storage.sessions().close(new Worker(WORKER, 0).id)).isEmpty();
    }

    @Test
    void anEndedSessionTakesNothing() {
        Worker worker = worker();
        storage.sessions().close(worker.id);

        assertThatExceptionOfType(SessionEndedException.class)
                .isThrownBy(() -> storage.take(TakeRequest.from(Q).session(worker.id)));

        assertThat(state(worker.task())).isEqualTo(TaskState.READY);
    }

    @Test
    void anEndedSessionTakesNothingFromAnEmptyQueueEither() {
        Worker worker = new Worker(WORKER, 0);
        advance(DEAD_AFTER);

        assertThatExceptionOfType(SessionEndedException.class)
                .isThrownBy(() -> storage.take(TakeRequest.from(Q).session(worker.id)));
    }

    @Test
    void anEndedSessionCannotBeRevived() {
        Worker worker = worker();
        storage.sessions().close(worker.id);

        assertThat(worker.isAlive()).isFalse();
        assertThat(worker.isAlive()).isFalse();
        storage.sessions().disconnect(worker.id);
        assertThat(storage.sessions().close(worker.id)).isEmpty();
        assertThat(peek(worker.task()).losses()).isEqualTo(1);
    }

    @Test
    void aSessionNobodyOpenedIsNotAlive() {
        assertThat(storage.sessions().heartbeat("nobody", Map.of()).alive()).isFalse();
    }

    @Test
    void sessionsOfTheSameNameAreDifferentSessions() {
        Worker one = worker();
        Worker two = worker();
        assertThat(one.id).isNotEqualTo(two.id);

        storage.sessions().close(one.id);

        assertEnded(one);
        assertHolds(two);
    }

    // Disconnect

    @Test
    void aDisconnectWithoutGraceReturnsTheLeasesAtOnce() { // T31, C18
        Worker worker = new Worker(WORKER, 2);

        storage.sessions().disconnect(worker.id);

        assertThat(sweep()).containsExactlyInAnyOrder(worker.losses());
        assertEnded(worker);
        assertThat(peek(worker.task()).losses()).isEqualTo(1);
    }

    @Test
    void aDisconnectWithGraceReturnsTheLeasesAfterIt() { // T32, C18
        Worker worker = new Worker(WORKER.grace(seconds(5)), 2);
        storage.sessions().disconnect(worker.id);

        assertThat(advance(seconds(4))).isEmpty();
        assertHolds(worker);

        assertThat(advance(seconds(1))).containsExactlyInAnyOrder(worker.losses());
        assertEnded(worker);
    }

    @Test
    void aGraceCanBeLongerThanTheSilenceThatEndsASession() { // T32
        Worker worker = new Worker(WORKER.grace(minutes(2)), 1);
        storage.sessions().disconnect(worker.id);

        advance(seconds(119));
        assertHolds(worker);

        advance(seconds(1));
        assertEnded(worker);
    }

    @Test
    void aHeartbeatWithinTheGraceKeepsTheLeases() { // C18
        Worker worker = new Worker(WORKER.grace(seconds(5)), 1);
        storage.sessions().disconnect(worker.id);
        advance(seconds(4));

        assertThat(worker.isAlive()).isTrue();

        advance(DEAD_AFTER.minusSeconds(1));
        assertHolds(worker);
        assertThat(ack(worker.lease()).status()).isEqualTo(SettleResult.Status.DONE);
    }

    @Test
    void aReconnectedSessionIsJudgedByItsHeartbeatAgain() { // C18
        Worker worker = new Worker(WORKER.grace(minutes(2)), 1);
        storage.sessions().disconnect(worker.id);
        advance(seconds(1));
        worker.isAlive();

        advance(DEAD_AFTER);

        assertEnded(worker);
    }

    @Test
    void aHolderCanSettleWithinTheGrace() { // T32
        Worker worker = new Worker(WORKER.grace(seconds(5)), 1);
        storage.sessions().disconnect(worker.id);
        advance(seconds(4));

        assertThat(ack(worker.lease()).status()).isEqualTo(SettleResult.Status.DONE);
    }

    @Test
    void aDisconnectDoesNotTouchTheLeasesOfOthers() {
        Worker gone = worker();
        Worker other = worker();

        storage.sessions().disconnect(gone.id);

        assertEnded(gone);
        assertHolds(other);
    }

    // Outages

    @Test
    void aSweeperThatHasNotWatchedLongEnoughEndsNoSilentSession() { // rule 12, R20, R.3-8
        Worker worker = worker();
        fixture.advance(minutes(60));

        assertThat(sweepSparingTheSilent()).isEmpty();

        assertHolds(worker);
        assertThat(worker.isAlive()).isTrue();
    }

    @Test
    void aSweeperThatSparesTheSilentEndsTheDisconnected() {
        Worker worker = new Worker(WORKER.grace(seconds(5)), 1);
        storage.sessions().disconnect(worker.id);
        fixture.advance(seconds(5));

        assertThat(sweepSparingTheSilent()).containsExactly(worker.losses());

        assertEnded(worker);
    }

    @Test
    void aSweeperThatSparesTheSilentEndsLeasesOverTheirTimeLimit() {
        Worker worker = new Worker(WORKER, 0);
        long id = put(task().ttr(seconds(5))).id();
        storage.take(TakeRequest.from(Q).session(worker.id));
        fixture.advance(seconds(60));

        assertThat(sweepSparingTheSilent()).containsExactly(new TaskEvent(TaskEvent.Kind.LOST, Q, id, TaskState.READY));

        assertThat(worker.isAlive()).isTrue();
    }

    @Test
    void aHeartbeatInTheFutureCountsAsNow() { // rule 12
        Worker worker = worker();

        advance(minutes(-60));
        assertHolds(worker);

        advance(DEAD_AFTER.minusSeconds(1));
        assertHolds(worker);
        advance(seconds(1));
        assertEnded(worker);
    }

    @Test
    void aDisconnectInTheFutureCountsAsNow() { // rule 12
        Worker worker = new Worker(WORKER.grace(seconds(30)), 1);
        storage.sessions().disconnect(worker.id);

        advance(minutes(-60));
        assertHolds(worker);

        advance(seconds(29));
        assertHolds(worker);
        advance(seconds(1));
        assertEnded(worker);
    }

    // Waiting consumers

    @Test
    void consumersThatWaitAreCountedOverAllSessions() { // T38, rule 25
        storage.queues().create("other", QueueOptions.standard());
        Worker one = new Worker(WORKER, 0);
        Worker two = new Worker(WORKER, 0);

        one.waitFor(Q, 2);
        two.waitFor(Q, 3);

        assertThat(consumers(Q)).isEqualTo(5);
        assertThat(consumers("other")).isZero();
    }

    @Test
    void theLastHeartbeatSaysHowManyWait() { // T38
        storage.queues().create("other", QueueOptions.standard());
        Worker worker = new Worker(WORKER, 0);
        worker.waitFor(Q, 2);

        worker.waitFor("other", 1);

        assertThat(consumers(Q)).isZero();
        assertThat(consumers("other")).isEqualTo(1);
    }

    @Test
    void aQueueIsNotDroppedUnderWaitingConsumersUntilTheyAreGone() { // T.3-13
        Worker worker = new Worker(WORKER.grace(seconds(5)), 0);
        worker.waitFor(Q, 1);
        assertThatExceptionOfType(QueueInUseException.class)
                .isThrownBy(() -> storage.queues().drop(Q));

        storage.sessions().disconnect(worker.id);

        assertThat(consumers(Q)).isZero();
        storage.queues().drop(Q);
        assertThat(storage.queues().find(Q)).isEmpty();
    }

    @Test
    void aDeadSessionWaitsForNothing() {
        Worker worker = new Worker(WORKER, 0);
        worker.waitFor(Q, 1);

        advance(DEAD_AFTER);

        assertThat(consumers(Q)).isZero();
    }

    @Test
    void aSecondDisconnectDoesNotStartTheGraceAgain() {
        String graceful = storage.sessions().open(SessionSpec.named("graceful").grace(seconds(10)));
        long id = put("a");
        storage.take(TakeRequest.from(Q).session(graceful));
        storage.sessions().disconnect(graceful);
        advance(seconds(6));

        storage.sessions().disconnect(graceful);
        advance(seconds(4));

        assertThat(state(id)).isEqualTo(TaskState.READY);
    }
}
