package dev.leat.sql.internal;

import dev.leat.storage.Notice;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that looks whether other processes have changed the database, for as long as somebody wants to know:
 * every millisecond while they do, up to every {@value #LONGEST_MILLIS} ms while they do not. Stopped by {@link #close}.
 *
 * <p>Looks that take longer than that are made for a tenth of the time only, but every half second. On PostgreSQL one took 50 to
 * 100 ms behind 300,000 tasks that were gone, but not for somebody's old snapshot.
 */
final class Watcher implements Neighbours {
    private static final Logger log = LoggerFactory.getLogger(Watcher.class);
    private static final long SHORTEST_MILLIS = 1;
    private static final long LONGEST_MILLIS = 50;
    private static final long PAUSE_PER_SLOW_LOOK = 10;
    private static final long LONGEST_AFTER_SLOW_MILLIS = 500;
    private static final long AFTER_ERROR_MILLIS = 1_000;
    private static final long STOP_MILLIS = 5_000;

    private final BooleanSupplier look;
    private final BooleanSupplier wanted;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private boolean closed;

    /**
     * @param look looks once, and answers whether there was a change
     * @param wanted whether anybody wants to know
     */
    Watcher(BooleanSupplier look, BooleanSupplier wanted) {
        this.look = look;
        this.wanted = wanted;
    }

    /** Starts watching, unless it does already. */
    @Override
    public void listen() {
        lock.lock();
        try {
            if (thread == null && !closed) {
                thread = new Thread(this::run, "leat-watcher");
                thread.setDaemon(true);
                thread.start();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void tell(Notice notice) {
        // they watch too
    }

    @Override
    public void tellFresh(String queue, int priority, long id) {
        // they watch too
    }

    @Override
    public void tellFresh(Tx transaction, String queue, int priority, long id) {
        // they watch too
    }

    @Override
    public void tellTimer(Tx transaction, String queue) {
        // they watch too
    }

    private void run() {
        long pause = SHORTEST_MILLIS;
        long lastTook = 0;
        boolean failing = false;
        while (sleep(pause)) {
            try {
                long began = System.nanoTime();
                pause = look.getAsBoolean() ? SHORTEST_MILLIS : Math.min(LONGEST_MILLIS, 2 * pause);
                long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                pause = Math.max(pause, pauseAfterSlow(Math.min(took, lastTook)));
                lastTook = took;
                failing = false;
            } catch (RuntimeException e) {
                if (!failing) {
                    log.warn("Cannot see what other processes do, and keeps trying: {}", e.toString());
                }
                failing = true;
                pause = AFTER_ERROR_MILLIS;
            }
        }
    }

    /** @param millis what each of two looks took: a single one may have waited for something else, such as a connection */
    private static long pauseAfterSlow(long millis) {
        return millis <= LONGEST_MILLIS ? 0 : Math.min(LONGEST_AFTER_SLOW_MILLIS, PAUSE_PER_SLOW_LOOK * millis);
    }

    /** Sleeps at least until somebody wants to know; answers false when closed. */
    private boolean sleep(long millis) {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            while (!closed && !wanted.getAsBoolean()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            log.debug("interrupted, which does not end a watcher");
        } finally {
            lock.unlock();
        }
        return !closed;
    }

    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            running = thread;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            if (running != null && running != Thread.currentThread()) {
                running.join(STOP_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
