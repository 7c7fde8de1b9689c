package dev.leat.internal.leading;

import dev.leat.Leadership;
import dev.leat.internal.waiting.Loop;
import dev.leat.storage.Lock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A term of this process: its lock, its deadline, and the threads of its work. Thread-safe.
 *
 * <p>The deadline counts from before the request for the lock, by the clock of this process. So the term ends here before another process can get
 * the lock, even if this process was frozen.
 */
final class ActiveTerm implements Leadership.Term {
    final Lock.Held held;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final AtomicInteger atWork = new AtomicInteger();
    private volatile long deadline;

    ActiveTerm(Lock.Held held, long deadline) {
        this.held = held;
        this.deadline = deadline;
    }

    /** Extends the term to {@code nanos} of {@link System#nanoTime} after a renewal; false when the term was over before the answer came. */
    synchronized boolean extend(long nanos) {
        if (isOver()) {
            return false;
        }
        deadline = nanos;
        return true;
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    @Override
    public boolean isOver() {
        return over.getCount() == 0 || left().isZero();
    }

    /** Starts a thread for the term unless the term is over; the thread calls {@link #workEnded} at its end. */
    synchronized void work(Thread thread) {
        if (over.getCount() > 0) {
            atWork.incrementAndGet();
            threads.add(thread);
            thread.start();
        }
    }

    void workEnded() {
        atWork.decrementAndGet();
    }

    /** Ends the term and interrupts its work; false when it was ended before. */
    synchronized boolean end() {
        if (over.getCount() == 0) {
            return false;
        }
        over.countDown();
        threads.forEach(Thread::interrupt);
        return true;
    }

    /** Waits for {@code pause}, or until the end of the term. */
    void rest(Duration pause) throws InterruptedException {
        over.await(Loop.clampedNanos(pause), TimeUnit.NANOSECONDS);
    }

    boolean isWorkRunning() {
        return atWork.get() > 0;
    }

    /** Waits for all threads of the term except the calling one. */
    void awaitWork(Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            for (Thread thread : threads) {
                long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (thread != Thread.currentThread() && millis > 0) {
                    thread.join(millis);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
