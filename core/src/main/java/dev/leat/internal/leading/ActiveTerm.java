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
 * A term of this process: the lock it holds, until when it may believe so, and the threads that work meanwhile. Safe from any thread.
 *
 * <p>Until when is counted by this process's own clock, from before the lock was asked for: it is over here before it is over for others,
 * also for a process that was stopped and goes on.
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

    /** The lock was renewed: the term goes on until {@code nanos} of {@link System#nanoTime}, unless it was over before that was known. */
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

    /** Lets a thread work for the term, unless that is over already; it says when it has ended. */
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

    /** Ends it, and asks the work to end; answers false if that was done before. */
    synchronized boolean end() {
        if (over.getCount() == 0) {
            return false;
        }
        over.countDown();
        threads.forEach(Thread::interrupt);
        return true;
    }

    /** Waits for {@code pause}, or until the end. */
    void rest(Duration pause) throws InterruptedException {
        over.await(Loop.clampedNanos(pause), TimeUnit.NANOSECONDS);
    }

    boolean isAnybodyAtWork() {
        return atWork.get() > 0;
    }

    /** Waits for the threads that work, but not for the one that asks. */
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
