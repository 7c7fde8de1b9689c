package dev.leat.storagetests.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.storagetests.Faults;
import dev.leat.worker.PriorityLimits;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many tasks a worker runs at once, of which queues, and in which order. Covers G15, G16, G20, G22, G24, R22, R23. */
public abstract class ProcessorContract extends WorkerTest {

    @Test
    void oneProcessorIsTheDefault() { // N29
        Gauge gauge = new Gauge();
        start(gauge::hold);
        putMany(50);

        awaitDone(50);

        assertThat(gauge.most()).isEqualTo(1);
    }

    @Test
    void asManyTasksRunAtOnceAsThereAreProcessorsAndThatCanChange() { // R22
        Gate gate = new Gate();
        Worker worker = worker(gate).concurrency(2).start();
        putMany(10);
        gate.awaitInside(2);

        worker.concurrency(5);
        gate.awaitInside(5);
        worker.concurrency(1);
        gate.open(5);
        gate.awaitInside(1);

        assertThat(worker.stats().processors()).isEqualTo(1);
        await("the others to settle", () -> worker.stats().running() == 1);
        gate.openForGood();
        awaitDone(10);
    }

    @Test
    void everyTaskOfManyRunsExactlyOnce() {
        int count = 20_000;
        ConcurrentLinkedQueue<Long> ran = new ConcurrentLinkedQueue<>();
        leat.worker()
                .handle(Q, byte[].class, (payload, task) -> ran.add(task.id()))
                .concurrency(8)
                .start();
        putMany(count);

        await("all to run", () -> ran.size() >= count);
        awaitDone(0);

        assertThat(ran).hasSize(count).doesNotHaveDuplicates();
    }

