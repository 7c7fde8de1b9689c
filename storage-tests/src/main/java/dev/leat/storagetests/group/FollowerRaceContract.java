package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Predecessor;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.storagetests.StorageFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A task that waits for others is let go, or canceled, whoever does what at the same moment: no end goes unnoticed. Covers rule 2, 18. */
public abstract class FollowerRaceContract {
    private static final String Q = "q";
    private static final String WORK = "work";
    private static final String CLOSING = "closing";
    private static final int ROUNDS = 400;
    private static final long TIMEOUT_SECONDS = 120;
    /** Less than the time between two looks for what a process that died has forgotten, which would find everything. */
    private static final Duration HELD_FOR = Duration.ofSeconds(10);

    private static final int WORKFLOWS = 200;
    private static final int THREADS = 8;

    private StorageFixture fixture;
    private Storage storage;
    private String session;
    private int rounds;
    private long group;

    protected abstract StorageFixture newFixture();

    @BeforeEach
    void open() {
        fixture = newFixture();
        rounds = fixture.enough(ROUNDS);
        storage = fixture.inRealTime();
        storage.queues().create(Q, QueueOptions.standard());
        session = storage.sessions().open(SessionSpec.named("racer"));
        group = storage.groups().create(GroupSpec.named("g")).id();
        put(member());
        storage.groups().start(group);
        take(); // so that the group goes on
        sweep(); // so that the next look for what was forgotten is far off
    }

    @AfterEach
    void close() {
        storage.close();
        fixture.close();
    }

    private NewTask.Builder member() {
        return NewTask.to(Q).group(group);
    }

    private long put(NewTask.Builder task) {
        return storage.put(List.of(task.build())).get(0).id();
    }

    private Lease take() {
        return storage.take(TakeRequest.from(Q).session(session)).get(0).lease();
    }

    private TaskState state(long id) {
        return storage.peek(id).orElseThrow().state();
    }

    /** Who passed by a group that somebody else held has left it to sweeps; nothing else may need one. */
    private void assertComesTo(TaskState expected, long id, int round) {
        long start = System.nanoTime();
        while (state(id) != expected && System.nanoTime() - start < HELD_FOR.toNanos()) {
            sweep();
        }
        assertThat(state(id)).as("round %d", round).isEqualTo(expected);
    }

    private void sweep() {
        storage.sweep(new Sweep(Sweep.Sessions.SPARE, Integer.MAX_VALUE));
    }

    private <T> List<T> together(List<Callable<T>> calls) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(calls.size());
        try {
            CyclicBarrier barrier = new CyclicBarrier(calls.size());
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> call : calls) {
                futures.add(pool.submit(() -> {
                    barrier.await();
                    return call.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void aTaskThatIsPutWhileTheOneBeforeItIsAcknowledgedIsReady() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long first = put(member());
            Lease lease = take();

            List<Long> results = together(List.of(() -> put(member().after(first)), () -> {
                storage.settle(List.of(Settle.ack(lease)));
                return 0L;
            }));

            assertComesTo(TaskState.READY, results.get(0), round);
            storage.delete(results.get(0));
        }
    }

    @Test
    void aTaskThatIsPutWhileTheOneBeforeItIsBuriedIsCanceled() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long first = put(member());
            Lease lease = take();

            List<Long> results = together(List.of(() -> put(member().after(first)), () -> {
                storage.settle(List.of(Settle.bury(lease, "aside")));
                return 0L;
            }));

            assertComesTo(TaskState.CANCELED, results.get(0), round);
        }
    }

