package dev.leat.internal.worker;

import dev.leat.InvalidRequestException;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.PayloadException;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.internal.waiting.Heartbeat;
import dev.leat.worker.BatchHandler;
import dev.leat.worker.Middleware;
import dev.leat.worker.PriorityLimits;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker: starts feeder, settler and processors, runs handlers, and stops everything in the reverse order.
 *
 * <p>Each processor is a thread that takes turns from the buffer. Handlers are interrupted, and only while they run, when
 * their time limit comes, when their task is canceled, when the storage has been out of reach for too long, and at the
 * end of a stop.
 */
final class WorkerRuntime implements Worker, Heartbeat.Listener, Execution.Places {
    private static final Logger log = LoggerFactory.getLogger(WorkerRuntime.class);
    /** What a stop has, beyond its timeout, to write the last outcomes. */
    private static final Duration LAST_WRITES = Duration.ofSeconds(5);

    private static final int MAX_MESSAGE = 2_000;

    private final Leat leat;
    private final Heartbeat heartbeat;
    private final List<Worker> siblings;
    private final List<ServedQueue> queues;
    private final List<Middleware> middleware;
    private final long slowCycleNanos;
    private final ThreadFactory threads;
    private final Feeder feeder;
    private final Buffer buffer;
    private final Settler settler;
    private final Map<Lease, Execution> running = new ConcurrentHashMap<>();
    private final LongAdder slowCycles = new LongAdder();
    private final CompletableFuture<StopReport> stopped = new CompletableFuture<>();
    private final ScheduledThreadPoolExecutor timeLimits;
    private State state = State.NEW;

