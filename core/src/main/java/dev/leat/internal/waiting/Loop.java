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
 * <p>The loop logs the first error of a row of errors and repeats the step with growing pauses, so an outage of the storage neither ends the thread
 * nor fills the log.
 */
public final class Loop implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofDays(36_525);

    /** One round of work. */
    public interface Step {
        /** Works, and returns how long the loop may sleep. */
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
                // An interrupt, such as one that a callback left, must not end the loop; only close() does.
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
            // After an error, a wake-up does not shorten the pause, which relieves the storage.
            while ((!woken || errorsInARow > 0) && !stopped && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            woken = false;
            return !stopped;
        } finally {
            lock.unlock();
        }
    }

    /** The duration in nanoseconds, at most about a hundred years, which fit into a long. */
    public static long clampedNanos(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    /** Stops after the running step, and waits up to 5 seconds for it. */
    @Override
    public void close() {
        stopSoon();
        awaitEnd(STOP_TIMEOUT);
    }

    /** Stops after the running step, without waiting. */
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
                // No interrupt: it could lose the answer of a storage call, and the leases in it.
                log.warn(
                        "{} still waits for the storage after {} s; it ends when the storage answers",
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
