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
 * Writes outcomes in natural batches: whoever is idle writes at once, and while one batch is on its way the next gathers.
 * A processor that has nothing else to do writes itself ({@link #writeNow}), which saves a hand-over; while all are busy,
 * the settler's own thread does it, once a millisecond.
 *
 * <p>When the storage fails, the batch is kept and written again; a settle that had arrived all the same is recognised
 * by the storage. A settle that the storage refuses for itself is dropped with an error in the log, and harms no other.
 * Processors wait when too many outcomes are unwritten. After {@link #finish} the thread goes on until everything is
 * written, then ends; what comes still later is written by whoever brings it.
 */
final class Settler {
    private static final Logger log = LoggerFactory.getLogger(Settler.class);
    private static final Duration FOR_EVER = Duration.ofDays(365);
    /** Beyond this many unwritten outcomes, a processor that brings another waits. */
    private static final int MOST_UNWRITTEN = 10_000;
    /** How long outcomes gather while all processors are busy. */
    private static final Duration GATHERED_FOR = Duration.ofMillis(1);

    private final Leat leat;
    private final Loop loop;
    private final LongAdder fenced = new LongAdder();
    /** Held by whoever writes; guards the batch in writing. */
    private final ReentrantLock writer = new ReentrantLock();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private List<Settle> gathered = new ArrayList<>();
    private List<Settle> writing = List.of();
    private boolean keysGathered;
    /** Whether a batch was begun since the thread's last rest. */
    private boolean wrote;
    /** Whether the thread comes by itself. */
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
     * Takes a handler's outcome; waits while too many are unwritten. Who brought it then calls {@link #writeNow} or
     * {@link #writeSoon}.
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

    /** Takes what no processor will write, such as tasks that are given back, from threads that have other things to do. */
    void addAtOnce(Settle settle) {
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

    /** Whether what gathered frees keys when it is written. */
    boolean freesKeys() {
        lock.lock();
        try {
            return keysGathered;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the settler's thread write what gathered. */
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

    /** Writes what gathered on the caller's thread, unless somebody writes already. */
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

    /** Lets the settler's thread write the batch that failed, with pauses, even if nothing gathers behind it. */
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

    /** After a batch the next one is likely, and gathers for a moment; nobody has to wake the thread for it. */
    private Duration rest() {
        lock.lock();
        try {
            woken = wrote || !gathered.isEmpty();
            wrote = false;
            return woken ? GATHERED_FOR : FOR_EVER;
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

    /** A settle came too late. */
    void countFenced(Lease lease) {
        fenced.increment();
        log.debug("The lease of task {} was lost before it was settled", lease.taskId());
    }

    /** Something in the batch is refused whatever the others are; it must not keep them from being written. */
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

    /** Makes a batch of what gathered, unless the last one is still unwritten; false when there is nothing to write. */
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

    /** Settles that came too late. */
    long fenced() {
        return fenced.sum();
    }

    /** Writes what is left and ends; false when that takes longer than {@code nanos}, and goes on in the background. */
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
