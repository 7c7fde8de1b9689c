package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.internal.waiting.Heartbeat;
import dev.leat.internal.waiting.Loop;
import dev.leat.storage.Notice;
import dev.leat.worker.PriorityLimits;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerStats;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops the threads of one worker, and passes on what the heartbeat and the storage's signal report.
 *
 * <p>The threads and what they own:
 *
 * <ul>
 *   <li>processors, from the worker's thread factory: each gets its work from the {@link Buffer} and runs handlers in the {@link TaskRunner};
 *   <li>{@code leat-feeder}: keeps the buffer filled, see {@link Feeder};
 *   <li>{@code leat-settler}: writes outcomes while all processors are busy, see {@link Settler};
 *   <li>{@code leat-worker-timer}: interrupts handlers at their time limit, watches for a heartbeat that hangs, and ends windows of the log;
 *   <li>{@code leat-worker}, with {@code keepAlive} only: waits for the stop, because all other threads are daemons;
 *   <li>{@code leat-worker-stop}: runs a stop, in the reverse order of the start.
 * </ul>
 *
 * <p>The state is guarded by this object; buffer, feeder and settler have locks of their own.
 */
final class WorkerRuntime implements Worker, Heartbeat.Listener, Execution.Slots {
    private static final Logger log = LoggerFactory.getLogger(WorkerRuntime.class);
    /** Time for the last outcomes, on top of the timeout of the stop. */
    private static final Duration LAST_WRITES = Duration.ofSeconds(5);

    private final WorkerHost host;
    private final WorkerSpec spec;
    private final Feeder feeder;
    private final Buffer buffer;
    private final Settler settler;
    private final TaskRunner runner;
    private final Failures failures;
    private final ScheduledThreadPoolExecutor timer;
    private final LongAdder slowCycles = new LongAdder();
    private final CompletableFuture<StopReport> stopped = new CompletableFuture<>();
    private @Nullable Registration pauses;
    private State state = State.NEW;

    WorkerRuntime(WorkerHost host, WorkerSpec spec) {
        this.host = host;
        this.spec = spec;
        PriorityLimits limits = spec.limits().orElse(null);
        this.feeder = new Feeder(
                host,
                spec.queues(),
                wake -> new Buffer(spec.queues(), spec.processors(), limits, wake),
                this::giveBack);
        this.buffer = feeder.buffer();
        this.settler = new Settler(host.leat());
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "leat-worker-timer");
            thread.setDaemon(true);
            return thread;
        });
        this.timer.setRemoveOnCancelPolicy(true);
        LogContext logContext = new LogContext();
        this.failures = new Failures(spec.failureListeners(), logContext, this::later);
        this.runner = new TaskRunner(host, spec.middleware(), settler, failures, logContext, timer, this);
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
        host.workers().add(this); // before isClosing is read: a close that begins later finds this worker and stops it
        if (host.isClosing().getAsBoolean()) {
            var unused = stopAsync(Duration.ZERO);
            throw new ClosedException("This Leat");
        }
        if (!move(State.NEW, State.RUNNING)) {
            throw new InvalidRequestException("worker", "can be started once, and is " + state());
        }
        host.heartbeat().listen(this);
        pauses = host.leat().storage().signal().listen(this::onNotice);
        long watchNanos = host.heartbeat().watchEvery().toNanos();
        var unused =
                timer.scheduleWithFixedDelay(host.heartbeat()::watch, watchNanos, watchNanos, TimeUnit.NANOSECONDS);
        settler.start();
        feeder.start();
        startProcessors();
        if (spec.keepAlive()) {
            keepJvmAlive();
        }
    }

    /** All other threads are daemons, which do not keep the JVM alive when {@code main} returns. */
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
            spec.threads().newThread(() -> process(number)).start();
        }
    }

    @Override
    public CompletableFuture<StopReport> stopAsync(Duration timeout) {
        if (move(State.NEW, State.STOPPED)) {
            host.workers().remove(this);
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
            return true; // stop() throws the error
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
        host.workers().remove(this);
    }

    private StopReport stopAll(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        // A handler inside awaiting(…) may wait for tasks of this worker, so the worker starts tasks meanwhile. It
        // does so for half of the time only: the other handlers need the rest to end.
        List<TakenTask> unstarted = new ArrayList<>(buffer.drain());
        giveBack(unstarted);
        buffer.awaitIdle(nanos / 2);
        feeder.close();
        List<TakenTask> rest = buffer.close();
        giveBack(rest);
        unstarted.addAll(rest);
        List<Long> abandoned = List.of();
        if (!buffer.awaitProcessors(Math.max(0, deadline - System.nanoTime()))) {
            abandoned = runner.abandonAll();
        }
        if (!settler.finish(LAST_WRITES.toNanos())) {
            log.warn("Some outcomes could not be written before the stop; writing goes on in the background until the"
                    + " storage is back");
        }
        timer.shutdownNow();
        failures.close();
        host.heartbeat().unlisten(this);
        if (pauses != null) {
            pauses.close();
        }
        return new StopReport(unstarted.stream().map(TakenTask::id).toList(), abandoned);
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
            if (spec.queues().stream().noneMatch(q -> q.name.equals(queue))) {
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
        spec.queues().forEach(queue -> byQueue.put(queue.name, queue.work()));
        return new WorkerStats(
                load.limit(), load.running(), load.buffered(), settler.fenced(), slowCycles.sum(), Map.copyOf(byQueue));
    }

    @Override
    public boolean lend() {
        boolean isLent = buffer.lendSlot();
        if (isLent) {
            startProcessors();
        }
        return isLent;
    }

    @Override
    public void takeBack() {
        buffer.takeSlotBack();
    }

    private void giveBack(List<TakenTask> tasks) {
        tasks.forEach(task -> settler.addAndWake(Settle.giveBack(task.lease())));
    }

    // Notices and heartbeat

    private void onNotice(Notice notice) {
        if (notice instanceof Notice.Paused paused) {
            feeder.pause(paused.queue());
        }
    }

    @Override
    public void cancelRequested(List<Lease> leases) {
        giveBack(buffer.remove(leases));
        for (Lease lease : leases) {
            runner.interrupt(lease, Execution.Interruption.CANCEL);
        }
    }

    @Override
    public void outage() {
        giveBack(buffer.suspend());
        runner.interruptAll(Execution.Interruption.OUTAGE);
    }

    @Override
    public void recovered() {
        buffer.resume();
    }

    @Override
    public void leasesLost() {
        giveBack(buffer.removeAll());
        runner.interruptAll(Execution.Interruption.OUTAGE);
    }

    // Processors

    private void process(int number) {
        Buffer.Round round = new Buffer.Round(number % spec.queues().size());
        for (Buffer.Work work = nextWork(number, round); work != null; work = nextWork(number, round)) {
            long started = System.nanoTime();
            try {
                runner.run(work);
            } catch (RuntimeException | Error e) {
                log.error("A processor failed outside of a handler; its tasks are given back", e);
                giveBack(work.tasks());
            }
            long nanos = System.nanoTime() - started;
            work.queue().busyNanos.add(nanos);
            if (nanos > spec.slowCycle().toNanos()) {
                slowCycles.increment();
            }
            buffer.done(work.queue(), work.tasks().size(), nanos);
        }
    }

    /** Returns the processor's next work; before the processor waits, it writes the gathered outcomes. */
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
}
