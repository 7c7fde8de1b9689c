package dev.leat.storagetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.SettleResult.Status;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.GroupClosedException;
import dev.leat.error.QueueFullException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.Lock;
import dev.leat.storage.Sweep;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many threads at once, in real time: nothing is lost, nothing happens twice. Covers C19, C23, T46, rule 3, 9, 18. */
public abstract class ConcurrencyContract extends ContractTest {
    private static final int THREADS = 16;
    private static final long TIMEOUT_SECONDS = 120;
    private static final String CLOSING = "closing";

    private int rounds;

    @BeforeEach
    void goOnInRealTime() {
        rounds = fixture.enough(200);
        storage = fixture.inRealTime();
        storage.queues()
                .create(
                        Q,
                        QueueOptions.builder()
                                .retry(RetryPolicy.standard()
                                        .maxFailures(3)
                                        .maxLosses(RetryPolicy.UNLIMITED)
                                        .backoff(Backoff.none()))
                                .exhaustion(Exhaustion.FAIL)
                                .build());
        storage.queues().create(CLOSING, QueueOptions.standard());
        session = openSession();
    }

    @AfterEach
    void closeRealTime() {
        storage.close();
    }

    /** These tests send no heartbeats, so a slow machine must not end a session. */
    private String openSession() {
        return storage.sessions().open(SessionSpec.named("thread").deadAfter(minutes(60)));
    }

