package dev.leat.internal.waiting;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that runs a step, sleeps as long as the step says, and can be woken or stopped at any moment.
 *
 * <p>A step that throws is logged once per streak of errors and tried again with growing pauses, so an outage of the
 * storage costs neither the thread nor the log.
 */
public final class Loop implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    /** One round of work. */
    public interface Step {
        /** Works, and answers how long nothing is to do unless somebody wakes the loop. */
        Duration run() throws InterruptedException;
    }

    private final String name;
    private final Step step;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean woken;
    private boolean stopped;
    private int errorsInARow;

    public Loop(String name, Step step) {
        this.name = name;
        this.step = step;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    public Loop start() {
        thread.start();
        return this;
    }

    /** Makes the loop run its step soon, even if it is sleeping. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (sleep(runStep())) {
                // sleep tells when to end
            }
        } catch (InterruptedException e) {
            log.debug("{} was interrupted and ends", name);
        }
    }

    private Duration runStep() throws InterruptedException {
        try {
            Duration pause = step.run();
            if (errorsInARow > 0) {
                log.info("{} works again after {} errors", name, errorsInARow);
            }
            errorsInARow = 0;
            return pause;
        } catch (RuntimeException e) {
            errorsInARow++;
            if (errorsInARow == 1) {
                log.warn("{} failed and tries again until it works: {}", name, e.toString(), e);
            }
            return Backoffs.after(errorsInARow);
        }
    }

    private boolean sleep(Duration pause) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = nanos(pause);
            // While errors last, being woken does not cut the pause short: the storage needs the rest.
            while ((!woken || errorsInARow > 0) && !stopped && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            woken = false;
            return !stopped;
        } finally {
            lock.unlock();
        }
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofDays(365)) > 0 ? Long.MAX_VALUE / 2 : duration.toNanos();
    }

    /** Stops after the step that runs now; waits a few seconds for it. */
    @Override
    public void close() {
        lock.lock();
        try {
            stopped = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        if (Thread.currentThread() == thread || !thread.isAlive()) {
            return;
        }
        try {
            thread.join(STOP_TIMEOUT.toMillis());
            if (thread.isAlive()) {
                thread.interrupt();
                log.warn("{} did not end within {} s and was interrupted", name, STOP_TIMEOUT.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static Duration ofNanos(long nanos) {
        return Duration.of(Math.max(0, nanos), TimeUnit.NANOSECONDS.toChronoUnit());
    }
}
