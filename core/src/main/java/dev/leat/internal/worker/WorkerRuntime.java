package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.StorageException;
import dev.leat.internal.HandlerThread;
import dev.leat.internal.waiting.Dispatcher;
import dev.leat.internal.waiting.Heartbeat;
import dev.leat.internal.waiting.Loop;
import dev.leat.storage.HandlerTransaction;
import dev.leat.storage.Notice;
import dev.leat.worker.BatchHandler;
import dev.leat.worker.Failure;
import dev.leat.worker.Middleware;
import dev.leat.worker.PriorityLimits;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerStats;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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

    private final Leat leat;
    private final Heartbeat heartbeat;
    private final List<Worker> siblings;
    private final BooleanSupplier isClosing;
    private final TransactionEnd transactionEnd;
    private final List<ServedQueue> queues;
    private final List<Middleware> middleware;
    private final long slowCycleNanos;
    private final ThreadFactory threads;
    private final boolean keepAlive;
    private final Feeder feeder;
    private final Buffer buffer;
    private final Settler settler;
    private final Map<Lease, Execution> running = new ConcurrentHashMap<>();
    private final LongAdder slowCycles = new LongAdder();
    private final CompletableFuture<StopReport> stopped = new CompletableFuture<>();
    private final ScheduledThreadPoolExecutor timer;
    private final LogContext logContext = new LogContext();
    private final Failures failures;
    private @Nullable Registration pauses;
    private State state = State.NEW;

    WorkerRuntime(
            Leat leat,
            Dispatcher dispatcher,
            Heartbeat heartbeat,
            List<Worker> siblings,
            BooleanSupplier isClosing,
            TransactionEnd transactionEnd,
            List<ServedQueue> queues,
            List<Middleware> middleware,
            List<Consumer<? super Failure>> failureListeners,
            int concurrency,
            @Nullable PriorityLimits limits,
            Duration slowCycle,
            ThreadFactory threads,
            boolean keepAlive) {
        this.leat = leat;
        this.heartbeat = heartbeat;
        this.siblings = siblings;
        this.isClosing = isClosing;
        this.transactionEnd = transactionEnd;
        this.queues = queues;
        this.middleware = middleware;
        this.slowCycleNanos = slowCycle.toNanos();
        this.threads = threads;
        this.keepAlive = keepAlive;
        int processors = limits == null ? concurrency : limits.most();
        this.feeder = new Feeder(
                leat, dispatcher, queues, wake -> new Buffer(queues, processors, limits, wake), this::giveBack);
        this.buffer = feeder.buffer();
        this.settler = new Settler(leat);
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "leat-worker-timer");
            thread.setDaemon(true);
            return thread;
        });
        this.timer.setRemoveOnCancelPolicy(true);
        this.failures = new Failures(failureListeners, logContext, this::later);
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
        if (state() != State.NEW) {
            throw new InvalidRequestException("worker", "can be started once, and is " + state());
        }
        feeder.prepare();
        siblings.add(this); // before the question: a close that begins after it finds this worker, and stops it
        if (isClosing.getAsBoolean()) {
            var unused = stopAsync(Duration.ZERO);
            throw new ClosedException("This Leat");
        }
        if (!move(State.NEW, State.RUNNING)) {
            throw new InvalidRequestException("worker", "can be started once, and is " + state());
        }
        heartbeat.listen(this);
        pauses = leat.storage().signal().listen(this::hear);
        long watchNanos = heartbeat.watchEvery().toNanos();
        var unused = timer.scheduleWithFixedDelay(heartbeat::watch, watchNanos, watchNanos, TimeUnit.NANOSECONDS);
        settler.start();
        feeder.start();
        startProcessors();
        if (keepAlive) {
            keepJvmAlive();
        }
    }

    /** All other threads are daemons: they would not keep the JVM from ending when {@code main} returns. */
    private void keepJvmAlive() {
        Thread thread = new Thread(this::awaitStop, "leat-worker");
        thread.setDaemon(false);
        thread.start();
    }

    private void later(Runnable run, Duration delay) {
        try {
            var unused = timer.schedule(run, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The worker has stopped; close() writes the summary instead");
        }
    }

    private void awaitStop() {
        var unused = stopped.handle((report, error) -> state()).join();
    }

    private void startProcessors() {
        for (int number : buffer.missingProcessors()) {
            threads.newThread(() -> process(number)).start();
        }
    }

    @Override
    public CompletableFuture<StopReport> stopAsync(Duration timeout) {
        if (move(State.NEW, State.STOPPED)) {
            siblings.remove(this);
            stopped.complete(new StopReport(List.of(), List.of()));
        } else if (move(State.RUNNING, State.STOPPING)) {
            Thread stopper = new Thread(() -> stopRunning(Loop.clampedNanos(timeout)), "leat-worker-stop");
            stopper.setDaemon(true);
            stopper.start();
        }
        return stopped;
    }

    @Override
    public StopReport stop(Duration timeout) {
        return stopAsync(timeout).join();
    }

    @Override
    public void join() throws InterruptedException {
        boolean unused = join(ChronoUnit.FOREVER.getDuration());
    }

    @Override
    public boolean join(Duration timeout) throws InterruptedException {
        if (state() == State.NEW) {
            throw new InvalidRequestException("worker", "was not started; there is nothing to wait for");
        }
        try {
            stopped.get(Loop.clampedNanos(timeout), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            return true; // what went wrong is told by stop
        } catch (TimeoutException e) {
            return false;
        }
    }

    private void stopRunning(long nanos) {
        try {
            StopReport report = stopAll(nanos);
            hasStopped();
            stopped.complete(report);
        } catch (RuntimeException | Error e) {
            hasStopped();
            stopped.completeExceptionally(e);
        } catch (InterruptedException e) {
            hasStopped();
            stopped.completeExceptionally(new LeatException("the stop of a worker was interrupted", e));
        }
    }

    private void hasStopped() {
        move(State.STOPPING, State.STOPPED);
        siblings.remove(this);
    }

    private StopReport stopAll(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        // A handler that waits for other tasks, now or before it ends, may wait for tasks of this worker, so those are
        // started while it does; but not for the whole time, since the others need some of it.
        List<TakenTask> unstarted = new ArrayList<>(buffer.drain());
        giveBack(unstarted);
        buffer.awaitIdle(nanos / 2);
        feeder.close();
        List<TakenTask> rest = buffer.close();
        giveBack(rest);
        unstarted.addAll(rest);
        List<Long> abandoned = List.of();
        if (!buffer.awaitProcessors(Math.max(0, deadline - System.nanoTime()))) {
            abandoned = abandonRunning();
        }
        if (!settler.finish(LAST_WRITES.toNanos())) {
            log.warn("Some outcomes could not be written before the stop; this goes on until the storage is back");
        }
        timer.shutdownNow();
        failures.close();
        heartbeat.unlisten(this);
        if (pauses != null) {
            pauses.close();
        }
        return new StopReport(unstarted.stream().map(TakenTask::id).toList(), abandoned);
    }

    private List<Long> abandonRunning() {
        List<Long> abandoned = new ArrayList<>();
        for (Execution execution : running.values()) {
            if (execution.abandon()) {
                settler.addAtOnce(Settle.release(execution.lease()));
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
        if (state() == State.RUNNING) {
            startProcessors();
        }
    }

    @Override
    public void priorityLimits(PriorityLimits limits) {
        giveBack(buffer.limit(limits));
        feeder.refresh();
        if (state() == State.RUNNING) {
            startProcessors();
        }
    }

    @Override
    public void refresh() {
        feeder.refresh();
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
    public boolean lend() {
        boolean isLent = buffer.lendPlace();
        if (isLent) {
            startProcessors();
        }
        return isLent;
    }

    @Override
    public void takeBack() {
        buffer.takePlaceBack();
    }

    private void giveBack(List<TakenTask> tasks) {
        tasks.forEach(task -> settler.addAtOnce(Settle.giveBack(task.lease())));
    }

    // News from the storage

    private void hear(Notice notice) {
        if (notice instanceof Notice.Paused paused) {
            feeder.pause(paused.queue());
        }
    }

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
        giveBack(buffer.suspend());
        interruptRunning();
    }

    @Override
    public void recovered() {
        buffer.resume();
    }

    @Override
    public void leasesLost() {
        giveBack(buffer.removeAll());
        interruptRunning();
    }

    private void interruptRunning() {
        running.values().forEach(execution -> execution.interrupt(Execution.Interruption.OUTAGE));
    }

    // Processors

    private void process(int number) {
        Buffer.Round round = new Buffer.Round(number % queues.size());
        for (Buffer.Work work = nextWork(number, round); work != null; work = nextWork(number, round)) {
            long started = System.nanoTime();
            try {
                run(work);
            } catch (RuntimeException | Error e) {
                log.error("A processor failed outside of a handler; its tasks are given back", e);
                giveBack(work.tasks());
            }
            long nanos = System.nanoTime() - started;
            work.queue().busyNanos.add(nanos);
            if (nanos > slowCycleNanos) {
                slowCycles.increment();
            }
            buffer.done(work.queue(), work.tasks().size(), nanos);
        }
    }

    /** The processor's next work; before it waits for some, it writes outcomes itself. */
    private Buffer.@Nullable Work nextWork(int number, Buffer.Round round) {
        Buffer.Work work = buffer.poll(number, round);
        if (work != null) {
            settler.writeSoon();
            return work;
        }
        if (settler.freesKeys()) {
            feeder.feedAround(settler::writeNow);
        } else {
            settler.writeNow();
        }
        return buffer.next(number, round);
    }

    private void run(Buffer.Work work) {
        ServedQueue queue = work.queue();
        if (queue.batch != null) {
            runBatch(work, queue.batch);
        } else {
            TakenTask task = work.tasks().get(0);
            if (!isLeftToOthers(task, queue)) {
                runSingle(task, queue, handlerFor(queue, task.task()));
            }
        }
    }

    /** Gives it back, if it is. */
    private boolean isLeftToOthers(TakenTask task, ServedQueue queue) {
        try {
            if (!queue.isForOthers(task.task())) {
                return false;
            }
            settler.add(task.task(), queue.strangers.giveBack(task));
        } catch (StorageException e) {
            settler.add(task.task(), queue.strangers.giveBack(task)); // whose it is can be told again later
        } catch (RuntimeException e) {
            failed(execution(task, queue, null), Settle.fail(task.lease(), e), e);
        }
        return true;
    }

    private Execution execution(TakenTask task, ServedQueue queue, @Nullable HandlerTransaction transaction) {
        return new Execution(task, leat, queue, this, failures, transaction);
    }

    private void runSingle(TakenTask task, ServedQueue queue, ServedQueue.@Nullable Typed<?> handler) {
        if (handler == null) {
            Execution execution = execution(task, queue, null);
            String message = "No handler for " + describeType(execution.task()) + " in this worker";
            failed(execution, Settle.fail(task.lease(), message), null);
        } else if (handler.inTransaction()) {
            try (HandlerTransaction transaction = leat.storage().begin()) {
                runSingle(execution(task, queue, transaction), handler);
            }
        } else {
            runSingle(execution(task, queue, null), handler);
        }
    }

    private void runSingle(Execution execution, ServedQueue.Typed<?> handler) {
        runTogether(List.of(execution), wrapped(execution, () -> call(handler, execution)));
    }

    private static ServedQueue.@Nullable Typed<?> handlerFor(ServedQueue queue, Task task) {
        if (task.isPublication()) {
            return PUBLISH;
        }
        if (task.deadOf().isPresent()) {
            return deadHandler(queue, task);
        }
        if (task.subscriber().isPresent() && queue.hasSubscribers()) {
            return queue.subscribers.getOrDefault(task.subscriber().get(), queue.otherSubscribers);
        }
        ServedQueue.Typed<?> handler = task.type().map(queue.byType::get).orElse(null);
        return handler != null ? handler : queue.other;
    }

    private static ServedQueue.Typed<?> deadHandler(ServedQueue queue, Task task) {
        ServedQueue.Typed<?> subscriber =
                task.subscriber().map(queue.deadSubscribers::get).orElse(null);
        if (subscriber != null) {
            return subscriber;
        }
        return queue.dead != null ? queue.dead : LOG_DEAD;
    }

    private static String describeType(Task task) {
        if (task.subscriber().isPresent()) {
            return "subscription '" + task.subscriber().get() + "' in queue '" + task.queue() + "'";
        }
        return (task.type().isPresent() ? "type '" + task.type().get() + "'" : "tasks without a type") + " of queue '"
                + task.queue() + "'";
    }

    /** The ack puts the copies: at once, so that what hinders it is a failure of this task, and holds up no other outcome. */
    private static final ServedQueue.Typed<byte[]> PUBLISH =
            ServedQueue.Typed.plain(byte[].class, (payload, task) -> task.ack());

    private static final ServedQueue.Typed<byte[]> LOG_DEAD = ServedQueue.Typed.plain(
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

    private <T> void runBatch(Buffer.Work work, ServedQueue.TypedBatch<T> batch) {
        List<BatchHandler.Item<T>> items = new ArrayList<>();
        List<Execution> executions = new ArrayList<>();
        for (TakenTask task : work.tasks()) {
            if (isLeftToOthers(task, work.queue())) {
                continue;
            }
            Task description = task.task();
            boolean isForBatch = description.deadOf().isEmpty()
                    && (description.subscriber().isEmpty() || !work.queue().hasSubscribers())
                    && !description.isPublication();
            if (!isForBatch) {
                runSingle(task, work.queue(), handlerFor(work.queue(), description));
                continue;
            }
            Execution execution = execution(task, work.queue(), null);
            try {
                items.add(new BatchHandler.Item<>(leat.decode(task.payload(), batch.type()), execution));
                executions.add(execution);
            } catch (RuntimeException e) {
                failed(execution, Settle.fail(task.lease(), e), e);
            }
        }
        if (!items.isEmpty()) {
            runTogether(executions, () -> batch.handler().handle(List.copyOf(items)));
        }
    }

    private Middleware.Next wrapped(Execution execution, Middleware.Next handler) {
        if (middleware.isEmpty()) {
            return handler;
        }
        AtomicBoolean reached = new AtomicBoolean();
        Middleware.Next chain = chain(execution, 0, () -> {
            reached.set(true);
            handler.run();
        });
        return () -> {
            chain.run();
            if (!reached.get() && !execution.hasOutcome()) {
                throw new IllegalStateException("a middleware neither called next nor settled the task");
            }
        };
    }

    private Middleware.Next chain(Execution execution, int from, Middleware.Next handler) {
        return from == middleware.size()
                ? handler
                : () -> middleware.get(from).around(execution, chain(execution, from + 1, handler));
    }

    /** Runs a handler for one or several executions, each of which can be interrupted, and settles what it did not. */
    private void runTogether(List<Execution> executions, Middleware.Next handler) {
        try (LogContext.Restore before = logContext.enter(executions)) {
            runAndSettle(executions, handler);
        }
    }

    private void runAndSettle(List<Execution> executions, Middleware.Next handler) {
        Throwable failure = null;
        executions.forEach(this::begin);
        try {
            HandlerThread.run(executions.get(0), () -> {
                handler.run();
                return executions;
            });
        } catch (Throwable e) {
            failure = e;
        }
        List<Execution.@Nullable Interruption> interruptions = new ArrayList<>();
        executions.forEach(execution -> interruptions.add(end(execution)));
        boolean disturbed = interruptions.stream().anyMatch(Objects::nonNull);
        for (int i = 0; i < executions.size(); i++) {
            Execution execution = executions.get(i);
            Execution.Interruption interruption = interruptions.get(i);
            if (!execution.isSettled()) {
                // A batch that was interrupted for one task is no fault of the others.
                boolean innocent = disturbed && interruption == null;
                settle(execution, failure, innocent ? Execution.Interruption.OUTAGE : interruption);
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
            execution.timeLimit(timer.schedule(() -> watch(execution), left, TimeUnit.NANOSECONDS));
        } else {
            execution.interrupt(Execution.Interruption.TIME_LIMIT);
        }
    }

    private Execution.@Nullable Interruption end(Execution execution) {
        running.remove(execution.lease());
        return execution.end();
    }

    private void settle(Execution execution, @Nullable Throwable failure, Execution.@Nullable Interruption why) {
        if (why == Execution.Interruption.STOP || execution.isAbandoned()) {
            return; // given back by the stop
        }
        HandlerTransaction transaction = execution.transaction();
        if (transaction != null) {
            settleIn(transaction, execution, failure, why);
        } else if (failure == null) {
            execution.queue().processed.increment();
            settler.add(execution.task(), Settle.ack(execution.lease()));
        } else {
            unsuccessful(execution, failure, why == Execution.Interruption.OUTAGE);
        }
    }

    private void settleIn(
            HandlerTransaction transaction,
            Execution execution,
            @Nullable Throwable failure,
            Execution.@Nullable Interruption why) {
        Throwable reason = failure != null ? failure : commit(transaction, execution);
        if (reason != null) {
            // Closed first: it may keep others from writing, and so the outcome from being written.
            transaction.close();
            unsuccessful(execution, reason, why == Execution.Interruption.OUTAGE || transaction.isBlameless(reason));
        }
    }

    /** Answers why it failed, if it did. */
    private @Nullable Throwable commit(HandlerTransaction transaction, Execution execution) {
        Execution.Outcome outcome = execution.outcome();
        try {
            SettleResult result = transactionEnd.commit(transaction, outcome.settle());
            if (result.status() == SettleResult.Status.DONE) {
                execution.accepted(outcome);
            } else {
                settler.countFenced(execution.lease());
            }
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private void unsuccessful(Execution execution, Throwable failure, boolean blameless) {
        Settle.Fail fail = Settle.fail(execution.lease(), failure);
        if (blameless) {
            log.debug("Task {} of queue '{}' comes again: {}", execution.id(), execution.queue().name, fail.message());
            settler.add(execution.task(), Settle.release(execution.lease()));
        } else {
            failed(execution, fail, failure);
        }
    }

    private void failed(Execution execution, Settle.Fail fail, @Nullable Throwable error) {
        ServedQueue queue = execution.queue();
        queue.errors.increment();
        queue.lastError = fail.message();
        settler.add(execution.task(), fail);
        if (failures.hasListeners()) {
            settler.writeSoon(); // listeners may be slow: write the outcome before they run
        }
        failures.tell(execution, fail, error);
    }
}