    /** Runs the work on {@code threads} threads that start together; answers what each gave, or its failure. */
    private static <T> List<T> inParallel(int threads, IntFunction<Callable<T>> work) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier together = new CyclicBarrier(threads);
            List<Callable<T>> calls = IntStream.range(0, threads)
                    .mapToObj(i -> (Callable<T>) () -> {
                        together.await();
                        return work.apply(i).call();
                    })
                    .toList();
            List<T> results = new ArrayList<>();
            for (Future<T> future : pool.invokeAll(calls, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                results.add(future.get());
            }
            return results;
        } catch (Exception e) {
            throw new AssertionError("in one of " + threads + " threads", e);
        } finally {
            pool.shutdownNow();
        }
    }

    private static void inParallel(int threads, Runnable work) {
        inParallel(threads, i -> Executors.callable(work));
    }

    /** All do each round at the same moment. */
    private <T> List<List<T>> raceInRounds(int threads, RoundWork<T> work) {
        CyclicBarrier roundStart = new CyclicBarrier(threads);
        List<List<T>> byThread = inParallel(threads, thread -> () -> {
            List<T> results = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                roundStart.await();
                results.add(work.run(thread, round));
            }
            return results;
        });
        return IntStream.range(0, rounds)
                .mapToObj(round ->
                        byThread.stream().map(results -> results.get(round)).toList())
                .toList();
    }

    private interface RoundWork<T> {
        T run(int thread, int round);
    }

    /** Stops a loop that waits for what never comes, once the test has timed out. */
    private static void breathe() {
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("gave up waiting");
        }
        Thread.onSpinWait();
    }

    private List<Long> putPlain(int count) {
        return storage.put(Collections.nCopies(count, task("x").build())).stream()
                .map(PutResult::id)
                .toList();
    }

    /** Takes and acknowledges until all threads together have taken {@code total} tasks. */
    private void drain(int total, Queue<Long> handedOut) {
        while (handedOut.size() < total) {
            List<TakenTask> taken = take(20);
            taken.forEach(t -> handedOut.add(t.id()));
            storage.settle(
                    taken.stream().map(t -> (Settle) Settle.ack(t.lease())).toList());
            breathe();
        }
    }

    private void assertAllDone(Collection<Long> put, Collection<Long> handedOut) {
        assertThat(handedOut).hasSameSizeAs(put);
        assertThat(Set.copyOf(handedOut)).isEqualTo(Set.copyOf(put));
        assertThat(take(1)).isEmpty();
        assertThat(storage.queues().stats(Q).live()).isZero();
    }

    private static long count(Collection<SettleResult> results, Status status) {
        return results.stream().filter(r -> r.status() == status).count();
    }

    private void sweepInRealTime() {
        storage.sweep(new Sweep(Sweep.Sessions.SPARE, Integer.MAX_VALUE));
    }

    // Tasks

    @Test
    void eachTaskIsHandedOutOnce() { // R15
        List<Long> put = putPlain(fixture.enough(20_000));
        Queue<Long> handedOut = new LinkedBlockingQueue<>();

        inParallel(THREADS, () -> drain(put.size(), handedOut));

        assertAllDone(put, handedOut);
    }

    @Test
    void tasksArePutAndTakenAtTheSameTime() {
        Queue<Long> put = new ConcurrentLinkedQueue<>();
        Queue<Long> handedOut = new LinkedBlockingQueue<>();
        int perPutter = 5 * fixture.enough(500);
        int putters = THREADS / 2;

        inParallel(
                THREADS,
                thread -> Executors.callable(() -> {
                    if (thread < putters) {
                        IntStream.range(0, perPutter / 5).forEach(i -> put.addAll(putPlain(5)));
                    } else {
                        drain(putters * perPutter, handedOut);
                    }
                }));

        assertAllDone(put, handedOut);
    }

    /** Records which task of each key runs, from the return of the take to just before the settle. */
    private static final class KeyWatch {
        final Map<String, Queue<Long>> starts = new ConcurrentHashMap<>();
        final Queue<String> overlaps = new ConcurrentLinkedQueue<>();
        private final Map<String, Long> running = new ConcurrentHashMap<>();

        void started(TakenTask taken) {
            Long other = running.putIfAbsent(key(taken), taken.id());
            if (other != null) {
                overlaps.add(key(taken) + ": " + other + " and " + taken.id());
            }
            starts.computeIfAbsent(key(taken), k -> new ConcurrentLinkedQueue<>())
                    .add(taken.id());
        }

        void stopped(TakenTask taken) {
            running.remove(key(taken));
        }

        private static String key(TakenTask taken) {
            return taken.task().key().orElseThrow();
        }
    }

    /** Puts tasks with {@code keys} keys in turn, and runs all of them to their end. */
    private KeyWatch runKeyed(int keys, int tasks, Function<Lease, Settle> settle) {
        storage.put(IntStream.range(0, tasks)
                .mapToObj(i -> task().key("key " + i % keys).build())
                .toList());
        KeyWatch watch = new KeyWatch();
        AtomicInteger left = new AtomicInteger(tasks);
        inParallel(THREADS, () -> {
            while (left.get() > 0) {
                List<TakenTask> batch = take(4);
                batch.forEach(watch::started);
                for (TakenTask taken : batch) {
                    watch.stopped(taken);
                    if (settle(settle.apply(taken.lease())).state().isFinished()) {
                        left.decrementAndGet();
                    }
                }
                if (batch.isEmpty()) {
                    storage.kick(Q, 10);
                }
                breathe();
            }
        });
        return watch;
    }

    @Test
    void noTenantEverHasMoreThanItsLimit() { // N16
        int limit = 3;
        storage.queues().declare(Q, QueueOptions.builder().tenantLimit(limit).build(), QueueInfo.SetBy.CODE);
        int tasks = fixture.enough(1_000);
        storage.put(IntStream.range(0, tasks)
                .mapToObj(i -> task().tenant("t" + i % 4).build())
                .toList());
        Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger left = new AtomicInteger(tasks);

        inParallel(THREADS, () -> {
            while (left.get() > 0) {
                List<TakenTask> batch = take(2);
                for (TakenTask taken : batch) {
                    AtomicInteger ofTenant =
                            running.computeIfAbsent(taken.task().tenant().orElseThrow(), tenant -> new AtomicInteger());
                    most.accumulateAndGet(ofTenant.incrementAndGet(), Math::max);
                }
                for (TakenTask taken : batch) {
                    Objects.requireNonNull(running.get(taken.task().tenant().orElseThrow()))
                            .decrementAndGet();
                    ack(taken.lease());
                    left.decrementAndGet();
                }
                breathe();
            }
        });

        assertThat(most.get()).isBetween(1, limit);
    }

    @Test
    void whoTakesFromTenantsInTurnAtTheSameTimeGetsWhatThereIs() { // N16
        storage.queues()
                .declare(
                        Q,
                        QueueOptions.builder()
                                .tenants(QueueOptions.Tenants.IN_TURN)
                                .build(),
                        QueueInfo.SetBy.CODE);
        int each = Math.max(5, fixture.enough(20));
        storage.put(IntStream.range(0, THREADS * each)
                .mapToObj(i -> task().tenant("t" + i).build())
                .toList());

        List<Integer> inVain = inParallel(THREADS, thread -> () -> {
            int missed = 0;
            for (int i = 0; i < each; i++) {
                missed += take(1).isEmpty() ? 1 : 0;
            }
            return missed;
        });

        assertThat(inVain).containsOnly(0);
    }

    @Test
    void theTasksOfEachKeyRunAloneAndInOrder() { // rule 3
        KeyWatch watch = runKeyed(20, 20 * 50, Settle::ack);

        assertThat(watch.overlaps).isEmpty();
        assertThat(watch.starts).hasSize(20);
        assertThat(watch.starts.values()).allSatisfy(ids -> assertThat(List.copyOf(ids))
                .hasSize(50)
                .doesNotHaveDuplicates()
                .isSorted());
    }

    @Test
    void aKeyIsHeldByOneWhateverBecomesOfItsTasks() { // rule 3
        KeyWatch watch = runKeyed(20, fixture.enough(2_000), ConcurrencyContract::anyWay);

        assertThat(watch.overlaps).isEmpty();
        assertThat(storage.queues().stats(Q).live()).isZero();
    }

    /** Mostly an ack, so that the test ends. */
    private static Settle anyWay(Lease lease) {
        return switch (ThreadLocalRandom.current().nextInt(10)) {
            case 0 -> Settle.fail(lease, "again");
            case 1 -> Settle.release(lease);
            case 2 -> Settle.bury(lease, "aside");
            case 3 -> Settle.giveBack(lease);
            case 4 -> Settle.retry(lease, When.now(), "again");
            default -> Settle.ack(lease);
        };
    }

    @Test
    void theCountsAddUpAfterEverythingHasHappenedAtOnce() { // rule 25
        int tasks = putPlain(fixture.enough(10_000)).size();
        Queue<TaskState> ends = new ConcurrentLinkedQueue<>();
        AtomicInteger left = new AtomicInteger(tasks);

        inParallel(THREADS, () -> {
            while (left.get() > 0) {
                List<Settle> settles =
                        take(16).stream().map(t -> anyWay(t.lease())).toList();
                storage.settle(settles).stream()
                        .map(SettleResult::state)
                        .filter(TaskState::isFinished)
                        .forEach(state -> {
                            ends.add(state);
                            left.decrementAndGet();
                        });
                storage.kick(Q, 16);
                breathe();
            }
        });

        QueueStats stats = storage.queues().stats(Q);
        assertThat(ends).hasSize(tasks).containsOnly(TaskState.DONE, TaskState.FAILED);
        assertThat(stats.live()).isZero();
        assertThat(stats.count(TaskState.DONE)).isEqualTo(Collections.frequency(ends, TaskState.DONE));
        assertThat(stats.count(TaskState.FAILED)).isEqualTo(Collections.frequency(ends, TaskState.FAILED));
    }

    // Leases

    private List<Lease> takePlain(int count) {
        putPlain(count);
        List<Lease> leases = take(count).stream().map(TakenTask::lease).toList();
        assertThat(leases).hasSize(count);
        return leases;
    }

    @Test
    void ofManyEqualSettlesOneIsDoneAndTheOthersWereAlready() { // rule 9
        List<Lease> leases = takePlain(rounds);

        List<List<SettleResult>> byRound = raceInRounds(THREADS, (thread, round) -> ack(leases.get(round)));

        assertThat(byRound).allSatisfy(results -> {
            assertThat(count(results, Status.DONE)).isEqualTo(1);
            assertThat(count(results, Status.ALREADY)).isEqualTo(THREADS - 1L);
        });
        assertThat(storage.queues().stats(Q).count(TaskState.DONE)).isEqualTo(rounds);
    }

    @Test
    void ofManyDifferentSettlesOneIsDone() { // rule 9
        List<Function<Lease, Settle>> kinds = List.of(
                Settle::ack,
                Settle::release,
                lease -> Settle.fail(lease, "again"),
                lease -> Settle.bury(lease, "aside"));
        List<Lease> leases = takePlain(rounds);

        List<List<SettleResult>> byRound = raceInRounds(
                kinds.size(), (thread, round) -> settle(kinds.get(thread).apply(leases.get(round))));

        assertThat(byRound).allSatisfy(results -> {
            assertThat(count(results, Status.DONE)).isEqualTo(1);
            assertThat(count(results, Status.GONE)).isEqualTo(kinds.size() - 1L);
        });
    }

    @Test
    void aSettleAndTheEndOfItsSessionDoNotBothCount() { // C19
        List<String> sessions =
                IntStream.range(0, rounds).mapToObj(i -> openSession()).toList();
        putPlain(rounds);
        List<Lease> leases = sessions.stream()
                .map(s -> storage.take(TakeRequest.from(Q).session(s)).get(0).lease())
                .toList();

        List<List<Optional<SettleResult>>> byRound = raceInRounds(2, (thread, round) -> {
            if (thread == 0) {
                return Optional.of(ack(leases.get(round)));
            }
            storage.sessions().close(sessions.get(round));
            return Optional.empty();
        });

        for (int round = 0; round < rounds; round++) {
            Task task = peek(leases.get(round).taskId());
            boolean acked = byRound.get(round).get(0).orElseThrow().status() == Status.DONE;
            assertThat(task.state()).isEqualTo(acked ? TaskState.DONE : TaskState.READY);
            assertThat(task.losses()).isEqualTo(acked ? 0 : 1);
        }
    }

    @Test
    void ofManyPutsOfOneAddressOneMakesTheTask() { // R8, R9
        List<List<PutResult>> byRound =
                raceInRounds(THREADS, (thread, round) -> put(task().address("address " + round)));

        assertThat(byRound).allSatisfy(results -> {
            assertThat(results).filteredOn(PutResult::created).hasSize(1);
            assertThat(results.stream().map(PutResult::id).distinct()).hasSize(1);
        });
        assertThat(storage.queues().stats(Q).live()).isEqualTo(rounds);
    }

    @Test
    void ofManyPutsOfOneIdempotencyKeyOneMakesTheTask() { // rule 22
        List<List<PutResult>> byRound =
                raceInRounds(THREADS, (thread, round) -> put(task().idempotencyKey("put " + round)));

        assertThat(byRound).allSatisfy(results -> {
            assertThat(results).filteredOn(PutResult::created).hasSize(1);
            assertThat(results.stream().map(PutResult::id).distinct()).hasSize(1);
        });
    }

    @Test
    void ofManyEquivalentPutsOneMakesTheTask() { // N13, N.3-8
        List<List<PutResult>> byRound = raceInRounds(
                THREADS,
                (thread, round) -> put(task("the same")
                        .priority(thread)
                        .externalKey("order " + round)
                        .unlessEquivalent()));

        assertThat(byRound).allSatisfy(results -> {
            assertThat(results).filteredOn(PutResult::created).hasSize(1);
            assertThat(results.stream().map(PutResult::id).distinct()).hasSize(1);
        });
        assertThat(storage.queues().stats(Q).live()).isEqualTo(rounds);
    }

    @Test
    void equivalentPutsOfManyInAnyOrderDoNotWaitForEachOther() {
        List<List<List<PutResult>>> byRound = raceInRounds(4, (thread, round) -> {
            List<NewTask> tasks = new ArrayList<>(IntStream.range(0, 10)
                    .mapToObj(i -> task("the same")
                            .externalKey("order " + round + "." + i)
                            .unlessEquivalent()
                            .build())
                    .toList());
            Collections.shuffle(tasks);
            return storage.put(tasks);
        });

        assertThat(byRound).allSatisfy(results -> assertThat(results.stream().flatMap(List::stream))
                .filteredOn(PutResult::created)
                .hasSize(10));
        assertThat(storage.queues().stats(Q).live()).isEqualTo(10L * rounds);
    }

    @Test
    void aFullQueueIsNeverOverfilled() { // rule 6
        int capacity = 100;
        storage.queues()
                .create("small", QueueOptions.builder().capacity(capacity).build());
        NewTask small = NewTask.to("small").build();

        List<List<Boolean>> byRound = raceInRounds(THREADS, (thread, round) -> {
            try {
                storage.put(List.of(small));
                return true;
            } catch (QueueFullException e) {
                return false;
            }
        });

        assertThat(byRound.stream().flatMap(List::stream).filter(accepted -> accepted))
                .hasSize(capacity);
        assertThat(storage.queues().stats("small").live()).isEqualTo(capacity);
    }

    // Groups

    private List<GroupInfo> createGroups(int tasksEach) {
        return IntStream.range(0, rounds)
                .mapToObj(i -> {
                    GroupInfo group = storage.groups()
                            .create(GroupSpec.named("group " + i)
                                    .end(NewTask.to(CLOSING).payload("end " + i).build())
                                    .abort(NewTask.to(CLOSING)
                                            .payload("abort " + i)
                                            .build()));
                    if (tasksEach > 0) {
                        storage.put(Collections.nCopies(
                                tasksEach, task().group(group.id()).build()));
                    }
                    return group;
                })
                .toList();
    }

    /** Asserts that every group has ended and put the closing task of its state; returns how many groups ended in each state. */
    private Map<GroupInfo.State, Long> assertEachEndedOnce(List<GroupInfo> groups) {
        sweepInRealTime();
        List<GroupInfo> ended = groups.stream()
                .map(g -> storage.groups().find(g.id()).orElseThrow())
                .toList();
        assertThat(ended).allMatch(g -> g.state().isEnded());
        List<String> expected = IntStream.range(0, rounds)
                .mapToObj(i -> (ended.get(i).state() == GroupInfo.State.COMPLETED ? "end " : "abort ") + i)
                .toList();
        assertThat(storage.list(TaskQuery.of(CLOSING).limit(TaskQuery.MAX_LIMIT)))
                .extracting(task -> task.payload().text())
                .containsExactlyInAnyOrderElementsOf(expected);
        return ended.stream().collect(Collectors.groupingBy(GroupInfo::state, Collectors.counting()));
    }

    /** The leases of the started groups, by group. */
    private List<List<Lease>> startAndTakeAll(List<GroupInfo> groups, int tasksEach) {
        groups.forEach(g -> storage.groups().start(g.id()));
        Map<Long, List<Lease>> byGroup = take(groups.size() * tasksEach).stream()
                .collect(Collectors.groupingBy(
                        t -> t.task().group().orElseThrow(),
                        Collectors.mapping(TakenTask::lease, Collectors.toList())));
        return groups.stream().map(g -> byGroup.get(g.id())).toList();
    }

    private boolean unlessClosed(Runnable deed) {
        try {
            deed.run();
            return true;
        } catch (GroupClosedException e) {
            return false;
        }
    }

    @Test
    void aGroupEndsOnceWhenItsLastTasksEndTogether() { // rule 18, R33
        int threads = 8;
        List<GroupInfo> groups = createGroups(threads);
        List<List<Lease>> leases = startAndTakeAll(groups, threads);

        raceInRounds(threads, (thread, round) -> ack(leases.get(round).get(thread)));

        assertThat(assertEachEndedOnce(groups)).containsOnlyKeys(GroupInfo.State.COMPLETED);
    }

    @Test
    void anEmptyGroupThatIsStartedAndCanceledTogetherEndsOnce() { // rule 18
        List<GroupInfo> groups = createGroups(0);

        List<List<Boolean>> byRound = raceInRounds(2, (thread, round) -> {
            long group = groups.get(round).id();
            return unlessClosed(() -> {
                if (thread == 0) {
                    storage.groups().start(group);
                } else {
                    storage.groups().cancel(group, "not needed");
                }
            });
        });

        assertEachEndedOnce(groups);
        assertThat(byRound).allSatisfy(won -> assertThat(won).containsOnlyOnce(true));
    }

    @Test
    void aGroupThatIsStartedAndCanceledTogetherIsCanceledOnce() { // rule 18
        List<GroupInfo> groups = createGroups(3);

        raceInRounds(4, (thread, round) -> {
            long group = groups.get(round).id();
            return thread % 2 == 0
                    ? unlessClosed(() -> storage.groups().start(group))
                    : unlessClosed(() -> storage.groups().cancel(group, "not needed"));
        });

        assertThat(assertEachEndedOnce(groups)).containsOnlyKeys(GroupInfo.State.CANCELED);
        assertThat(storage.queues().stats(Q).live()).isZero();
    }

    @Test
    void aGroupThatEndsAndIsCanceledTogetherEndsOnce() { // rule 18
        List<GroupInfo> groups = createGroups(1);
        List<List<Lease>> leases = startAndTakeAll(groups, 1);

        raceInRounds(2, (thread, round) -> {
            if (thread == 0) {
                return ack(leases.get(round).get(0)).status() == Status.DONE;
            }
            return unlessClosed(() -> storage.groups().cancel(groups.get(round).id(), "enough"));
        });

        assertEachEndedOnce(groups);
    }

    @Test
    void aPutIntoAGroupThatEndsIsRefusedOrKeepsItOpen() { // rule 18
        List<GroupInfo> groups = createGroups(1);
        List<List<Lease>> leases = startAndTakeAll(groups, 1);

        List<List<Boolean>> byRound = raceInRounds(2, (thread, round) -> {
            if (thread == 0) {
                return ack(leases.get(round).get(0)).status() == Status.DONE;
            }
            return unlessClosed(() -> put(task().group(groups.get(round).id())));
        });

        sweepInRealTime();
        for (int round = 0; round < rounds; round++) {
            boolean put = byRound.get(round).get(1);
            GroupInfo group = storage.groups().find(groups.get(round).id()).orElseThrow();
            assertThat(group.state()).isEqualTo(put ? GroupInfo.State.STARTED : GroupInfo.State.COMPLETED);
            assertThat(group.open()).isEqualTo(put ? 1 : 0);
        }
        for (List<TakenTask> taken = take(100); !taken.isEmpty(); taken = take(100)) {
            taken.forEach(t -> ack(t.lease()));
        }
        assertThat(assertEachEndedOnce(groups)).containsOnlyKeys(GroupInfo.State.COMPLETED);
    }

    // Locks

    @Test
    void ofManyWhoTryALockOneGetsIt() {
        List<List<Optional<Lock.Held>>> byRound =
                raceInRounds(THREADS, (thread, round) -> storage.lock().tryAcquire("lock " + round, minutes(60)));

        assertThat(byRound)
                .allSatisfy(results ->
                        assertThat(results).filteredOn(Optional::isPresent).hasSize(1));
    }
}
