package dev.leat.storagetests.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.Faults;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How workers stop, wait, take ahead, and live through outages. Covers G14, G19, G23, R28, R29, rule 12, 13, 27. */
public abstract class WorkerLifeContract extends WorkerTest {
    // Stopping

    @Test
    void aStopLetsRunningHandlersEndAndGivesTheRestBackUncharged() throws Exception { // R28
        Gate gate = new Gate();
        Worker worker = worker(gate).concurrency(2).start();
        List<Long> ids = putMany(6);
        gate.awaitInside(2);
        Thread opener = new Thread(() -> {
            await("the stop to begin", () -> worker.state() == Worker.State.STOPPING);
            gate.openForGood();
        });
        opener.start();

        StopReport report = worker.stop(LONG);
        opener.join();

        assertThat(report.clean()).isTrue();
        assertThat(worker.state()).isEqualTo(Worker.State.STOPPED);
        assertThat(leat.queue(Q).stats().count(TaskState.DONE)).isEqualTo(2);
        assertThat(leat.queue(Q).stats().count(TaskState.TAKEN)).isZero();
        assertThat(ids).filteredOn(id -> state(id) == TaskState.READY).allSatisfy(id -> {
            assertThat(peek(id).attempts()).isZero();
            assertThat(peek(id).releases()).isZero();
        });
    }

    @Test
    void prefetchedTasksAreGivenBackAndReported() {
        AtomicInteger ran = new AtomicInteger();
        Worker worker = start((payload, task) -> {
            spin(Duration.ofMillis(2));
            ran.incrementAndGet();
        });
        putMany(5_000);
        await("tasks to be taken ahead", () -> worker.stats().prefetched() > 10 && ran.get() > 100);

        StopReport report = worker.stop(LONG);

        assertThat(report.clean()).isTrue();
        assertThat(report.givenBack()).isNotEmpty();
        assertThat(report.givenBack())
                .allSatisfy(id -> assertThat(peek(id).attempts()).isZero());
        assertThat(leat.queue(Q).stats().count(TaskState.TAKEN)).isZero();
    }

    @Test
    void aHandlerThatDoesNotEndInTimeIsInterruptedAndItsTaskGivenBackUncharged() { // R28
        Gate gate = new Gate();
        Worker worker = worker(gate).start();
        long id = put("a");
        gate.awaitInside(1);

        StopReport report = worker.stop(Duration.ofMillis(50));

        assertThat(report.abandoned()).containsExactly(id);
        assertThat(state(id)).isEqualTo(TaskState.READY);
        assertThat(peek(id).failures()).isZero();
        assertThat(peek(id).losses()).isZero();
        await("the interrupt", () -> gate.interrupted().size() == 1);
        await("the processor to end", () -> worker.stats().running() == 0);
        assertThat(worker.stats().queues().get(Q).errors()).isZero();
    }

