package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.internal.HandlerThread;
import dev.leat.storage.HandlerTransaction;
import dev.leat.worker.RunningTask;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One task while its handler runs on a processor's thread; others may interrupt it, but only while it does. */
final class Execution implements RunningTask, HandlerThread.Slot {
    /** Why a handler is interrupted. */
    enum Interruption {
        TIME_LIMIT,
        CANCEL,
        OUTAGE,
        STOP
    }

    private static final Logger log = LoggerFactory.getLogger(Execution.class);

    private final TakenTask taken;
    private final Leat leat;
    private final ServedQueue queue;
    private final Slots slots;
    private final Failures failures;
    private final @Nullable HandlerTransaction transaction;
    private @Nullable Outcome chosen;
    private @Nullable Thread thread;
    private @Nullable Interruption interruption;
    private @Nullable Future<?> timeLimit;
    private boolean abandoned;
    private volatile boolean settled;
    private volatile boolean awaiting;
    private volatile boolean cancelRequested;
    private volatile Optional<Instant> leaseUntil;
    private volatile long deadline;

    /** Lends the place of a handler that waits to another task. */
    interface Slots {
        /** False when so many are lent that the handler keeps its own. */
        boolean lend();

        void takeBack();
    }

    /**
     * How a handler wants its task to end, once its transaction is committed; counted as {@code counter} says.
     *
     * @param error the exception that the handler failed the task with, if it did
     */
    record Outcome(
            Settle settle, LongAdder counter, @Nullable Throwable error) {
        Outcome(Settle settle, LongAdder counter) {
            this(settle, counter, null);
        }
    }

    /** @param transaction that the handler works in, if it does in one */
    Execution(
            TakenTask taken,
            Leat leat,
            ServedQueue queue,
            Slots slots,
            Failures failures,
            @Nullable HandlerTransaction transaction) {
        this.taken = taken;
        this.leat = leat;
        this.queue = queue;
        this.slots = slots;
        this.failures = failures;
        this.transaction = transaction;
        this.leaseUntil = taken.leaseUntil();
        this.deadline =
                System.nanoTime() + taken.task().ttr().orElse(Duration.ZERO).toNanos();
    }

    TakenTask taken() {
        return taken;
    }

    ServedQueue queue() {
        return queue;
    }

    /** How long until the time limit, counted from here and not by the storage's clock, which may differ. */
    long nanosLeft() {
        return deadline - System.nanoTime();
    }

    boolean isSettled() {
        return settled;
    }

    @Nullable
    HandlerTransaction transaction() {
        return transaction;
    }

    Connection connection() {
        if (transaction == null) {
            throw new IllegalStateException("task " + id() + " is not handled in a transaction");
        }
        return transaction.connection();
    }

    /** The outcome to commit with the transaction: what the handler chose, or an acknowledgement. */
    synchronized Outcome outcome() {
        return chosen != null ? chosen : new Outcome(Settle.ack(lease()), queue.processed);
    }

    /** Whether the handler has settled, or will with its transaction. */
    synchronized boolean hasOutcome() {
        return settled || chosen != null;
    }

    /** The handler begins on this thread. */
    synchronized void begin() {
        thread = Thread.currentThread();
    }

    /** The handler has ended; an interrupt no longer reaches its thread. Answers why it was interrupted, if it was. */
    synchronized @Nullable Interruption end() {
        thread = null;
        // Whoever set the flag, it was meant for this handler and not for the next one on the thread.
        boolean unnoticed = Thread.interrupted();
        if (interruption != null) {
            log.debug("task {} was interrupted: {}{}", id(), interruption, unnoticed ? ", unnoticed" : "");
        }
        if (timeLimit != null) {
            timeLimit.cancel(false);
        }
        return interruption;
    }

    /** What watches the time limit, to be canceled when the handler has ended. */
    synchronized void timeLimit(Future<?> watch) {
        timeLimit = watch;
        if (thread == null) {
            watch.cancel(false);
        }
    }

    /** Interrupts the handler if it runs; false when it has ended or was interrupted before. */
    synchronized boolean interrupt(Interruption reason) {
        if (reason == Interruption.CANCEL) {
            cancelRequested = true;
        }
        if (thread == null || interruption != null) {
            return false;
        }
        interruption = reason;
        thread.interrupt();
        return true;
    }

