package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.error.StorageException;
import dev.leat.internal.HandlerThread;
import dev.leat.storage.HandlerTransaction;
import dev.leat.worker.BatchHandler;
import dev.leat.worker.Middleware;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs handlers and passes the outcomes of their tasks to the settler.
 *
 * <p>{@link #run} belongs to the processors: a handler runs on the thread of its processor. All other methods come from other threads, and
 * reach a handler only by an interrupt while it runs. The worker's timer interrupts handlers at their time limit.
 */
final class TaskRunner {
    private static final Logger log = LoggerFactory.getLogger(TaskRunner.class);

    private final Leat leat;
    private final TransactionEnd transactionEnd;
    private final List<Middleware> middleware;
    private final Settler settler;
    private final Failures failures;
    private final LogContext logContext;
    private final ScheduledExecutorService timer;
    private final Execution.Slots slots;
    private final Map<Lease, Execution> running = new ConcurrentHashMap<>();

    TaskRunner(
            WorkerHost host,
            List<Middleware> middleware,
            Settler settler,
            Failures failures,
            LogContext logContext,
            ScheduledExecutorService timer,
            Execution.Slots slots) {
        this.leat = host.leat();
        this.transactionEnd = host.transactionEnd();
        this.middleware = middleware;
        this.settler = settler;
        this.failures = failures;
        this.logContext = logContext;
        this.timer = timer;
        this.slots = slots;
    }

    /** Interrupts the handler of this delivery, if it runs. */
    void interrupt(Lease lease, Execution.Interruption reason) {
        Execution execution = running.get(lease);
        if (execution != null) {
            execution.interrupt(reason);
        }
    }

    void interruptAll(Execution.Interruption reason) {
        running.values().forEach(execution -> execution.interrupt(reason));
    }

    /** Interrupts all running handlers at the end of a stop and releases their tasks; returns the ids of these tasks. */
    List<Long> abandonAll() {
        List<Long> abandoned = new ArrayList<>();
        for (Execution execution : running.values()) {
            if (execution.abandon()) {
                settler.addAtOnce(Settle.release(execution.lease()));
                abandoned.add(execution.id());
            }
        }
        return abandoned;
    }

    /** Runs the work on this thread. */
    void run(Buffer.Work work) {
        ServedQueue queue = work.queue();
        QueueHandlers.TypedBatch<?> batch = queue.handlers.batch();
        if (batch != null) {
            runBatch(work, batch);
        } else {
            TakenTask task = work.tasks().get(0);
            if (!isLeftToOthers(task, queue)) {
                runSingle(task, queue);
            }
        }
    }

    /** Whether other workers are to run the task, which is given back then. */
    private boolean isLeftToOthers(TakenTask task, ServedQueue queue) {
        try {
            if (!queue.isForOthers(task.task())) {
                return false;
            }
            settler.add(task.task(), queue.unhandled.giveBack(task));
        } catch (StorageException e) {
            // The predicate of leave(…) could not read what it needs: it is called again when the task comes again.
            settler.add(task.task(), queue.unhandled.giveBack(task));
        } catch (RuntimeException e) {
            failed(execution(task, queue, null), Settle.fail(task.lease(), e), e);
        }
        return true;
    }

    private Execution execution(TakenTask task, ServedQueue queue, @Nullable HandlerTransaction transaction) {
        return new Execution(task, leat, queue, slots, failures, transaction);
    }

    private void runSingle(TakenTask task, ServedQueue queue) {
        QueueHandlers.Typed<?> handler = queue.handlers.choose(task.task()).orElse(null);
        if (handler == null) {
            String message = "No handler for " + describeType(task.task()) + " in this worker";
            failed(execution(task, queue, null), Settle.fail(task.lease(), message), null);
        } else if (handler.inTransaction()) {
            try (HandlerTransaction transaction = leat.storage().begin()) {
                runSingle(execution(task, queue, transaction), handler);
            }
        } else {
            runSingle(execution(task, queue, null), handler);
        }
    }

    private void runSingle(Execution execution, QueueHandlers.Typed<?> handler) {
        runTogether(List.of(execution), wrapped(execution, () -> call(handler, execution)));
    }

    private static String describeType(Task task) {
        if (task.subscriber().isPresent()) {
            return "subscription '" + task.subscriber().get() + "' in queue '" + task.queue() + "'";
        }
        return (task.type().isPresent() ? "type '" + task.type().get() + "'" : "tasks without a type") + " of queue '"
                + task.queue() + "'";
    }

    private <T> void call(QueueHandlers.Typed<T> handler, Execution execution) throws Exception {
        T payload = leat.decode(execution.taken().payload(), handler.type());
        handler.handler().handle(payload, execution);
    }

    private <T> void runBatch(Buffer.Work work, QueueHandlers.TypedBatch<T> batch) {
        List<BatchHandler.Item<T>> items = new ArrayList<>();
        List<Execution> executions = new ArrayList<>();
        for (TakenTask task : work.tasks()) {
            if (isLeftToOthers(task, work.queue())) {
                continue;
            }
            if (!work.queue().handlers.isForBatch(task.task())) {
                runSingle(task, work.queue());
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

    /** Runs one handler for these executions, and settles those that the handler did not settle. */
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
        boolean isInterrupted = interruptions.stream().anyMatch(Objects::nonNull);
        for (int i = 0; i < executions.size(); i++) {
            Execution execution = executions.get(i);
            Execution.Interruption interruption = interruptions.get(i);
            if (!execution.isSettled()) {
                // The other tasks of an interrupted batch are not charged.
                boolean isUncharged = isInterrupted && interruption == null;
                settle(execution, failure, isUncharged ? Execution.Interruption.OUTAGE : interruption);
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
            watchTimeLimit(execution);
        }
    }

    /** Interrupts the handler at its time limit; a touch may have moved the limit since the last call. */
    private void watchTimeLimit(Execution execution) {
        long left = execution.nanosLeft();
        if (left > 0) {
            execution.timeLimit(timer.schedule(() -> watchTimeLimit(execution), left, TimeUnit.NANOSECONDS));
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
            return; // the stop has released the task
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
            // Closes the transaction first: on SQLite it keeps the settler from writing.
            transaction.close();
            unsuccessful(execution, reason, why == Execution.Interruption.OUTAGE || transaction.isBlameless(reason));
        }
    }

    /** Returns the error of the commit, or null. */
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

    private void unsuccessful(Execution execution, Throwable failure, boolean isUncharged) {
        Settle.Fail fail = Settle.fail(execution.lease(), failure);
        if (isUncharged) {
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
            settler.writeSoon(); // before the listeners run, which may be slow
        }
        failures.report(execution, fail, error);
    }
}
