package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.GroupClosedException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Many threads start, cancel and work off many groups at once, through one storage or through several storages of one database.
 * In every case each group ends once: with its end task after success, else with its abort task. Covers rule 18.
 */
public final class GroupRace {
    private static final String Q = "race";
    private static final String CLOSING = "closing";
    private static final int TASKS_EACH = 3;
    private static final int TAKEN_AT_ONCE = 4;
    private static final long TIMEOUT_SECONDS = 120;

    private final List<Long> groups;

    private GroupRace(List<Long> groups) {
        this.groups = groups;
    }

    /** Creates the groups; together they use every {@link GroupSpec.OnFailure} policy. */
    public static GroupRace of(int count, Storage storage) {
        storage.queues()
                .create(
                        Q,
                        QueueOptions.builder()
                                .retry(RetryPolicy.standard()
                                        .maxFailures(2)
                                        .maxLosses(RetryPolicy.UNLIMITED)
                                        .backoff(Backoff.none()))
                                .exhaustion(Exhaustion.FAIL_GROUP)
                                .build());
        storage.queues().create(CLOSING, QueueOptions.standard());
        return new GroupRace(
                IntStream.range(0, count).mapToObj(i -> create(i, storage)).toList());
    }

    /** Races existing groups, which another process has created. */
    public static GroupRace among(List<Long> groups) {
        return new GroupRace(groups);
    }

    private static long create(int i, Storage storage) {
        GroupSpec.OnFailure[] policies = GroupSpec.OnFailure.values();
        long group = storage.groups()
                .create(GroupSpec.named("group " + i)
                        .onFailure(policies[i % policies.length])
                        .end(closing("end " + i))
                        .abort(closing("abort " + i)))
                .id();
        storage.put(Collections.nCopies(TASKS_EACH, NewTask.to(Q).group(group).build()));
        return group;
    }

    private static NewTask closing(String payload) {
        return NewTask.to(CLOSING).payload(payload).build();
    }

    public List<Long> groups() {
        return groups;
    }

    /** Races until all groups have ended; the threads share the storages evenly. */
    public void run(int threads, List<Storage> storages) {
        AtomicInteger started = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Storage storage = storages.get(i % storages.size());
                running.add(pool.submit(() -> race(storage, started)));
            }
            for (Future<?> one : running) {
                one.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
        } catch (Exception e) {
            throw new AssertionError("in one of " + threads + " threads", e);
        } finally {
            pool.shutdownNow();
        }
    }

    private void race(Storage storage, AtomicInteger started) {
        RandomGenerator random = RandomGenerator.getDefault();
        // No thread sends heartbeats, so a slow machine must not end a session.
        String session = storage.sessions().open(SessionSpec.named("racer").deadAfter(Duration.ofHours(1)));
        boolean isLeft = true;
        while (isLeft && !Thread.currentThread().isInterrupted()) {
            // Two threads start each group. About one group in four is canceled: before, during or after its work.
            int next = started.getAndIncrement();
            if (next < 2 * groups.size()) {
                unlessClosed(() -> storage.groups().start(groups.get(next / 2)));
            }
            if (next < 2 * groups.size() && random.nextInt(8) == 0) {
                int about = Math.max(0, Math.min(groups.size() - 1, next / 2 + random.nextInt(-10, 10)));
                unlessClosed(() -> storage.groups().cancel(groups.get(about), "by chance"));
            }
            List<Settle> settles = storage
                    .take(TakeRequest.from(Q).count(TAKEN_AT_ONCE).session(session))
                    .stream()
                    .map(taken -> anySettle(taken.lease(), random))
                    .toList();
            storage.settle(settles);
            isLeft = next < 2 * groups.size() || !settles.isEmpty() || hasWork(storage);
        }
    }

    private static Settle anySettle(Lease lease, RandomGenerator random) {
        return switch (random.nextInt(16)) {
            case 0 -> Settle.bury(lease, "aside");
            case 1 -> Settle.fail(lease, "broken");
            case 2 -> Settle.release(lease);
            case 3 -> Settle.giveBack(lease);
            default -> Settle.ack(lease);
        };
    }

    private static boolean hasWork(Storage storage) {
        var stats = storage.queues().stats(Q);
        return stats.live() > stats.count(TaskState.BURIED);
    }

    private static void unlessClosed(Runnable deed) {
        try {
            deed.run();
        } catch (GroupClosedException e) {
            // Another thread has ended the group.
        }
    }

    /** Asserts that every group has ended and put the closing task of its state. */
    public void assertEachEndedOnce(Storage storage) {
        storage.sweep(new Sweep(Sweep.Sessions.SPARE, Integer.MAX_VALUE));
        List<GroupInfo> ended = groups.stream()
                .map(id -> storage.groups().find(id).orElseThrow())
                .toList();
        assertThat(ended).allSatisfy(group -> {
            assertThat(group.state().isEnded()).as("%s has ended", group).isTrue();
            assertThat(group.open() + group.running()).as("left in %s", group).isZero();
            assertThat(group.total()).isEqualTo(TASKS_EACH);
            assertThat(group.done() + group.failed() + group.canceled()).isEqualTo(TASKS_EACH);
        });
        assertThat(ended).extracting(GroupInfo::state).contains(GroupInfo.State.COMPLETED, GroupInfo.State.CANCELED);
        List<String> expected = ended.stream()
                .map(group ->
                        group.name().replace("group", group.state() == GroupInfo.State.COMPLETED ? "end" : "abort"))
                .toList();
        assertThat(storage.list(TaskQuery.of(CLOSING).limit(TaskQuery.MAX_LIMIT)))
                .extracting(task -> task.payload().text())
                .containsExactlyInAnyOrderElementsOf(expected);
    }
}
