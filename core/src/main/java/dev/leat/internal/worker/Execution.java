package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.worker.RunningTask;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One task while its handler runs on a processor's thread; others may interrupt it, but only while it does. */
final class Execution implements RunningTask {
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
    private final Places places;
    private @Nullable Thread thread;
    private @Nullable Interruption interruption;
    private volatile boolean settled;
    private volatile boolean cancelRequested;
    private volatile Optional<Instant> leaseUntil;
    private volatile long deadline;

    /** Lends the place of a handler that waits to another task. */
    interface Places {
        void lend();

        void takeBack();
    }

    Execution(TakenTask taken, Leat leat, ServedQueue queue, Places places) {
        this.taken = taken;
        this.leat = leat;
        this.queue = queue;
        this.places = places;
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

    /** The handler begins on this thread. */
    synchronized void begin() {
        thread = Thread.currentThread();
    }

    /** The handler has ended; a late interrupt no longer reaches its thread. Answers why it was interrupted, if it was. */
    synchronized @Nullable Interruption end() {
        thread = null;
        if (interruption != null) {
            boolean pending = Thread.interrupted();
            log.debug("task {} was interrupted: {}{}", id(), interruption, pending ? ", unnoticed" : "");
        }
        return interruption;
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
        queue.processed.increment();
        return settle(new Settle.Ack(lease(), message, Optional.empty()));
    }

    @Override
    public SettleResult ackWith(Object result) {
        queue.processed.increment();
        return settle(new Settle.Ack(lease(), "", Optional.of(leat.encode(result))));
    }

    @Override
    public SettleResult fail(String message, int code) {
        queue.errors.increment();
        queue.lastError = message;
        return settle(new Settle.Fail(lease(), message, code));
    }

    @Override
    public SettleResult retry(When due, String message) {
        queue.retried.increment();
        return settle(Settle.retry(lease(), due, message));
    }

    @Override
    public SettleResult release(Duration delay) {
        queue.retried.increment();
        return settle(Settle.release(lease(), delay));
    }

    @Override
    public SettleResult bury(String message) {
        queue.errors.increment();
        queue.lastError = message;
        return settle(Settle.bury(lease(), message));
    }

    private SettleResult settle(Settle settle) {
        SettleResult result = leat.settle(settle);
        settled = true;
        return result;
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
    public <T> T awaiting(Callable<T> wait) throws Exception {
        places.lend();
        try {
            return wait.call();
        } finally {
            places.takeBack();
        }
    }
}