    WorkerRuntime(
            Leat leat,
            Heartbeat heartbeat,
            List<Worker> siblings,
            List<ServedQueue> queues,
            List<Middleware> middleware,
            int concurrency,
            @Nullable PriorityLimits limits,
            Duration slowCycle,
            ThreadFactory threads) {
        this.leat = leat;
        this.heartbeat = heartbeat;
        this.siblings = siblings;
        this.queues = queues;
        this.middleware = middleware;
        this.slowCycleNanos = slowCycle.toNanos();
        this.threads = threads;
        int processors = limits == null ? concurrency : limits.most();
        this.feeder = new Feeder(leat, queues, wake -> new Buffer(queues, processors, limits, wake), this::giveBack);
        this.buffer = feeder.buffer();
        this.settler = new Settler(leat);
        this.timeLimits = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "leat-time-limits");
            thread.setDaemon(true);
            return thread;
        });
        this.timeLimits.setRemoveOnCancelPolicy(true);
    }

    // Life

    @Override
    public synchronized State state() {
        return state;
    }

    private synchronized boolean move(State from, State to) {
        if (state != from) {
            return false;
        }
        state = to;
        return true;
    }

    @Override
    public void start() {
        if (!move(State.NEW, State.RUNNING)) {
            throw new InvalidRequestException("worker", "can be started once, and is " + state());
        }
        siblings.add(this);
        heartbeat.listen(this);
        settler.start();
        feeder.start();
        startProcessors();
    }

    private void startProcessors() {
        for (int number : buffer.missingProcessors()) {
            threads.newThread(() -> process(number)).start();
        }
    }

    @Override
    public StopReport stop(Duration timeout) {
        if (move(State.NEW, State.STOPPED)) {
            stopped.complete(new StopReport(List.of(), List.of()));
        } else if (move(State.RUNNING, State.STOPPING)) {
            try {
                stopped.complete(stopRunning(System.nanoTime() + timeout.toNanos()));
            } catch (RuntimeException e) {
                stopped.completeExceptionally(e);
            } finally {
                move(State.STOPPING, State.STOPPED);
                siblings.remove(this);
            }
        }
        return stopped.join();
    }

    private StopReport stopRunning(long deadline) {
        boolean interrupted = false;
        List<Long> abandoned = List.of();
        try {
            // Handlers that wait for other tasks may wait for tasks of this worker, so it goes on until none does.
            buffer.awaitNobodyWaiting(Buffer.nanosUntil(deadline));
            feeder.close();
            buffer.close();
            if (!buffer.awaitProcessors(Buffer.nanosUntil(deadline))) {
                abandoned = abandonRunning();
            }
        } catch (InterruptedException e) {
            interrupted = true;
            feeder.close();
            buffer.close();
            abandoned = abandonRunning();
        }
        List<TakenTask> unstarted = buffer.drainUnstarted();
        giveBack(unstarted);
        try {
            if (!settler.awaitWritten(LAST_WRITES.toNanos())) {
                log.warn("Some outcomes could not be written before the stop; their tasks will run again");
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        settler.close();
        timeLimits.shutdownNow();
        heartbeat.unlisten(this);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return new StopReport(unstarted.stream().map(TakenTask::id).toList(), abandoned);
    }

    private List<Long> abandonRunning() {
        List<Long> abandoned = new ArrayList<>();
        for (Execution execution : running.values()) {
            if (execution.interrupt(Execution.Interruption.STOP)) {
                settler.add(Settle.release(execution.lease()));
                abandoned.add(execution.id());
            }
        }
        return abandoned;
    }

    @Override
    public void concurrency(int processors) {
        if (processors < 1) {
            throw new InvalidRequestException("concurrency", "must be at least 1, was " + processors);
        }
        buffer.limit(processors);
        startProcessors();
    }

    @Override
    public void assign(Map<String, Integer> processors) {
        for (String queue : processors.keySet()) {
            if (queues.stream().noneMatch(q -> q.name.equals(queue))) {
                throw new InvalidRequestException(
                        "assign", "names queue '" + queue + "', which this worker does not serve");
            }
        }
        buffer.assign(processors);
    }

    @Override
    public WorkerStats stats() {
        Buffer.Load load = buffer.load();
        Map<String, WorkerStats.QueueWork> byQueue = new TreeMap<>();
        queues.forEach(queue -> byQueue.put(queue.name, queue.work()));
        return new WorkerStats(
                load.limit(), load.running(), load.atHand(), settler.fenced(), slowCycles.sum(), Map.copyOf(byQueue));
    }

    @Override
    public void lend() {
        buffer.lendPlace();
        startProcessors();
    }

    @Override
    public void takeBack() {
        buffer.takePlaceBack();
    }

    private void giveBack(List<TakenTask> tasks) {
        tasks.forEach(task -> settler.add(Settle.giveBack(task.lease())));
    }

    // News from the storage

    @Override
    public void cancelRequested(List<Lease> leases) {
        giveBack(buffer.remove(leases));
        for (Lease lease : leases) {
            Execution execution = running.get(lease);
            if (execution != null) {
                execution.interrupt(Execution.Interruption.CANCEL);
            }
        }
    }

    @Override
    public void outage() {
        buffer.suspend();
        running.values().forEach(execution -> execution.interrupt(Execution.Interruption.OUTAGE));
    }

    @Override
    public void recovered() {
        giveBack(buffer.drainUnstarted());
        buffer.resume();
    }

    // Processors

    private void process(int number) {
        int lastQueue = number;
        for (Buffer.Turn turn = buffer.next(number, lastQueue); turn != null; turn = buffer.next(number, lastQueue)) {
            lastQueue = buffer.indexOf(turn.queue());
            long started = System.nanoTime();
            int done = 0;
            try {
                done = turn.queue().batch == null ? runEach(turn) : runBatch(turn, turn.queue().batch);
            } catch (Throwable e) {
                log.error("A processor failed outside of a handler; its tasks come back when their leases end", e);
            }
            long nanos = System.nanoTime() - started;
            turn.queue().busyNanos.add(nanos);
            if (nanos > slowCycleNanos) {
                slowCycles.increment();
            }
            List<TakenTask> rest = turn.tasks().subList(done, turn.tasks().size());
            buffer.turnEnded(turn.queue(), done, nanos, rest);
        }
    }

    private int runEach(Buffer.Turn turn) {
        int done = 0;
        for (TakenTask task : turn.tasks()) {
            if (buffer.isInterrupted()) {
                break;
            }
            Execution execution = new Execution(task, leat, turn.queue(), this);
            ServedQueue.Typed<?> handler = handlerFor(turn.queue(), task.task());
            if (handler == null) {
                failed(execution, "No handler for " + describeType(task.task()) + " in this worker");
            } else {
                run(execution, () -> call(handler, execution));
            }
            done++;
        }
        return done;
    }

    private static ServedQueue.@Nullable Typed<?> handlerFor(ServedQueue queue, Task task) {
        if (task.deadOf().isPresent()) {
            return deadHandler(queue);
        }
        ServedQueue.Typed<?> handler = task.type().map(queue.byType::get).orElse(null);
        return handler != null ? handler : queue.other;
    }

    private static ServedQueue.Typed<?> deadHandler(ServedQueue queue) {
        return queue.dead != null ? queue.dead : LOG_DEAD;
    }

    private static String describeType(Task task) {
        return (task.type().isPresent() ? "type '" + task.type().get() + "'" : "tasks without a type") + " of queue '"
                + task.queue() + "'";
    }

    private static final ServedQueue.Typed<byte[]> LOG_DEAD = new ServedQueue.Typed<>(
            byte[].class,
            (payload, task) -> log.warn(
                    "Task {} of queue '{}' used up its attempts without success, and there is no dead handler. Somebody"
                            + " has to look at it.",
                    task.task().deadOf().orElse(0),
                    task.task().queue()));

    private <T> void call(ServedQueue.Typed<T> handler, Execution execution) throws Exception {
        T payload = leat.decode(execution.taken().payload(), handler.type());
        handler.handler().handle(payload, execution);
    }

    private <T> int runBatch(Buffer.Turn turn, ServedQueue.TypedBatch<T> batch) {
        List<BatchHandler.Item<T>> items = new ArrayList<>();
        List<Execution> executions = new ArrayList<>();
        for (TakenTask task : turn.tasks()) {
            Execution execution = new Execution(task, leat, turn.queue(), this);
            if (task.task().deadOf().isPresent()) {
                run(execution, () -> call(deadHandler(turn.queue()), execution));
                continue;
            }
            try {
                items.add(new BatchHandler.Item<>(leat.decode(task.payload(), batch.type()), execution));
                executions.add(execution);
            } catch (PayloadException e) {
                failed(execution, message(e));
            }
        }
        if (!items.isEmpty()) {
            runTogether(executions, () -> batch.handler().handle(List.copyOf(items)));
        }
        return turn.tasks().size();
    }

    private void run(Execution execution, Middleware.Next handler) {
        runTogether(List.of(execution), wrapped(execution, handler, 0));
    }

    private Middleware.Next wrapped(Execution execution, Middleware.Next handler, int from) {
        return from == middleware.size()
                ? handler
                : () -> middleware.get(from).around(execution, wrapped(execution, handler, from + 1));
    }

    /** Runs a handler for one or several executions, each of which can be interrupted, and settles what it did not. */
    private void runTogether(List<Execution> executions, Middleware.Next handler) {
        Throwable failure = null;
        executions.forEach(this::begin);
        try {
            handler.run();
        } catch (Throwable e) {
            failure = e;
        }
        for (Execution execution : executions) {
            Execution.Interruption interruption = end(execution);
            if (!execution.isSettled()) {
                settle(execution, failure, interruption);
            }
        }
        if (failure instanceof VirtualMachineError error) {
            log.error("A handler met an error of the JVM; its task was failed", error);
        }
    }

    private void begin(Execution execution) {
        execution.begin();
        running.put(execution.lease(), execution);
        if (execution.leaseUntil().isPresent()) {
            watch(execution);
        }
    }

    /** Interrupts the handler at its time limit, which a touch may have moved meanwhile. */
    private void watch(Execution execution) {
        long left = execution.nanosLeft();
        if (left > 0) {
            var unused = timeLimits.schedule(
                    () -> {
                        if (running.get(execution.lease()) == execution) {
                            watch(execution);
                        }
                    },
                    left,
                    TimeUnit.NANOSECONDS);
        } else {
            execution.interrupt(Execution.Interruption.TIME_LIMIT);
        }
    }

    private Execution.@Nullable Interruption end(Execution execution) {
        running.remove(execution.lease());
        return execution.end();
    }

    private void settle(Execution execution, @Nullable Throwable failure, Execution.@Nullable Interruption why) {
        if (why == Execution.Interruption.STOP) {
            return; // given back by the stop
        }
        if (failure == null) {
            execution.queue().processed.increment();
            settler.add(Settle.ack(execution.lease()));
        } else if (why == Execution.Interruption.OUTAGE) {
            settler.add(Settle.release(execution.lease()));
        } else {
            failed(execution, message(failure));
        }
    }

    private void failed(Execution execution, String message) {
        ServedQueue queue = execution.queue();
        queue.errors.increment();
        queue.lastError = message;
        log.debug("Task {} of queue '{}' failed: {}", execution.id(), queue.name, message);
        settler.add(Settle.fail(execution.lease(), message));
    }

    private static String message(Throwable failure) {
        String message =
                failure instanceof PayloadException ? String.valueOf(failure.getMessage()) : failure.toString();
        return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE);
    }
}
