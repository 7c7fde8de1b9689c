package dev.leat.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.InvalidRequestException;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.QueueNotFoundException;
import dev.leat.QueueOptions;
import dev.leat.TakeOrder;
import dev.leat.TaskState;
import dev.leat.UnsupportedByStorageException;
import dev.leat.When;
import dev.leat.storage.Capability;
import dev.leat.worker.PriorityLimits;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What workers do with tasks: outcomes, batches, processors, types, limits. Covers G15-G18, G20-G26, R17, R22, R23, R27, R30, N22. */
public abstract class WorkerContract extends WorkerTest {

    // Outcomes

    @Test
    void aHandlerThatReturnsAcknowledgesItsTask() {
        ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
        start((payload, task) -> handled.add(payload));

        long id = put("hello");

        awaitState(id, TaskState.DONE);
        assertThat(handled).containsExactly("hello");
    }

    @Test
    void aHandlerThatThrowsFailsItsTaskWithTheMessage() {
        start((payload, task) -> {
            throw new IllegalStateException("no such mailbox");
        });

        long id = put("hello");

        await("the failure", () -> peek(id).failures() == 1);
        assertThat(peek(id).message()).hasValue("java.lang.IllegalStateException: no such mailbox");
        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
    }

    @Test
    void aHandlerMaySettleItsTaskItself() {
        start((payload, task) -> {
            switch (payload) {
                case "ack" -> task.ack("sent");
                case "result" -> task.ackWith("42");
                case "fail" -> task.fail("refused", 403);
                case "retry" -> task.retry(When.in(Duration.ofHours(1)), "later");
                case "release" -> task.release(Duration.ofHours(1));
                default -> task.bury("odd");
            }
        });

        Map<String, Long> ids = new HashMap<>();
        for (String how : List.of("ack", "result", "fail", "retry", "release", "bury")) {
            ids.put(how, put(how));
        }

        await(
                "all six to be settled",
                () -> leat.queue(Q).stats().count(TaskState.READY) == 0
                        && leat.queue(Q).stats().count(TaskState.TAKEN) == 0);
        assertThat(peek(ids.get("ack")).message()).hasValue("sent");
        assertThat(peek(ids.get("result")).result()).hasValue(Payload.of("42"));
        assertThat(peek(ids.get("fail")).errorCode()).isEqualTo(403);
        assertThat(peek(ids.get("retry")).failures()).isEqualTo(1);
        assertThat(peek(ids.get("release")).releases()).isEqualTo(1);
        assertThat(peek(ids.get("release")).failures()).isZero();
        assertThat(state(ids.get("bury"))).isEqualTo(TaskState.BURIED);
    }

    @Test
    void aHandlerMayPutNewTasks() {
        start((payload, task) -> {
            if (payload.equals("parent")) {
                task.leat().put(Q, "child");
            }
        });

        put("parent");

        await("both to be done", () -> leat.queue(Q).stats().count(TaskState.DONE) == 2);
    }

    @Test
    void aPayloadThatCannotBeReadFailsAloneWithAClearMessage() {
        Leat reading =
                open(Leat.builder("").storage(new Faults().between(storage)).codec(new Numbers()));
        ConcurrentLinkedQueue<Integer> handled = new ConcurrentLinkedQueue<>();
        List<Long> ids = List.of(putNumber("1"), putNumber("two"), putNumber("3"));
        Worker worker = reading.worker()
                .handleBatch(Q, Integer.class, items -> items.forEach(item -> handled.add(item.payload())))
                .batchSize(Q, 3)
                .start();

        awaitState(ids.get(0), TaskState.DONE);
        awaitState(ids.get(2), TaskState.DONE);
        await("the bad one to fail", () -> peek(ids.get(1)).failures() == 1);
        worker.stop(LONG);

        assertThat(handled).containsExactlyInAnyOrder(1, 3);
        assertThat(peek(ids.get(1)).message().orElseThrow()).contains("two").contains("number");
    }

    // Batches

    @Test
    void aBatchHandlerGetsUpToItsBatchSizeAndEachTaskEndsByItself() {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 10; i++) {
            put("t" + i);
        }
        leat.worker()
                .handleBatch(Q, String.class, items -> {
                    sizes.add(items.size());
                    items.stream().filter(item -> item.payload().equals("t3")).forEach(item -> item.task()
                            .bury("odd"));
                })
                .batchSize(Q, 4)
                .start();