    /** Gives the running handler up at the end of a stop; false when it has ended, or the task was settled. */
    synchronized boolean abandon() {
        if (thread == null || settled) {
            return false;
        }
        interruption = interruption == null ? Interruption.STOP : interruption;
        abandoned = true;
        thread.interrupt();
        return true;
    }

    /** Whether it was interrupted at its time limit, at which the storage takes the lease away. */
    synchronized boolean isOverTimeLimit() {
        return interruption == Interruption.TIME_LIMIT;
    }

    synchronized boolean isAbandoned() {
        return abandoned;
    }

    @Override
    public Task task() {
        return taken.task();
    }

    @Override
    public Lease lease() {
        return taken.lease();
    }

    @Override
    public Leat leat() {
        return leat;
    }

    @Override
    public Optional<Instant> leaseUntil() {
        return leaseUntil;
    }

    @Override
    public boolean cancelRequested() {
        return cancelRequested;
    }

    @Override
    public SettleResult ack(String message) {
        return settle(new Settle.Ack(lease(), message, Optional.empty()), queue.processed);
    }

    @Override
    public SettleResult ackWith(Object result) {
        return settle(new Settle.Ack(lease(), "", Optional.of(leat.encode(result))), queue.processed);
    }

    @Override
    public SettleResult fail(String message, int code) {
        return settle(new Settle.Fail(lease(), message, code), queue.errors);
    }

    @Override
    public SettleResult fail(Throwable failure) {
        return settle(new Outcome(Settle.fail(lease(), failure), queue.errors, failure));
    }

    @Override
    public SettleResult retry(When due, String message) {
        return settle(Settle.retry(lease(), due, message), queue.retried);
    }

    @Override
    public SettleResult release(Duration delay) {
        return settle(Settle.release(lease(), delay), queue.retried);
    }

    @Override
    public SettleResult bury(String message) {
        return settle(Settle.bury(lease(), message), queue.errors);
    }

    @Override
    public SettleResult cancel(String reason) {
        return settle(Settle.cancel(lease(), reason), queue.processed);
    }

    private SettleResult settle(Settle settle, LongAdder counter) {
        return settle(new Outcome(settle, counter));
    }

    private SettleResult settle(Outcome outcome) {
        if (transaction != null) {
            return choose(outcome);
        }
        SettleResult result = leat.settle(outcome.settle());
        settled = true;
        if (result.status() == SettleResult.Status.DONE) {
            accepted(outcome);
        }
        return result;
    }

    /** The outcome that the handler chose was written. */
    void accepted(Outcome outcome) {
        outcome.counter().increment();
        Settle settle = outcome.settle();
        boolean isError = settle instanceof Settle.Fail || settle instanceof Settle.Bury;
        if (isError) {
            queue.lastError = settle.message();
        }
        if (isError || settle instanceof Settle.Retry) {
            failures.report(this, settle, outcome.error());
        }
    }

    private synchronized SettleResult choose(Outcome outcome) {
        if (chosen != null) {
            return SettleResult.gone();
        }
        chosen = outcome;
        return SettleResult.pending(queue.name);
    }

    @Override
    public Touch.Result touch(Duration by) {
        Touch.Result result = leat.touch(lease(), by);
        if (result.status() == Touch.Result.Status.EXTENDED) {
            leaseUntil = result.leaseUntil();
            extend(by);
        }
        return result;
    }

    private synchronized void extend(Duration by) {
        deadline = deadline + by.toNanos();
    }

    @Override
    public boolean chunk(int number) {
        return leat.outcomes().reportChunk(lease(), number);
    }

    @Override
    public <T> T awaiting(Callable<T> wait) throws Exception {
        return HandlerThread.lendSlotDuring(wait::call); // that of its thread: the tasks of a batch have one together
    }

    @Override
    public boolean lend() {
        if (awaiting || !slots.lend()) {
            return false;
        }
        awaiting = true;
        return true;
    }

    @Override
    public void takeBack() {
        awaiting = false;
        slots.takeBack();
    }
}
