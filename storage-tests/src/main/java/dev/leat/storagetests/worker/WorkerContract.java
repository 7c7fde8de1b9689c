package dev.leat.storagetests.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.UnsupportedByStorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.storage.Capability;
import dev.leat.storagetests.Faults;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What workers do with tasks: outcomes, batches, types. Covers G17, G18, G21, G25, G26, R17, R27, R30, N17, N22, N27, N29. */
public abstract class WorkerContract extends WorkerTest {

    // Outcomes

    @Test
    void aHandlerThatReturnsAcknowledgesItsTask() { // N27
        ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
        start((payload, task) -> handled.add(payload));

        long id = put("hello");

        awaitState(id, TaskState.DONE);
        assertThat(handled).containsExactly("hello");
    }

    @Test
    void aHandlerThatThrowsFailsItsTaskWithTheMessage() { // N26, N27
        start((payload, task) -> {
            throw new IllegalStateException("no such mailbox");
        });

        long id = put("hello");

        await("the failure", () -> peek(id).failures() == 1);
        assertThat(peek(id).message()).hasValue("java.lang.IllegalStateException: no such mailbox");
        assertThat(state(id)).isEqualTo(TaskState.SCHEDULED);
    }

    @Test
    void aHandlerMaySettleItsTaskItself() { // N26
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
    void aWorkerRunsOneByOneTheMostImportantFirst() { // N24, N29
        leat.queue("fila").create(QueueOptions.nsj());
        long seldom = put(NewTask.to("fila").priority(-10));
        long first = put(NewTask.to("fila").priority(-50));
        long urgent = put(NewTask.to("fila").priority(-90));
        long second = put(NewTask.to("fila").priority(-50));
        List<Long> ran = Collections.synchronizedList(new ArrayList<>());
        Gauge gauge = new Gauge();

        leat.worker()
                .handle("fila", String.class, (payload, task) -> {
                    gauge.hold(payload, task);
                    ran.add(task.id());
                })
                .start();

        await("all to run", () -> ran.size() == 4);
        assertThat(ran).containsExactly(urgent, first, second, seldom);
        assertThat(gauge.most()).isEqualTo(1);
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

    // Types, dead runs, middleware

    @Test
    void eachTypeHasItsHandlerAndAMissingOneFailsClearly() { // R27
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
    void typesCanBeSwitchedOnAndOff() { // R17
        createTypedQueue();
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

    private void createTypedQueue() {
        leat.queue("typed")
                .create(QueueOptions.builder()
                        .typeFilter(QueueOptions.TypeFilter.ON)
                        .build());
    }

    private long putOfType(String type) {
        return put(NewTask.to("typed").type(type));
    }

    /** Two handlers in one worker, so that what is done for the one shows that the other one's task was passed over. */
    private Worker workerOfTypes(BooleanSupplier conditionOfA) {
        createTypedQueue();
        return leat.worker()
                .handle("typed", "a", byte[].class, (payload, task) -> {})
                .handle("typed", "b", byte[].class, (payload, task) -> {})
                .onlyWhile("typed", "a", conditionOfA)
                .start();
    }

    private void assertPassedOver(long id) {
        awaitState(putOfType("b"), TaskState.DONE);
        assertThat(state(id)).isEqualTo(TaskState.READY);
        assertThat(peek(id).attempts()).isZero();
    }

    @Test
    void noTypesAtAllTakeNothing() { // R17, R.3-9
        createTypedQueue();
        AtomicReference<Set<String>> types = new AtomicReference<>(Set.of());
        Worker worker = leat.worker()
                .handle("typed", byte[].class, (payload, task) -> {})
                .types("typed", types::get)
                .handle(Q, String.class, (payload, task) -> {})
                .start();
        long a = putOfType("a");
        long untyped = put(NewTask.to("typed"));
        awaitState(put("witness"), TaskState.DONE);
        assertThat(List.of(state(a), state(untyped))).containsOnly(TaskState.READY);

        types.set(Set.of("a"));
        worker.refresh();
        awaitState(a, TaskState.DONE);
        types.set(Set.of());
        worker.refresh();

        long late = putOfType("a");
        awaitState(put("witness"), TaskState.DONE);
        assertThat(state(late)).isEqualTo(TaskState.READY);
        assertThat(peek(untyped).attempts()).isZero();
    }

    @Test
    void aHandlerIsSwitchedOnAndOffByItsCondition() { // R17, R27
        AtomicBoolean on = new AtomicBoolean();
        Worker worker = workerOfTypes(on::get);
        long early = putOfType("a");
        assertPassedOver(early);

        on.set(true);
        worker.refresh();
        awaitState(early, TaskState.DONE);
        on.set(false);
        worker.refresh();

        assertPassedOver(putOfType("a"));
    }

    @Test
    void aWorkerWhoseOnlyTypeIsSwitchedOffNoLongerWaitsForIt() { // R17
        createTypedQueue();
        AtomicBoolean on = new AtomicBoolean(true);
        Worker worker = leat.worker()
                .handle("typed", "a", byte[].class, (payload, task) -> {})
                .onlyWhile("typed", "a", on::get)
                .start();
        await("it to wait", () -> leat.queue("typed").stats().consumers() == 1);

        on.set(false);
        worker.refresh();

        await("it to wait no longer", () -> leat.queue("typed").stats().consumers() == 0);
        long a = putOfType("a");
        on.set(true);
        worker.refresh();
        awaitState(a, TaskState.DONE);
    }

    @Test
    void aConditionIsAskedAnewWhileTheWorkerWaits() { // R17
        AtomicBoolean on = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        workerOfTypes(() -> {
            asked.incrementAndGet();
            return on.get();
        });
        long early = putOfType("a");
        assertPassedOver(early);

        on.set(true);
        awaitState(early, TaskState.DONE);
        on.set(false);
        int askedBefore = asked.get();
        await("it to be asked, and then again", () -> asked.get() >= askedBefore + 2);

        assertPassedOver(putOfType("a"));
    }

    @Test
    void whileAConditionCannotBeAskedNothingIsTaken() { // R17
        AtomicBoolean broken = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        Worker worker = workerOfTypes(() -> {
            asked.incrementAndGet();
            if (broken.get()) {
                throw new IllegalStateException("cannot tell");
            }
            return true;
        });
        awaitState(putOfType("a"), TaskState.DONE);

        broken.set(true);
        assertThatThrownBy(worker::refresh).hasMessage("cannot tell");
        long a = putOfType("a");
        int askedBefore = asked.get();
        await("it to be asked again", () -> asked.get() >= askedBefore + 2);
        assertThat(state(a)).isEqualTo(TaskState.READY);
        broken.set(false);

        awaitState(a, TaskState.DONE);
    }

    @Test
    void whatWasTakenAheadGoesBackWhenItsTypeIsSwitchedOff() { // R17
        createTypedQueue();
        AtomicBoolean on = new AtomicBoolean(true);
        SlowingHandler handler = new SlowingHandler();
        Worker worker = leat.worker()
                .handle("typed", "a", String.class, handler)
                .onlyWhile("typed", "a", on::get)
                .start();
        leat.putAll(IntStream.range(0, 5_000)
                .mapToObj(i -> NewTask.to("typed").type("a").build())
                .toList());
        handler.slowDownWithTasksAtHand(worker);

        on.set(false);
        worker.refresh();
        int ranBefore = handler.ran();

        await("nothing to be taken any more", () -> leat.queue("typed").stats().count(TaskState.TAKEN) == 0);
        assertThat(handler.ran() - ranBefore)
                .as("only what ran when it was switched off")
                .isLessThanOrEqualTo(1);
    }

    @Test
    void conditionsThatCannotBeKeptAreRefused() { // R27
        createTypedQueue();
        assertThatThrownBy(() -> leat.worker()
                        .handle("typed", byte[].class, (payload, task) -> {})
                        .onlyWhile("typed", "a", () -> true)
                        .build())
                .hasMessageContaining("cannot switch off one type of queue 'typed'");
        assertThatThrownBy(() -> leat.worker()
                        .handle("typed", "a", byte[].class, (payload, task) -> {})
                        .onlyWhile("typed", "b", () -> true)
                        .build())
                .hasMessageContaining("'b'")
                .hasMessageContaining("no handler");
        assertThatThrownBy(
                        () -> leat.worker().onlyWhile("typed", "a", () -> true).onlyWhile("typed", "a", () -> false))
                .hasMessageContaining("given twice");
        assertThatThrownBy(() -> leat.worker()
                        .handle(Q, "a", byte[].class, (payload, task) -> {})
                        .onlyWhile(Q, "a", () -> true)
                        .start())
                .hasMessageContaining("are not filtered by queue 'q'");
    }

    @Test
    void workersForDifferentTypesOfOneQueueLeaveEachOtherTheirs() {
        createTypedQueue();
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
    void aDeadRunGoesToTheDeadHandler() { // N22
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
    void aDeadRunWithoutADeadHandlerIsAcknowledged() { // N22
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
    void middlewareWrapsEveryExecutionFromTheOutside() { // R30
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
    void aTaskCarriesWhatItWasPutWithAndEveryStepIsHeardOf() { // R30
        List<String> steps = Collections.synchronizedList(new ArrayList<>());
        Leat watched = open(Leat.builder("")
                .storage(new Faults().between(storage))
                .beforePut(task -> task.toBuilder().trace("span", "7").build()));
        watched.onTaskChange(event -> steps.add(event.kind().name()));
        Worker worker = watched.worker()
                .middleware((task, next) -> {
                    steps.add("start " + task.task().trace());
                    next.run();
                    steps.add("finish");
                })
                .handle(Q, String.class, (payload, task) -> steps.add("handler"))
                .build();

        watched.put(Q, "a");
        worker.start();

        await("the last step", () -> steps.contains("ACK"));
        assertThat(steps).containsExactly("PUT", "TAKE", "start {span=7}", "handler", "finish", "ACK");
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

    // Set-up and numbers

    @Test
    void handlersInATransactionAreRefusedByAStorageThatHasNone() { // rule 15
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