        await("all to end", () -> leat.queue(Q).stats().count(TaskState.DONE) == 9);
        assertThat(leat.queue(Q).stats().count(TaskState.BURIED)).isEqualTo(1);
        assertThat(sizes).allMatch(size -> size <= 4).contains(4);
    }

    @Test
    void aBatchHandlerThatThrowsFailsWhatItDidNotSettle() {
        long settled = put("settled");
        long other = put("other");
        leat.worker()
                .handleBatch(Q, String.class, items -> {
                    items.stream()
                            .filter(item -> item.payload().equals("settled"))
                            .forEach(item -> item.task().ack("in time"));
                    throw new IllegalStateException("half way");
                })
                .start();

        await("the other to fail", () -> peek(other).failures() >= 1);
        assertThat(state(settled)).isEqualTo(TaskState.DONE);
        assertThat(peek(settled).failures()).isZero();
    }

    // Processors

    @Test
    void oneProcessorIsTheDefault() {
        Gauge gauge = new Gauge();
        start(gauge::hold);
        putMany(50);

        awaitDone(50);

        assertThat(gauge.most()).isEqualTo(1);
    }

    @Test
    void asManyTasksRunAtOnceAsThereAreProcessorsAndThatCanChange() {
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
        assertThat(worker.stats().running()).isEqualTo(1);
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
    void placesAreKeptForImportantTasks() {
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
    void aPlaceThatBecomesFreeIsOfferedOnce() throws Exception {
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
    void moreConcurrencyForLessImportantTasksIsRefused() {
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

    // Types, dead runs, middleware

    @Test
    void eachTypeHasItsHandlerAndAMissingOneFailsClearly() {
        ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
        leat.worker()
                .handle(Q, "welcome", String.class, (payload, task) -> ran.add("welcome " + payload))
                .handle(Q, "goodbye", String.class, (payload, task) -> ran.add("goodbye " + payload))
                .start();
        long unknown = put(task().type("strange"));
        put(task().type("welcome").payload("ada"));
        put(task().type("goodbye").payload("bob"));

        await("both to run", () -> ran.size() == 2);
        await("the third to fail", () -> peek(unknown).failures() == 1);

        assertThat(ran).containsExactlyInAnyOrder("welcome ada", "goodbye bob");
        assertThat(peek(unknown).message().orElseThrow()).contains("No handler for type 'strange'");
    }

    @Test
    void typesCanBeSwitchedOnAndOff() {
        leat.queue("typed")
                .create(QueueOptions.builder()
                        .typeFilter(QueueOptions.TypeFilter.ON)
                        .build());
        AtomicReference<Set<String>> types = new AtomicReference<>(Set.of("a"));
        leat.worker()
                .handle("typed", byte[].class, (payload, task) -> {})
                .types("typed", types::get)
                .start();
        long a = put(NewTask.to("typed").type("a"));
        long b = put(NewTask.to("typed").type("b"));

        awaitState(a, TaskState.DONE);
        assertThat(state(b)).isEqualTo(TaskState.READY);
        types.set(Set.of("b"));

        awaitState(b, TaskState.DONE);
    }

    @Test
    void workersForDifferentTypesOfOneQueueLeaveEachOtherTheirs() {
        leat.queue("typed")
                .create(QueueOptions.builder()
                        .typeFilter(QueueOptions.TypeFilter.ON)
                        .build());
        leat.worker().handle("typed", "a", byte[].class, (payload, task) -> {}).start();
        List<Long> ofB = IntStream.range(0, 20)
                .mapToObj(i -> put(NewTask.to("typed").type("b")))
                .toList();
        awaitState(put(NewTask.to("typed").type("a")), TaskState.DONE);

        leat.worker().handle("typed", "b", byte[].class, (payload, task) -> {}).start();

        ofB.forEach(id -> awaitState(id, TaskState.DONE));
        assertThat(ofB).allSatisfy(id -> assertThat(peek(id).failures()).isZero());
    }

    @Test
    void aDeadRunGoesToTheDeadHandler() {
        createDeadQueue();
        ConcurrentLinkedQueue<RunningTask> dead = new ConcurrentLinkedQueue<>();
        leat.worker()
                .handle("dying", String.class, (payload, task) -> {
                    throw new IllegalStateException("never");
                })
                .handleDead("dying", String.class, (payload, task) -> dead.add(task))
                .start();

        long id = leat.put("dying", "x");

        await("the dead handler to run", () -> !dead.isEmpty());
        assertThat(dead.peek().task().deadOf()).hasValue(id);
        awaitState(dead.peek().id(), TaskState.DONE);
        assertThat(state(id)).isEqualTo(TaskState.FAILED);
    }

    @Test
    void aDeadRunWithoutADeadHandlerIsAcknowledged() {
        createDeadQueue();
        leat.worker()
                .handle("dying", String.class, (payload, task) -> {
                    throw new IllegalStateException("never");
                })
                .start();

        leat.put("dying", "x");

        await("the dead run to end", () -> leat.queue("dying").stats().count(TaskState.DONE) == 1);
    }

    @Test
    void middlewareWrapsEveryExecutionFromTheOutside() {
        List<String> steps = Collections.synchronizedList(new ArrayList<>());
        leat.worker()
                .middleware((task, next) -> {
                    steps.add("outer in");
                    next.run();
                    steps.add("outer out");
                })
                .middleware((task, next) -> {
                    steps.add("inner in");
                    next.run();
                    steps.add("inner out");
                })
                .handle(Q, String.class, (payload, task) -> steps.add("handler"))
                .start();

        awaitState(put("a"), TaskState.DONE);

        assertThat(steps).containsExactly("outer in", "inner in", "handler", "inner out", "outer out");
    }

    @Test
    void aMiddlewareThatSwallowsATaskFailsIt() {
        leat.worker()
                .middleware((task, next) -> {})
                .handle(Q, String.class, (payload, task) -> {})
                .start();

        long id = put("a");

        await("the failure", () -> peek(id).failures() == 1);
        assertThat(peek(id).message().orElseThrow()).contains("neither called next nor settled");
    }

    // Time limits and cancels

    @Test
    void aTimeLimitInterruptsTheHandlerAndTheTaskComesBack() {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch interrupted = new CountDownLatch(1);
        leat.worker()
                .handle(Q, byte[].class, (payload, task) -> {
                    if (runs.incrementAndGet() == 1) {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                            throw e;
                        }
                    }
                })
                .concurrency(2)
                .start();

        long id = put(task().ttr(Duration.ofMillis(200)));

        awaitState(id, TaskState.DONE);
        await("the interrupt", () -> interrupted.getCount() == 0);
        assertThat(peek(id).losses()).isEqualTo(1);
        assertThat(peek(id).failures()).as("the late failure is fenced").isZero();
    }

    @Test
    void aTouchMovesTheTimeLimit() {
        start((payload, task) -> {
            task.touch(Duration.ofMinutes(1));
            new CountDownLatch(1).await(400, TimeUnit.MILLISECONDS);
        });

        long id = put(task().ttr(Duration.ofMillis(150)));

        awaitState(id, TaskState.DONE);
        assertThat(peek(id).losses()).isZero();
        assertThat(peek(id).failures()).as("interrupts at the old limit").isZero();
    }

    @Test
    void aCancelInterruptsTheHandlerAndEndsTheTask() {
        Gate gate = new Gate();
        worker(gate).start();
        long id = put("a");
        gate.awaitInside(1);

        leat.cancel(id, "not needed any more");

        awaitState(id, TaskState.CANCELED);
        assertThat(peek(id).message()).hasValue("not needed any more");
        assertThat(gate.interrupted()).hasSize(1).allMatch(RunningTask::cancelRequested);
    }

    @Test
    void aCancelOfOneTaskInABatchIsNotChargedToTheOthers() {
        CountDownLatch inside = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        long canceled = put("a");
        long other = put("b");
        leat.worker()
                .handleBatch(Q, String.class, items -> {
                    if (runs.incrementAndGet() == 1) {
                        inside.countDown();
                        new CountDownLatch(1).await();
                    }
                })
                .start();
        await("the batch to run", () -> inside.getCount() == 0);

        leat.cancel(canceled, "not needed");

        awaitState(canceled, TaskState.CANCELED);
        awaitState(other, TaskState.DONE);
        assertThat(peek(other).failures()).isZero();
    }

    @Test
    void anInterruptFlagThatAHandlerLeavesBehindDoesNotReachTheNextOne() {
        start((payload, task) -> {
            if (payload.equals("first")) {
                Thread.currentThread().interrupt();
            } else {
                new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS);
            }
        });
        put("first");

        long second = put("second");

        awaitState(second, TaskState.DONE);
        assertThat(peek(second).failures()).isZero();
    }

    // Set-up and numbers

    @Test
    void handlersInATransactionAreRefusedByAStorageThatHasNone() { // RULES 15
        Throwable refusal = catchThrowable(
                () -> leat.worker().handleInTransaction(Q, String.class, (payload, task, connection) -> {}));

        if (storage.capabilities().contains(Capability.HANDLER_TRANSACTION)) {
            assertThat(refusal).isNull();
        } else {
            assertThat(refusal).isInstanceOf(UnsupportedByStorageException.class);
        }
    }

    @Test
    void mistakesAreFoundWhenTheWorkerIsBuilt() {
        assertThatThrownBy(() -> leat.worker().build()).hasMessageContaining("serves no queue");
        assertThatThrownBy(() -> leat.worker().concurrency(0)).hasMessageContaining("concurrency");
        assertThatThrownBy(() -> leat.worker().batchSize(Q, 0)).hasMessageContaining("batchSize");
        assertThatThrownBy(() -> leat.worker().batchSize(Q, 5).build()).hasMessageContaining("no handler");
        assertThatThrownBy(() -> leat.worker()
                        .handle(Q, String.class, (payload, task) -> {})
                        .handle(Q, String.class, (payload, task) -> {}))
                .hasMessageContaining("given twice");
        Worker worker = start((payload, task) -> {});
        assertThatThrownBy(worker::start).hasMessageContaining("can be started once");
        Worker.Builder builder = leat.worker().handle(Q, String.class, (payload, task) -> {});
        builder.build();
        assertThatThrownBy(builder::build).hasMessageContaining("one builder makes one worker");
        assertThatThrownBy(() -> leat.worker()
                        .handle(Q, String.class, (payload, task) -> {})
                        .types(Q, () -> Set.of("a"))
                        .start())
                .hasMessageContaining("are not filtered by queue 'q'");
        assertThatThrownBy(() -> leat.worker()
                        .handle(Q, String.class, (payload, task) -> {})
                        .order(Q, TakeOrder.random())
                        .start())
                .hasMessageContaining("is not declared by queue 'q'");
    }

    @Test
    void aWorkerMakesAMissingQueueUnlessThatIsSwitchedOff() {
        Leat strict =
                open(Leat.builder("").storage(new Faults().between(storage)).autoCreate(Leat.AutoCreate.OFF));

        leat.worker().handle("fresh", String.class, (payload, task) -> {}).start();

        assertThat(leat.queue("fresh").info()).isPresent();
        assertThatThrownBy(() -> strict.worker()
                        .handle("missing", String.class, (payload, task) -> {})
                        .start())
                .isInstanceOf(QueueNotFoundException.class);
    }

    @Test
    void theNumbersTellWhatWasDone() {
        Worker worker = leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    switch (payload) {
                        case "bad" -> throw new IllegalStateException("bad one");
                        case "later" -> task.retry(When.in(Duration.ofHours(1)), "later");
                        default -> new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS);
                    }
                })
                .slowCycle(Duration.ofNanos(1))
                .start();
        put("good");
        put("bad");
        put("later");

        await("all three", () -> {
            WorkerStats.QueueWork work = worker.stats().queues().get(Q);
            return work.processed() == 1 && work.errors() == 1 && work.retried() == 1;
        });

        WorkerStats stats = worker.stats();
        assertThat(stats.queues().get(Q).lastError().orElseThrow()).contains("bad one");
        assertThat(stats.queues().get(Q).duration()).isGreaterThan(Duration.ofMillis(1));
        await("the slow turns to be counted", () -> worker.stats().slowCycles() >= 1);
    }
}