    @Test
    void aTaskIsReadyWhenAllBeforeItAreAcknowledgedAtTheSameMoment() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long one = put(member());
            long two = put(member());
            long three = put(member());
            long last = put(member().after(one, two, three));
            List<Callable<Integer>> acks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Settle ack = Settle.ack(take());
                acks.add(() -> storage.settle(List.of(ack)).size());
            }

            together(acks);

            assertComesTo(TaskState.READY, last, round);
            storage.delete(last);
        }
    }

    @Test
    void aTaskThatWaitsIsReadyWhenItsGroupIsStartedMeanwhile() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long own =
                    storage.groups().create(GroupSpec.named("round " + round)).id();
            long first = put(NewTask.to(Q).group(own));
            long second = put(NewTask.to(Q).group(own).afterEnd(first));

            together(List.<Callable<Object>>of(() -> storage.groups().start(own), () -> storage.delete(first)));

            assertComesTo(TaskState.READY, second, round);
            storage.delete(second);
        }
    }

    // Many at once

    /** One task, two that wait for it, and one that waits for both; the place in the list is that in the workflow. */
    private List<Long> putDiamond(int number) {
        NewTask task = NewTask.to(WORK).build();
        List<NewTask> tasks =
                List.of(task, task.following(done(0)), task.following(done(0)), task.following(done(1, 2)));
        GroupSpec spec =
                GroupSpec.named("workflow " + number).end(closing("end")).abort(closing("abort"));
        return storage.groups().put(spec, tasks).tasks().stream()
                .map(PutResult::id)
                .toList();
    }

    private static List<Predecessor> done(int... positions) {
        return Arrays.stream(positions)
                .mapToObj(position -> (Predecessor) new Predecessor.InPut(position, Predecessor.Until.DONE))
                .toList();
    }

    private static NewTask closing(String payload) {
        return NewTask.to(CLOSING).payload(payload).build();
    }

    @Test
    void everyTaskOfManyWorkflowsRunsOnceAndAfterThoseBeforeIt() throws Exception {
        storage.queues().create(WORK, QueueOptions.standard());
        storage.queues().create(CLOSING, QueueOptions.standard());
        List<List<Long>> workflows = new ArrayList<>();
        for (int i = 0; i < Math.max(20, rounds * WORKFLOWS / ROUNDS); i++) {
            workflows.add(putDiamond(i));
        }
        Ledger ledger = new Ledger(workflows);

        together(Collections.nCopies(THREADS, () -> work(ledger)));

        ledger.taken.forEach(
                (id, count) -> assertThat(count.get()).as("runs of task %d", id).isEqualTo(1));
        assertThat(ledger.tooEarly).isEmpty();
        for (List<Long> workflow : workflows) {
            ledger.assertEndsFit(workflow);
        }
        List<TakenTask> closing =
                storage.take(TakeRequest.from(CLOSING).count(10_000).session(session));
        assertThat(closing).hasSameSizeAs(workflows);
    }

    private Void work(Ledger ledger) {
        String own = storage.sessions().open(SessionSpec.named("worker").deadAfter(Duration.ofHours(1)));
        while (storage.queues().stats(WORK).live()
                > storage.queues().stats(WORK).count(TaskState.BURIED)) {
            for (TakenTask taken : storage.take(TakeRequest.from(WORK).count(4).session(own))) {
                ledger.takes(taken.id());
                int chance = ThreadLocalRandom.current().nextInt(12);
                if (chance == 0) {
                    storage.groups().cancel(taken.task().group().orElseThrow(), "by chance");
                }
                Settle settle = chance == 1 ? Settle.bury(taken.lease(), "aside") : Settle.ack(taken.lease());
                if (chance != 1) {
                    ledger.acked.add(taken.id());
                }
                storage.settle(List.of(settle));
            }
            sweep();
        }
        return null;
    }

    /** What the threads have done. */
    private final class Ledger {
        final Map<Long, AtomicInteger> taken = new ConcurrentHashMap<>();
        /** Noted before the storage is told, so that nothing may be taken that is not after one in here. */
        final Set<Long> acked = ConcurrentHashMap.newKeySet();

        final Set<Long> tooEarly = ConcurrentHashMap.newKeySet();
        private final Map<Long, List<Long>> before = new HashMap<>();

        Ledger(List<List<Long>> workflows) {
            for (List<Long> workflow : workflows) {
                before.put(workflow.get(0), List.of());
                before.put(workflow.get(1), List.of(workflow.get(0)));
                before.put(workflow.get(2), List.of(workflow.get(0)));
                before.put(workflow.get(3), List.of(workflow.get(1), workflow.get(2)));
            }
        }

        void takes(long id) {
            taken.computeIfAbsent(id, one -> new AtomicInteger()).incrementAndGet();
            if (!acked.containsAll(before.getOrDefault(id, List.of()))) {
                tooEarly.add(id);
            }
        }

        /** All have ended; one that did not run is canceled, and then its group was, or one before it has not ended well. */
        void assertEndsFit(List<Long> workflow) {
            boolean isCanceled = workflow.stream()
                    .anyMatch(id ->
                            storage.peek(id).orElseThrow().message().orElse("").contains("group canceled"));
            for (long id : workflow) {
                TaskState end = state(id);
                boolean mayRun =
                        before.getOrDefault(id, List.of()).stream().allMatch(other -> state(other) == TaskState.DONE);
                assertThat(end)
                        .as("task %d of %s", id, workflow)
                        .isIn(TaskState.DONE, TaskState.BURIED, TaskState.CANCELED);
                assertThat(taken.containsKey(id) || isCanceled || !mayRun)
                        .as("task %d of %s", id, workflow)
                        .isTrue();
                assertThat(taken.containsKey(id) && !mayRun)
                        .as("task %d of %s", id, workflow)
                        .isFalse();
            }
        }
    }
}