    @Test
    void aStopEndsInTimeWhileTheStorageIsOutOfReach() {
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        Gate gate = new Gate();
        Worker worker = shaky.worker().handle(Q, String.class, gate).start();
        long id = put("a");
        gate.awaitInside(1);
        faults.set(Faults.Line.DOWN);

        long started = System.nanoTime();
        StopReport report = worker.stop(Duration.ofMillis(50));

        assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(12));
        assertThat(report.abandoned()).containsExactly(id);
        faults.set(Faults.Line.WORKS);
        awaitState(id, TaskState.READY);
    }

    @Test
    void everyoneWhoStopsAWorkerGetsTheSameReport() {
        Worker worker = start((payload, task) -> {});

        assertThat(worker.stopAsync(LONG).join()).isSameAs(worker.stop(Duration.ZERO));
    }

    @Test
    void closingTheLeatStopsItsWorkers() {
        Worker worker = start((payload, task) -> {});

        leat.close();

        assertThat(worker.state()).isEqualTo(Worker.State.STOPPED);
    }

    // Waiting handlers

    @Test
    void aHandlerThatWaitsForAnotherTaskFreesItsPlace() { // R29, R.3-10
        start((payload, task) -> {
            if (payload.equals("parent")) {
                long child = task.leat().put(Q, "child");
                task.awaiting(() -> {
                    awaitState(child, TaskState.DONE);
                    return child;
                });
            }
        });

        awaitState(put("parent"), TaskState.DONE);
    }

    @Test
    void aStopLetsWaitingHandlersFinishWithTheTasksTheyWaitFor() { // R28
        CountDownLatch parentWaits = new CountDownLatch(1);
        AtomicReference<Worker> worker = new AtomicReference<>();
        worker.set(start((payload, task) -> {
            if (payload.equals("parent")) {
                task.awaiting(() -> {
                    parentWaits.countDown();
                    await("the stop to begin", () -> worker.get().state() == Worker.State.STOPPING);
                    long child = task.leat().put(Q, "child");
                    awaitState(child, TaskState.DONE);
                    return child;
                });
            }
        }));
        long parent = put("parent");
        await("the parent to wait", () -> parentWaits.getCount() == 0);

        StopReport report = worker.get().stop(LONG);

        assertThat(report.clean()).isTrue();
        assertThat(state(parent)).isEqualTo(TaskState.DONE);
    }

    @Test
    void aStopStartsWhatAHandlerBeginsToWaitForOnlyThen() { // R28
        AtomicReference<Worker> worker = new AtomicReference<>();
        CountDownLatch parentRuns = new CountDownLatch(1);
        worker.set(start((payload, task) -> {
            if (payload.equals("parent")) {
                parentRuns.countDown();
                await("the stop to begin", () -> worker.get().state() == Worker.State.STOPPING);
                long child = task.leat().put(Q, "child");
                assertThat(leat.take(one().maxPriority(-1), Duration.ofMillis(100)))
                        .isEmpty();
                task.awaiting(() -> {
                    awaitState(child, TaskState.DONE);
                    return child;
                });
            }
        }));
        long parent = put("parent");
        await("the parent to run", () -> parentRuns.getCount() == 0);

        StopReport report = worker.get().stop(LONG);

        assertThat(report.clean()).isTrue();
        assertThat(state(parent)).isEqualTo(TaskState.DONE);
    }

    @Test
    void aStopStartsNothingWhileHandlersEndThatWaitForNothing() { // R28
        Gate gate = new Gate();
        Worker worker = worker(gate).concurrency(2).start();
        put("a");
        gate.awaitInside(1);
        CompletableFuture<StopReport> stop = worker.stopAsync(LONG);
        await("nobody to wait for tasks", () -> leat.queue(Q).stats().consumers() == 0);

        long late = put("b");
        gate.open(1);

        assertThat(stop.join().clean()).isTrue();
        assertThat(state(late)).isEqualTo(TaskState.READY);
        assertThat(peek(late).attempts()).isZero();
    }

    @Test
    void aStopReportsAHandlerWhoseWaitDoesNotEndInTime() { // R28
        CountDownLatch parentWaits = new CountDownLatch(1);
        Worker worker = start((payload, task) -> task.awaiting(() -> {
            parentWaits.countDown();
            new CountDownLatch(1).await();
            return "never";
        }));
        long parent = put("parent");
        await("the parent to wait", () -> parentWaits.getCount() == 0);

        StopReport report = worker.stop(Duration.ofMillis(100));

        assertThat(report.clean()).isFalse();
        assertThat(report.abandoned()).containsExactly(parent);
        assertThat(state(parent)).isEqualTo(TaskState.READY);
        assertThat(peek(parent).failures()).isZero();
    }

    @Test
    void asManyHandlersWaitForOthersAsThereAreTasks() { // R29, R.3-10
        leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    int depth = Integer.parseInt(payload);
                    if (depth > 0) {
                        long child = task.leat().put(Q, String.valueOf(depth - 1));
                        task.awaiting(() -> {
                            awaitState(child, TaskState.DONE);
                            return child;
                        });
                    }
                })
                .concurrency(2)
                .start();

        List<Long> ids = IntStream.range(0, 5).mapToObj(i -> put("4")).toList();

        ids.forEach(id -> awaitState(id, TaskState.DONE));
        awaitDone(25);
    }

    // Prefetch

    @Test
    void slowTasksAreNotTakenAhead() {
        Gate gate = new Gate();
        worker(gate).concurrency(2).start();
        putMany(20);

        gate.awaitInside(2);

        assertThat(leat.queue(Q).stats().count(TaskState.TAKEN)).isEqualTo(2);
        gate.openForGood();
        awaitDone(20);
    }

    @Test
    void tasksWithATimeLimitAreNotTakenAhead() {
        leat.queue("limited")
                .create(QueueOptions.builder().ttr(Duration.ofMinutes(1)).build());
        AtomicReference<Worker> worker = new AtomicReference<>();
        AtomicInteger most = new AtomicInteger();
        worker.set(leat.worker()
                .handle("limited", byte[].class, (payload, task) -> {
                    if (worker.get() != null) {
                        most.accumulateAndGet(worker.get().stats().prefetched(), Math::max);
                    }
                })
                .start());
        leat.putAll(IntStream.range(0, 500)
                .mapToObj(i -> NewTask.to("limited").build())
                .toList());

        await("all to be done", () -> leat.queue("limited").stats().count(TaskState.DONE) == 500);

        assertThat(most).hasValue(0);
    }

    @Test
    void tasksTakenAheadOfHandlersThatTurnSlowAreGivenBack() {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        Worker worker = start((payload, task) -> {
            if (ran.incrementAndGet() > 500) {
                release.await();
            }
        });
        putMany(5_000);
        await("the handler to turn slow", () -> ran.get() > 500);

        await(
                "the prefetched tasks to go back",
                () -> worker.stats().prefetched() == 0 && leat.queue(Q).stats().count(TaskState.TAKEN) == 1);

        assertThat(leat.queue(Q).stats().count(TaskState.READY)).isEqualTo(5_000 - ran.get());
        release.countDown();
    }

    @Test
    void aPauseGivesPrefetchedTasksBack() {
        SlowingHandler handler = new SlowingHandler();
        Worker worker = start(handler);
        putMany(5_000);
        handler.slowDownWithTasksAtHand(worker);

        leat.queue(Q).pause();
        int ranBefore = handler.ran();

        await("nothing to be taken any more", () -> leat.queue(Q).stats().count(TaskState.TAKEN) == 0);
        assertThat(handler.ran() - ranBefore)
                .as("far less than what was at hand")
                .isLessThan(10);
        handler.hurry();
        leat.queue(Q).resume();
        await("the work to go on", () -> handler.ran() > ranBefore + 100);
    }

    @Test
    void whatATakeAnswersInAPauseIsGivenBack() {
        Faults faults = new Faults();
        Leat slow = openOn(faults.between(storage));
        Gate gate = new Gate();
        slow.worker().handle(Q, String.class, gate).concurrency(2).start();
        put("a");
        gate.awaitInside(1);
        for (int i = 0; i < 10; i++) { // a processor that gets such a task starts it most of the time, but not always
            Faults.Hold taken = faults.holdTasks();
            long late = put("b");
            await("the second task to be taken", taken::isReached);

            leat.queue(Q).pause();
            taken.release();

            awaitState(late, TaskState.READY);
            assertThat(peek(late).attempts()).as("given back, not run").isZero();
            leat.delete(late);
            leat.queue(Q).resume();
        }
        gate.openForGood();
    }

    @Test
    void tasksThatNameATimeLimitThemselvesAreNotTakenAhead() {
        AtomicReference<Worker> worker = new AtomicReference<>();
        AtomicInteger most = new AtomicInteger();
        leat.putAll(IntStream.range(0, 500)
                .mapToObj(i -> task().ttr(Duration.ofMinutes(1)).build())
                .toList());
        worker.set(leat.worker()
                .handle(Q, byte[].class, (payload, task) -> {
                    if (worker.get() != null) {
                        most.accumulateAndGet(worker.get().stats().prefetched(), Math::max);
                    }
                })
                .build());

        worker.get().start();

        awaitDone(500);
        assertThat(most).hasValue(0);
    }

    @Test
    void tasksThatTakeLongAreNotTakenAheadHoweverManyRunAtOnce() {
        Gate gate = new Gate();
        Worker worker = leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    if (task.id() % 2 == 1) {
                        new CountDownLatch(1).await(120, TimeUnit.MILLISECONDS);
                    } else {
                        gate.handle(payload, task);
                    }
                })
                .concurrency(16)
                .start();
        List<Long> ids = putMany(200);

        gate.awaitInside(16);

        assertThat(worker.stats().prefetched()).isZero();
        assertThat(ids).filteredOn(id -> state(id) == TaskState.DONE).isNotEmpty();
        gate.openForGood();
    }

    // Outages

    @Test
    void aWorkerSurvivesAnOutageOfTheStorageAndLosesNothing() { // R26
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        ConcurrentLinkedQueue<Long> ran = new ConcurrentLinkedQueue<>();
        shaky.worker()
                .handle(Q, byte[].class, (payload, task) -> ran.add(task.id()))
                .concurrency(4)
                .start();
        List<Long> before = putMany(200);
        await("some to run", () -> ran.size() > 10);

        faults.set(Faults.Line.DOWN);
        List<Long> during = putMany(200);
        faults.set(Faults.Line.WORKS);

        await("all to be done", () -> leat.queue(Q).stats().count(TaskState.DONE) == 400);
        assertThat(ran).containsAll(before).containsAll(during);
    }

    @Test
    void anOutcomeThatCouldNotBeWrittenIsWrittenLaterWithoutAnyOtherComing() {
        Faults faults = new Faults();
        faults.set(Faults.Line.DOWN, "settle");
        openPatientlyOn(faults.between(storage))
                .worker()
                .handle(Q, byte[].class, (payload, task) -> {})
                .start();

        long id = put("a");
        await("the outcome to be tried again", () -> faults.calls("settle") > 1);
        faults.set(Faults.Line.WORKS);

        awaitState(id, TaskState.DONE);
    }

    @Test
    void aSettleWhoseAnswerWasLostIsWrittenAgainAndCountsOnce() {
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        AtomicInteger runs = new AtomicInteger();
        faults.set(Faults.Line.LOSES_ANSWERS, "settle");
        Worker worker = shaky.worker()
                .handle(Q, byte[].class, (payload, task) -> runs.incrementAndGet())
                .start();

        long id = put("a");
        awaitState(id, TaskState.DONE);
        faults.set(Faults.Line.WORKS);
        worker.stop(LONG);

        assertThat(runs).hasValue(1);
        assertThat(worker.stats().fenced()).isZero();
    }

    @Test
    void aWorkerWithoutAHeartbeatForTooLongInterruptsItsHandlersAndGoesOnLater() {
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        Gate gate = new Gate();
        shaky.worker().handle(Q, String.class, gate).start();
        long id = put("a");
        gate.awaitInside(1);

        faults.set(Faults.Line.DOWN);
        await("the handler to be interrupted", () -> gate.interrupted().size() == 1);
        await("the session to be ended by somebody else", () -> state(id) == TaskState.READY);
        gate.openForGood();
        faults.set(Faults.Line.WORKS);

        awaitState(id, TaskState.DONE);
        assertThat(peek(id).failures()).isZero();
    }

    @Test
    void aHeartbeatThatHangsIsAnOutageToo() {
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        Gate gate = new Gate();
        shaky.worker().handle(Q, String.class, gate).start();
        put("a");
        gate.awaitInside(1);

        Faults.Hold hanging = faults.hold("sessions.heartbeat");

        await("the handler to be interrupted", () -> gate.interrupted().size() == 1);
        gate.openForGood();
        hanging.release();
    }

    @Test
    void aWorkerWhoseSessionWasEndedStopsWhatItRunsAndGoesOnInANewOne() {
        Faults faults = new Faults();
        Leat shaky = openPatientlyOn(faults.between(storage)); // an outage would interrupt it too
        Gate gate = new Gate();
        shaky.worker().handle(Q, String.class, gate).start();
        long id = put("a");
        gate.awaitInside(1);

        storage.sessions().close((String) faults.lastAnswer("sessions.open"));

        await("the handler to be interrupted", () -> gate.interrupted().size() == 1);
        gate.openForGood();
        awaitState(id, TaskState.DONE);
        assertThat(peek(id).failures()).isZero();
        assertThat(peek(id).losses()).isEqualTo(1);
    }

    @Test
    void prefetchedTasksAreGivenBackInAnOutageAndRunLater() {
        Faults faults = new Faults();
        Leat shaky = open(Leat.builder("")
                .storage(faults.between(storage))
                .heartbeat(Duration.ofMillis(100), Duration.ofMillis(1_500))); // before all at hand was run
        SlowingHandler handler = new SlowingHandler();
        Gate gate = new Gate();
        shaky.queue("held").create(QueueOptions.standard());
        Worker worker = shaky.worker()
                .handle(Q, String.class, handler)
                .handle("held", String.class, gate)
                .concurrency(2)
                .start();
        shaky.put("held", "a");
        gate.awaitInside(1);
        putMany(5_000);
        handler.slowDownWithTasksAtHand(worker);

        faults.set(Faults.Line.DOWN, "sessions.heartbeat");
        await("the outage", () -> gate.interrupted().size() == 1);
        faults.set(Faults.Line.WORKS);
        handler.hurry();
        gate.openForGood();

        awaitDone(0);
    }

    @Test
    void whatATakeAnswersInAnOutageIsGivenBack() {
        Faults faults = new Faults();
        Leat shaky = open(Leat.builder("")
                .storage(faults.between(storage))
                .heartbeat(Duration.ofMillis(100), Duration.ofSeconds(3)));
        Gate gate = new Gate();
        shaky.worker().handle(Q, String.class, gate).concurrency(2).start();
        put("a");
        gate.awaitInside(1);
        Faults.Hold taken = faults.holdTasks();
        long late = put("b");
        await("the second task to be taken", taken::isReached);
        faults.set(Faults.Line.DOWN, "sessions.heartbeat");
        await("the outage", () -> gate.interrupted().size() == 1);

        taken.release();

        awaitState(late, TaskState.READY);
        assertThat(peek(late).attempts()).as("given back, not lost").isZero();
        gate.openForGood();
    }

    @Test
    void whatATakeAnswersAfterTheStopIsGivenBack() {
        Faults faults = new Faults();
        Leat slow = openOn(faults.between(storage));
        Worker worker =
                slow.worker().handle(Q, String.class, (payload, task) -> {}).build();
        long id = put("a");
        Faults.Hold taken = faults.holdTasks();
        worker.start();
        await("the task to be taken", taken::isReached);

        worker.stop(Duration.ZERO);
        taken.release();

        awaitState(id, TaskState.READY);
        assertThat(peek(id).attempts()).isZero();
    }

    @Test
    void anOutcomeThatTheStorageRefusesHarmsNoOther() {
        Faults faults = new Faults();
        Leat picky = openOn(faults.between(storage));
        List<Long> ids = putMany(100);
        faults.refuseToSettle(ids.get(50));

        picky.worker().handle(Q, byte[].class, (payload, task) -> {}).start();

        await("all others to be done", () -> leat.queue(Q).stats().count(TaskState.DONE) == 99);
        assertThat(state(ids.get(50))).isEqualTo(TaskState.TAKEN);
    }

    @Test
    void processorsWaitWhileTooManyOutcomesAreUnwritten() {
        Faults faults = new Faults();
        Leat shaky = openPatientlyOn(faults.between(storage));
        AtomicInteger ran = new AtomicInteger();
        faults.set(Faults.Line.DOWN, "settle");
        shaky.worker()
                .handle(Q, byte[].class, (payload, task) -> ran.incrementAndGet())
                .start();
        putMany(30_000);
        await("many to run", () -> ran.get() >= 10_000);
        AtomicInteger seen = new AtomicInteger();
        AtomicInteger tries = new AtomicInteger();
        await("nothing more to run while the storage is tried twice", () -> {
            if (seen.getAndSet(ran.get()) != ran.get()) {
                tries.set(faults.calls("settle"));
            }
            return faults.calls("settle") > tries.get() + 1;
        });

        assertThat(ran.get()).isLessThan(25_000);
        faults.set(Faults.Line.WORKS);
        awaitDone(0);
        assertThat(ran).hasValue(30_000);
    }
}
