package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Awaited;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.storage.Notice;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import dev.leat.storagetests.ContractTest;
import dev.leat.storagetests.Faults;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a storage knows for those who wait: how tasks stand, many at once, and news of them. Covers R10-R12, R25, R40, rule 16, 17. */
public abstract class TaskStatusContract extends ContractTest {
    private TaskStatus standing(long id) {
        Map<Long, TaskStatus> standings = storage.statuses(Set.of(id));
        assertThat(standings).containsOnlyKeys(id);
        return standings.get(id);
    }

    private static TaskStatus.Lives lives(int chunk) {
        return new TaskStatus.Lives(Q, chunk);
    }

    private static TaskStatus.Ended ended(long id, TaskState state, String message) {
        return new TaskStatus.Ended(Q, new Outcome(id, state, message, 0, Optional.empty()));
    }

    private void assertTold(long id, Runnable deed) {
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(heard::add)) {
            deed.run();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> heard.contains(new Notice.TaskNews(id)));
        }
    }

    // How tasks stand

    @Test
    void tasksOfAllKindsAreAnsweredTogether() {
        long scheduled = put(task().delay(minutes(5))).id();
        long done = put(task().priority(-3)).id();
        settle(new Settle.Ack(take().lease(), "sent", Optional.of(Payload.of("42"))));
        long silent = put(task().priority(-3)).id();
        ack(take().lease());
        long running = put(task().priority(-3)).id();
        take();
        long buried = put("b");
        storage.bury(buried, "aside");
        long unknown = buried + 1_000_000;

        Outcome outcome = new Outcome(done, TaskState.DONE, "sent", 0, Optional.of(Payload.of("42")));
        assertThat(storage.statuses(Set.of(scheduled, done, silent, running, buried, unknown)))
                .isEqualTo(Map.of(
                        scheduled, lives(0),
                        done, new TaskStatus.Ended(Q, outcome),
                        silent, ended(silent, TaskState.DONE, ""),
                        running, lives(0),
                        buried, ended(buried, TaskState.BURIED, "aside"),
                        unknown, new TaskStatus.Unknown()));
    }

    @Test
    void theStatusOfNoTasksIsEmpty() {
        assertThat(storage.statuses(Set.of())).isEmpty();
    }

    @Test
    void aThousandTasksAreQueriedInOneCall() {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < fixture.enough(1_000); i++) {
            ids.add(put("t" + i));
        }

        assertThat(storage.statuses(ids)).containsOnlyKeys(ids).values().allMatch(lives(0)::equals);
    }

    @Test
    void aFailureStandsWithItsMessageAndCode() { // R13
        storage.queues().declare(Q, QueueOptions.rsqueue(), QueueInfo.SetBy.CODE);
        long id = put("a");
        settle(new Settle.Fail(take().lease(), "no such host", 503));

        assertThat(standing(id))
                .isEqualTo(new TaskStatus.Ended(
                        Q, new Outcome(id, TaskState.FAILED, "no such host", 503, Optional.empty())));
    }

    @Test
    void aKickedTaskLivesAgain() { // rule 16
        long id = put("a");
        storage.bury(id, "aside");

        storage.kick(id);

        assertThat(standing(id)).isEqualTo(lives(0));
    }

    @Test
    void anOutcomeIsKnownAsLongAsItsTaskIsNotForgotten() { // rule 17, other than R.3-3
        storage.queues()
                .declare(Q, QueueOptions.builder().retention(Retention.none()).build(), QueueInfo.SetBy.CODE);
        long id = put(task().address("a")).id();
        ack(take().lease());

        advance(minutes(10).minusSeconds(1));
        assertThat(standing(id)).isEqualTo(ended(id, TaskState.DONE, ""));
        advance(Duration.ofDays(2));
        assertThat(standing(id)).isEqualTo(new TaskStatus.Forgotten());
    }

    @Test
    void whoWaitsForAForgottenTaskIsNeverToldOk() { // rule 17, other than R.3-3
        storage.queues()
                .declare(Q, QueueOptions.builder().retention(Retention.none()).build(), QueueInfo.SetBy.CODE);
        long id = put("a");
        ack(take().lease());
        advance(Duration.ofDays(2));

        try (Leat leat = Leat.builder("").storage(new Faults().between(storage)).open()) {
            assertThatExceptionOfType(OutcomeForgottenException.class)
                    .isThrownBy(() -> leat.outcomes().await(id, minutes(1)))
                    .withMessageContaining(Long.toString(id));
        }
    }

    @Test
    void whoWaitsIsToldThatTheTimeOfTheTaskIsOver() throws InterruptedException {
        long id = put(task().ttl(seconds(5))).id();
        try (Leat leat = Leat.builder("").storage(new Faults().between(storage)).open()) {
            assertThat(leat.outcomes().await(id, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));

            advance(seconds(5));

            // With time to wait: Leat's sweeper may hold the task's row at this moment, and commit its end later.
            assertThat(leat.outcomes().await(id, minutes(1)).ended())
                    .map(Outcome::state)
                    .contains(TaskState.EXPIRED);
        }
    }

    // Addresses

    @Test
    void addressesAreFoundTogether() { // R12
        long a = put(task().address("a")).id();
        long b = put(task().address("b")).id();
        long buried = put(task().address("c")).id();
        storage.bury(buried, "aside");

        assertThat(storage.findAddresses(Q, Set.of("a", "b", "c", "nobody's"))).isEqualTo(Map.of("a", a, "b", b));
        assertThat(storage.findAddresses(Q, Set.of())).isEmpty();
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> storage.findAddresses("nowhere", Set.of("a")));
    }

    // News

    @Test
    void theEndOfATaskThatWasAskedForIsTold() { // R25, R40
        long acked = put("a");
        Lease lease = take().lease();
        long deleted = put("b");
        long buried = put("c");
        long addressed = put(task().address("a").priority(-1)).id();
        Lease other = take().lease();
        storage.statuses(Set.of(acked, deleted, buried, addressed));

        assertTold(acked, () -> ack(lease));
        assertTold(addressed, () -> ack(other));
        assertTold(deleted, () -> storage.delete(deleted));
        assertTold(buried, () -> storage.bury(buried, "aside"));
    }

    @Test
    void theEndByTimeIsTold() {
        long expiring = put(task().address("a").ttl(minutes(1))).id();
        storage.statuses(Set.of(expiring));

        assertTold(expiring, () -> {
            fixture.advance(minutes(1));
            storage.sweep(new Sweep(Sweep.Sessions.SPARE, 100));
        });
    }

    @Test
    void theEndWithItsGroupIsTold() {
        long group = storage.groups().create(GroupSpec.named("g")).id();
        long id = put(task().address("a").group(group)).id();
        storage.statuses(Set.of(id));

        assertTold(id, () -> storage.groups().cancel(group, "not needed"));
    }

    @Test
    void theEndOfAPlainTaskThatNobodyWaitsForIsNoNews() {
        put("a");
        Lease plain = take().lease();
        long awaited = put("b");
        Lease lease = take().lease();
        storage.statuses(Set.of(awaited));
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(heard::add)) {
            ack(plain);
            assertTold(awaited, () -> ack(lease));
        }

        assertThat(heard).doesNotContain(new Notice.TaskNews(plain.taskId()));
    }

    // Chunks

    @Test
    void theLastChunkIsKnownWhileTheTaskRuns() { // R11
        long id = put("a");
        Lease lease = take().lease();

        assertThat(storage.chunk(lease, 2)).isTrue();

        assertThat(standing(id)).isEqualTo(lives(2));
        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        ack(lease);
        assertThat(standing(id)).isEqualTo(ended(id, TaskState.DONE, ""));
    }

    @Test
    void aChunkThatIsNotHigherChangesNothing() {
        long id = put("a");
        Lease lease = take().lease();
        storage.chunk(lease, 5);

        assertThat(storage.chunk(lease, 3)).isTrue();

        assertThat(standing(id)).isEqualTo(lives(5));
    }

    @Test
    void theChunksOfAnAttemptEndWithIt() {
        long id = put(task().ttr(seconds(5))).id();
        Lease first = take().lease();
        storage.chunk(first, 7);
        advance(seconds(5));
        assertThat(standing(id)).isEqualTo(lives(0));
        Lease second = take().lease();
        assertThat(standing(id)).isEqualTo(lives(0));

        assertThat(storage.chunk(second, 1)).isTrue();

        assertThat(standing(id)).isEqualTo(lives(1));
        assertThat(storage.chunk(first, 8)).isFalse();
        assertThat(standing(id)).isEqualTo(lives(1));
    }

    @Test
    void aChunkOfATaskThatIsNotHeldIsRefused() {
        put("a");
        Lease lease = take().lease();
        ack(lease);

        assertThat(storage.chunk(lease, 1)).isFalse();
        assertThat(storage.chunk(Lease.of(lease.taskId() + 1_000_000, 1), 1)).isFalse();
    }

    @Test
    void aChunkLeavesTheLeaseAsItIs() {
        long id = put("a");
        Lease lease = take(TakeRequest.from(Q).ttr(minutes(1))).get(0).lease();

        storage.chunk(lease, 1);
        advance(minutes(1).minusSeconds(1));
        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        advance(seconds(1));

        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void aChunkIsTold() { // R11, R40
        long addressed = put(task().address("a")).id();
        Lease lease = take().lease();
        long plain = put("b");
        Lease other = take().lease();
        storage.statuses(Set.of(addressed, plain));

        assertTold(addressed, () -> storage.chunk(lease, 1));
        assertTold(plain, () -> storage.chunk(other, 1));
    }
}
