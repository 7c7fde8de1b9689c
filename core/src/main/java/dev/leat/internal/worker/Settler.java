package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.Task;
import dev.leat.error.ClosedException;
import dev.leat.error.LeatException;
import dev.leat.error.StorageException;
import dev.leat.internal.waiting.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes settles in batches: while one batch is written, the next one gathers. A processor without work writes the batch itself
 * ({@link #writeNow}), which saves a change of threads. While all processors are busy, the thread {@code leat-settler} writes once a millisecond.
 *
 * <p>When the storage fails, the batch is kept and written again; the storage recognises a repeated settle. A settle that the storage refuses is
 * dropped with an error in the log, and the others are written. Processors wait when 10,000 settles are unwritten. After {@link #finish} the
 * thread writes the rest and ends; later settles are written on the thread of their caller.
 */
final class Settler {
    private static final Logger log = LoggerFactory.getLogger(Settler.class);
    private static final Duration FOR_EVER = Duration.ofDays(365);
    /** Processors wait while this many settles are unwritten. */
    private static final int MOST_UNWRITTEN = 10_000;
    /** How long settles gather while all processors are busy. */
    private static final Duration GATHER_TIME = Duration.ofMillis(1);

    private final Leat leat;
    private final Loop loop;
    private final LongAdder fenced = new LongAdder();
    /** Held by the writing thread; guards the batch in writing. */
    private final ReentrantLock writer = new ReentrantLock();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private List<Settle> gathered = new ArrayList<>();
    private List<Settle> writing = List.of();
    private boolean keysGathered;
    /** Whether a batch was begun since the thread last slept. */
    private boolean wrote;
    /** Whether the thread is awake or about to wake up. */
    private boolean woken;

    private boolean finishing;
    private boolean ended;

    Settler(Leat leat) {
        this.leat = leat;
        this.loop = new Loop("leat-settler", this::write);
    }

    void start() {
        loop.start();
    }

    /**
     * Adds a handler's settle; waits while too many are unwritten. The caller then calls {@link #writeNow} or {@link #writeSoon}.
     */
    void add(Task task, Settle settle) {
        lock.lock();
        try {
            while (gathered.size() >= MOST_UNWRITTEN && !finishing) {
                wakeWriter();
                changed.awaitUninterruptibly();
            }
            keysGathered |= task.key().isPresent();
            if (!ended) {
                gathered.add(settle);
                return;
            }
        } finally {
            lock.unlock();
        }
        writeLate(settle);
    }

    /** Adds a settle, such as a give-back, and wakes the thread to write it. */
    void addAndWake(Settle settle) {
        lock.lock();
        try {
            if (!ended) {
                gathered.add(settle);
                wakeWriter();
                return;
            }
        } finally {
            lock.unlock();
        }
        writeLate(settle);
    }

    private void wakeWriter() {
        if (!woken) {
            woken = true;
            loop.wake();
        }
    }

    /** Whether the gathered settles free keys. */
    boolean freesKeys() {
        lock.lock();
        try {
            return keysGathered;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the settler's thread to write the gathered settles. */
    void writeSoon() {
        lock.lock();
        try {
            if (!gathered.isEmpty()) {
                wakeWriter();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes the gathered settles on the caller's thread, unless another thread is writing. */
    void writeNow() {
        if (!writer.tryLock()) {
            writeSoon();
            return;
        }
        try {
            writeAll();
        } catch (RuntimeException e) {
            tryAgain();
        } finally {
            writer.unlock();
        }
    }

    /** Wakes the settler's thread to write the failed batch, with pauses, even if no further settles come. */
    private void tryAgain() {
        lock.lock();
        try {
            wakeWriter();
        } finally {
            lock.unlock();
        }
    }

    private void writeLate(Settle settle) {
        try {
            leat.settle(settle);
        } catch (LeatException e) {
            log.warn(
                    "The outcome of task {} came after the stop and is lost; it runs again",
                    settle.lease().taskId(),
                    e);
        }
    }

    private Duration write() {
        writer.lock();
        try {
            writeAll();
        } finally {
            writer.unlock();
        }
        endIfFinished();
        return rest();
    }

    /** Sleeps 1 ms after a batch, because the next one is likely; no caller has to wake the thread for it. */
    private Duration rest() {
        lock.lock();
        try {
            woken = wrote || !gathered.isEmpty();
            wrote = false;
            return woken ? GATHER_TIME : FOR_EVER;
        } finally {
            lock.unlock();
        }
    }

    private void writeAll() {
        while (collect()) {
            try {
                count(leat.settle(writing));
            } catch (StorageException e) {
                throw e;
            } catch (ClosedException e) {
                log.debug("{} outcomes were not written before the Leat closed; their tasks run again", writing.size());
            } catch (RuntimeException e) {
                writeOneByOne();
            }
            finishBatch();
        }
    }

    private void count(List<SettleResult> results) {
        for (int i = 0; i < results.size(); i++) {
            if (!results.get(i).accepted()) {
                countFenced(writing.get(i).lease());
            }
        }
    }

    /** Counts a settle whose lease was lost. */
    void countFenced(Lease lease) {
        fenced.increment();
        log.debug("The lease of task {} was lost before it was settled", lease.taskId());
    }

    /** Writes each settle by itself after the storage has refused one of the batch. */
    private void writeOneByOne() {
        for (Settle settle : writing) {
            try {
                if (!leat.settle(settle).accepted()) {
                    fenced.increment();
                }
            } catch (StorageException e) {
                throw e;
            } catch (RuntimeException e) {
                log.error(
                        "The outcome of task {} was refused and is dropped",
                        settle.lease().taskId(),
                        e);
            }
        }
    }

    /** Makes a batch of the gathered settles, unless the last batch is still unwritten; false when there is nothing to write. */
    private boolean collect() {
        lock.lock();
        try {
            if (writing.isEmpty()) {
                wrote |= !gathered.isEmpty();
                writing = gathered;
                gathered = new ArrayList<>();
                keysGathered = false;
                changed.signalAll();
            }
            return !writing.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void finishBatch() {
        lock.lock();
        try {
            writing = List.of();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void endIfFinished() {
        lock.lock();
        try {
            if (finishing && gathered.isEmpty() && writing.isEmpty()) {
                ended = true;
                changed.signalAll();
                loop.stopSoon();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The number of settles whose lease was lost. */
    long fenced() {
        return fenced.sum();
    }

    /** Writes the rest and ends; false if it takes longer than {@code nanos} and goes on in the background. */
    boolean finish(long nanos) throws InterruptedException {
        lock.lock();
        try {
            finishing = true;
            changed.signalAll();
            loop.wake();
            long left = nanos;
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
            return ended;
        } finally {
            lock.unlock();
        }
    }
}