    @Test
    void keyedTasksRunOneAtATimeAndInOrder() {
        ConcurrentLinkedQueue<Long> ran = new ConcurrentLinkedQueue<>();
        Gauge gauge = new Gauge();
        leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    ran.add(task.id());
                    gauge.hold(payload, task);
                })
                .concurrency(8)
                .start();
        leat.putAll(
                IntStream.range(0, 200).mapToObj(i -> task().key("k").build()).toList());

        await("all to run", () -> ran.size() == 200);

        assertThat(gauge.most()).isEqualTo(1);
        assertThat(List.copyOf(ran)).isSorted();
    }

    @Test
    void processorsGoRoundTheQueues() {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        Worker worker = leat.worker()
                .handle(
                        Q,
                        byte[].class,
                        (payload, task) -> order.add(task.task().queue()))
                .handle(
                        "other",
                        byte[].class,
                        (payload, task) -> order.add(task.task().queue()))
                .batchSize(Q, 10)
                .batchSize("other", 10)
                .build();
        for (String queue : List.of(Q, "other")) {
            leat.putAll(IntStream.range(0, 500)
                    .mapToObj(i -> NewTask.to(queue).build())
                    .toList());
        }

        worker.start();

        await("all to run", () -> order.size() == 1_000);
        int lastOfFirst = Math.min(order.lastIndexOf(Q), order.lastIndexOf("other"));
        int firstOfLast = Math.max(order.indexOf(Q), order.indexOf("other"));
        assertThat(firstOfLast)
                .as("the second queue starts before the first is empty")
                .isLessThan(lastOfFirst);
    }

    @Test
    void aProcessorCanBeAssignedToAQueueAndReassigned() {
        ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
        Worker worker = leat.worker()
                .handle(Q, String.class, (payload, task) -> order.add(payload))
                .handle("other", String.class, (payload, task) -> order.add(payload))
                .build();
        worker.assign(Map.of("other", 1));
        worker.start();
        put("a");
        leat.put("other", "b");

        await("the assigned queue to be served", () -> order.contains("b"));
        assertThat(order).containsExactly("b");
        worker.assign(Map.of(Q, 1));

        await("the other queue to be served", () -> order.contains("a"));
    }

    @Test
    void aTaskReachesAFreeProcessorPastThoseOfOtherQueues() {
        Worker worker = leat.worker()
                .handle(Q, byte[].class, (payload, task) -> {})
                .handle("other", byte[].class, (payload, task) -> {})
                .concurrency(4)
                .start();
        worker.assign(Map.of("other", 3));

        for (int i = 0; i < 200; i++) {
            awaitState(put("t" + i), TaskState.DONE);
        }
    }

    @Test
    void aQueueIsServedWhileTasksOfAnotherAreTakenAhead() {
        AtomicReference<Long> leftWhenItRan = new AtomicReference<>();
        AtomicInteger ran = new AtomicInteger();
        leat.worker()
                .handle(Q, byte[].class, (payload, task) -> {
                    spin(Duration.ofNanos(200_000));
                    ran.incrementAndGet();
                })
                .handle(
                        "rare",
                        byte[].class,
                        (payload, task) ->
                                leftWhenItRan.set(leat.queue(Q).stats().count(TaskState.READY)))
                .start();
        putMany(4_000);
        await("tasks to be taken ahead", () -> ran.get() > 500);

        leat.put("rare", "once");

        await("the rare task to run", () -> leftWhenItRan.get() != null);
        assertThat(leftWhenItRan.get()).isPositive();
    }

    @Test
    void aWorkerTakesInTheOrderItIsToldTo() {
        leat.queue("stack")
                .create(QueueOptions.builder().takeOrder(TakeOrder.newest()).build());
        List<Long> ran = Collections.synchronizedList(new ArrayList<>());
        leat.putAll(IntStream.range(0, 20)
                .mapToObj(i -> NewTask.to("stack").build())
                .toList());
        leat.worker()
                .handle("stack", byte[].class, (payload, task) -> ran.add(task.id()))
                .order("stack", TakeOrder.newest())
                .start();

        await("all to run", () -> ran.size() == 20);

        assertThat(ran).isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    void anAssignmentToAQueueThatIsNotServedIsRefused() {
        Worker worker = start((payload, task) -> {});

        assertThatThrownBy(() -> worker.assign(Map.of("strange", 1)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("strange");
    }

    @Test
    void placesAreKeptForImportantTasks() { // R22, R23
        Gate gate = new Gate();
        worker(gate).priorityLimits(PriorityLimits.of(Map.of(0, 4, 1, 2))).start();
        for (int i = 0; i < 5; i++) {
            put(task().priority(1));
        }
        gate.awaitInside(2);
        for (int i = 0; i < 5; i++) {
            put(task().priority(0));
        }

        gate.awaitInside(4);

        assertThat(gate.inside())
                .filteredOn(task -> task.task().priority() == 1)
                .hasSize(2);
        assertThat(leat.queue(Q).stats().count(TaskState.TAKEN)).isEqualTo(4);
        gate.openForGood();
        awaitDone(10);
    }

    @Test
    void moreRoomForLessImportantTasksReachesATakeThatWaits() { // R16, R22
        Gate gate = new Gate();
        Worker worker = worker(gate)
                .priorityLimits(PriorityLimits.of(Map.of(0, 3, 1, 1)))
                .start();
        long first = put(task().priority(1));
        gate.awaitInside(1);
        long second = put(task().priority(1));
        awaitMoreImportant(gate, 2);
        assertThat(state(second)).isEqualTo(TaskState.READY);

        worker.priorityLimits(PriorityLimits.of(Map.of(0, 4, 1, 3)));

        gate.awaitInside(3);
        assertThat(gate.inside()).extracting(RunningTask::id).contains(first, second);
        assertThat(worker.stats().processors()).isEqualTo(4);
        gate.openForGood();
        awaitDone(3);
    }

    /** Shows that the worker takes, and so that it has passed over what it did not take. */
    private void awaitMoreImportant(Gate gate, int inside) {
        put(task().priority(0));
        gate.awaitInside(inside);
    }

    @Test
    void lessRoomForLessImportantTasksReachesATakeThatWaits() { // R16, R22
        Gate gate = new Gate();
        Worker worker = worker(gate).concurrency(4).start();
        put(task().priority(1));
        gate.awaitInside(1);

        worker.priorityLimits(PriorityLimits.of(Map.of(0, 2, 1, 1)));
        long kept = put(task().priority(1));
        awaitMoreImportant(gate, 2);
        worker.priorityLimits(PriorityLimits.of(Map.of(0, 1)));
        long alsoKept = put(task().priority(0));
        gate.open(1);

        gate.awaitInside(1);
        assertThat(List.of(state(kept), state(alsoKept))).containsOnly(TaskState.READY);
        assertThat(peek(kept).attempts() + peek(alsoKept).attempts()).isZero();
        gate.openForGood();
        awaitDone(4);
    }

    @Test
    void limitsThatLeaveNoRoomEndTheWaiting() { // R16, R22
        Gate gate = new Gate();
        Worker worker = worker(gate).concurrency(2).start();
        put("a");
        gate.awaitInside(1);
        await("it to wait for more", () -> leat.queue(Q).stats().consumers() == 1);

        worker.priorityLimits(PriorityLimits.of(Map.of(0, 1)));

        await("it to wait no longer", () -> leat.queue(Q).stats().consumers() == 0);
        gate.openForGood();
        put("b");
        awaitDone(2);
    }

    @Test
    void aPlaceThatBecomesFreeIsOfferedOnce() throws Exception { // R25
        Gate gate = new Gate();
        worker(gate).priorityLimits(PriorityLimits.of(Map.of(0, 2, 1, 1))).start();
        put(task().priority(1));
        gate.awaitInside(1);
        gate.open(1);
        awaitDone(1);

        leat.putAll(List.of(task().priority(0).build(), task().priority(1).build()));

        gate.awaitInside(1);
        assertThat(leat.take(one().maxPriority(-1), Duration.ofMillis(100))).isEmpty();
        assertThat(leat.queue(Q).stats().count(TaskState.TAKEN)).isEqualTo(1);
        gate.openForGood();
        awaitDone(3);
    }

    @Test
    void aPlaceIsNotFilledTwiceWhenATaskComesWhileAnotherEnds() throws Exception {
        int rounds = 300;
        AtomicInteger running = new AtomicInteger();
        Semaphore ended = new Semaphore(0);
        AtomicInteger together = new AtomicInteger();
        leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    if (running.getAndIncrement() > 0) {
                        together.incrementAndGet();
                    }
                    Thread.yield();
                    running.decrementAndGet();
                    ended.release();
                })
                .priorityLimits(PriorityLimits.of(Map.of(0, 2, 1, 1)))
                .start();

        for (int i = 0; i < rounds; i++) {
            leat.putAll(List.of(task().priority(0).build(), task().priority(1).build()));
            assertThat(ended.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(together).hasValue(0);
    }

    @Test
    void aLessImportantTaskIsNotTakenWhileAMoreImportantOneIsOnItsWay() throws Exception { // R16
        Faults faults = new Faults();
        Gate gate = new Gate();
        openPatientlyOn(faults.between(storage))
                .worker()
                .handle(Q, String.class, gate)
                .priorityLimits(PriorityLimits.of(Map.of(0, 2, 1, 1)))
                .start();
        long first = put(task().priority(1));
        gate.awaitInside(1);
        Faults.Hold taken = faults.holdTasks();
        leat.putAll(List.of(task().priority(0).build(), task().priority(1).build()));
        await("the more important task to be taken", taken::isReached);

        gate.open(1);
        awaitState(first, TaskState.DONE);

        assertThat(leat.take(one().maxPriority(-1), Duration.ofMillis(200))).isEmpty();
        assertThat(leat.queue(Q).stats().count(TaskState.TAKEN)).isEqualTo(1);
        taken.release();
        gate.openForGood();
        awaitDone(3);
    }

    @Test
    void moreConcurrencyForLessImportantTasksIsRefused() { // R22
        assertThatThrownBy(() -> PriorityLimits.of(Map.of(0, 2, 1, 4)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("higher priorities may not have lower concurrency");
    }

    @Test
    void processorsAreVirtualThreadsWhereTheJvmHasThem() {
        AtomicReference<Thread> thread = new AtomicReference<>();
        start((payload, task) -> thread.set(Thread.currentThread()));

        awaitState(put("a"), TaskState.DONE);

        boolean virtual = thread.get().getThreadGroup() != null
                && thread.get().getThreadGroup().getName().equals("VirtualThreads");
        assertThat(virtual).isEqualTo(Runtime.version().feature() >= 21);
    }
}
