package dev.leat.internal.worker;

import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.SettleResult;
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
 * Writes outcomes in natural batches: an idle one writes at once, a busy one writes everything that gathered while the
 * last batch was on its way. One thread.
 *
 * <p>When the storage fails, the batch is kept and written again; a settle that had arrived all the same is recognised
 * by the storage. Processors wait when too many outcomes are unwritten.
 */
final class Settler implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Settler.class);
    private static final Duration FOR_EVER = Duration.ofDays(365);
    /** Beyond this many unwritten outcomes, whoever brings another waits. */
    private static final int MOST_UNWRITTEN = 10_000;

    private final Leat leat;
    private final Loop loop;
    private final LongAdder fenced = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private List<Settle> gathered = new ArrayList<>();
    private List<Settle> writing = List.of();

    Settler(Leat leat) {
        this.leat = leat;
        this.loop = new Loop("leat-settler", this::write);
    }

    void start() {
        loop.start();
    }

    void add(Settle settle) {
        boolean wasEmpty;
        lock.lock();
        try {
            while (gathered.size() >= MOST_UNWRITTEN) {
                changed.awaitUninterruptibly();
            }
            wasEmpty = gathered.isEmpty();
            gathered.add(settle);
        } finally {
            lock.unlock();
        }
        if (wasEmpty) {
            loop.wake();
        }
    }

    private Duration write() {
        while (collect()) {
            List<SettleResult> results = leat.settle(writing);
            for (int i = 0; i < results.size(); i++) {
                if (!results.get(i).accepted()) {
                    fenced.increment();
                    log.debug(
                            "The lease of task {} was lost before it was settled",
                            writing.get(i).lease().taskId());
                }
            }
            finishBatch();
        }
        return FOR_EVER;
    }

    /** Makes a batch of what gathered, unless the last one is still unwritten; false when there is nothing to write. */
    private boolean collect() {
        lock.lock();
        try {
            if (writing.isEmpty()) {
                writing = gathered;
                gathered = new ArrayList<>();
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

    /** Settles that came too late. */
    long fenced() {
        return fenced.sum();
    }

    /** Waits until everything is written; false when that takes longer than {@code nanos}. */
    boolean awaitWritten(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while ((!gathered.isEmpty() || !writing.isEmpty()) && left > 0) {
                left = changed.awaitNanos(left);
            }
            return gathered.isEmpty() && writing.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        loop.close();
    }
}
