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
    private static final Duration LONGEST = Duration.ofDays(36_525);

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

    boolean isThisThread() {
        return Thread.currentThread() == thread;
    }

    private void run() {
        boolean goOn = true;
        while (goOn) {
            try {
                goOn = sleep(runStep());
            } catch (InterruptedException e) {
                // Somebody else's interrupt, such as one left by a callback, must not end the loop; close says when to.
                log.debug("{} was interrupted", name);
            }
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
        } catch (RuntimeException | Error e) {
            errorsInARow++;
            if (errorsInARow == 1) {
                log.warn("{} failed and tries again until it works: {}", name, e.toString(), e);
            }
            return Backoffs.after(errorsInARow);
        }
    }

    private boolean sleep(Duration pause) throws InterruptedException {
        lock.lock();
        try {
            long nanos = clampedNanos(pause);
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

    /** The duration in nanoseconds, or about a hundred years where it is longer: that is for ever, to a waiting thread. */
    public static long clampedNanos(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    /** Stops after the step that runs now; waits a few seconds for it. */
    @Override
    public void close() {
        stopSoon();
        awaitEnd(STOP_TIMEOUT);
    }

    /** Stops without waiting for the step that runs now. */
    public void stopSoon() {
        lock.lock();
        try {
            stopped = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void awaitEnd(Duration timeout) {
        if (isThisThread() || !thread.isAlive()) {
            return;
        }
        try {
            thread.join(timeout.toMillis());
            if (thread.isAlive()) {
                // An interrupt could cost the answer of a storage call, and with it the leases it names.
                log.warn(
                        "{} still waits for the storage after {} s; it ends when that answers",
                        name,
                        timeout.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static Duration ofNanos(long nanos) {
        return Duration.of(Math.max(0, nanos), TimeUnit.NANOSECONDS.toChronoUnit());
    }
}
