package dev.leat.sql.internal.peers;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the database for changes of other processes, on a daemon thread, while this process has listeners. The interval is 1
 * ms during changes and doubles up to {@value #LONGEST_MILLIS} ms without them. {@link #close} ends the thread.
 *
 * <p>With a {@link FileWatch}, the thread waits for a write once the interval is at its longest. The watch also reports this
 * process's own writes, so it stays off for 200 ms after each report. A reported write may commit a little later, so several
 * polls follow.
 *
 * <p>Polls that take longer than {@value #LONGEST_MILLIS} ms use a tenth of the time, at an interval of half a second at most.
 * On PostgreSQL, a poll took 50 to 100 ms behind 300,000 dead rows that an old snapshot kept.
 */
public final class Poller implements Peers.Source {
    private static final Logger log = LoggerFactory.getLogger(Poller.class);
    private static final long SHORTEST_MILLIS = 1;
    private static final long LONGEST_MILLIS = 50;
    private static final long PAUSE_PER_SLOW_POLL = 10;
    private static final long LONGEST_AFTER_SLOW_MILLIS = 500;
    private static final long AFTER_ERROR_MILLIS = 1_000;
    /** A poll follows after this time, although the watch has reported nothing. */
    private static final long LONGEST_WATCH_MILLIS = 500;
    /** Some file systems report no writes. After this many missed writes the thread stops using the watch. */
    private static final int MOST_MISSED_WRITES = 3;

    private static final long WATCH_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final BooleanSupplier poll;
    private final BooleanSupplier hasListeners;
    private final Supplier<Optional<FileWatch>> watchFactory;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private Optional<FileWatch> openWatch = Optional.empty();
    private boolean closed;

    // Only the polling thread uses the fields below.
    private long interval = SHORTEST_MILLIS;
    private long lastTook;
    private boolean isFailing;
    private long watchOffUntil = System.nanoTime();

    /** How the last wait for a write ended; the poll that follows tells whether that was right. */
    private WatchResult lastWatch = WatchResult.NOT_USED;

    private int missedWrites;

    private enum WatchResult {
        NOT_USED,
        WRITTEN,
        NOTHING
    }

    /**
     * @param poll polls once and returns whether another process has changed something
     * @param hasListeners whether any listener needs the changes
     * @param watchFactory opens the file watch, where the database is a file
     */
    public Poller(BooleanSupplier poll, BooleanSupplier hasListeners, Supplier<Optional<FileWatch>> watchFactory) {
        this.poll = poll;
        this.hasListeners = hasListeners;
        this.watchFactory = watchFactory;
    }

    @Override
    public void start() {
        lock.lock();
        try {
            if (thread == null && !closed) {
                thread = PeerThread.start("leat-poller", this::run);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        Optional<FileWatch> watch = openWatch();
        boolean goesOn = true;
        while (goesOn) {
            poll();
            if (watch.isPresent() && mayUseWatch()) {
                goesOn = awaitWrite(watch.get());
            } else {
                watch.ifPresent(FileWatch::turnOff);
                goesOn = sleep(interval);
            }
        }
    }

    private void poll() {
        try {
            long began = System.nanoTime();
            boolean isChanged = poll.getAsBoolean();
            if (isChanged) {
                judgeWatch();
            }
            interval = isChanged ? SHORTEST_MILLIS : Math.min(LONGEST_MILLIS, 2 * interval);
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            interval = Math.max(interval, pauseAfterSlow(Math.min(took, lastTook)));
            lastTook = took;
            isFailing = false;
        } catch (RuntimeException e) {
            if (!isFailing) {
                log.warn("Cannot poll for the changes of other processes, and tries again: {}", e.toString());
            }
            isFailing = true;
            interval = AFTER_ERROR_MILLIS;
        }
        lastWatch = WatchResult.NOT_USED;
    }

    private Optional<FileWatch> openWatch() {
        Optional<FileWatch> opened = Optional.empty();
        try {
            opened = watchFactory.get();
        } catch (RuntimeException e) {
            log.debug("Could not open a file watch, so polls instead", e);
        }
        lock.lock();
        try {
            openWatch = opened;
            if (closed) {
                openWatch.ifPresent(FileWatch::close);
            }
        } finally {
            lock.unlock();
        }
        return opened;
    }

    /** The poll found a change, so the watch was right to report one, or has missed one. */
    private void judgeWatch() {
        watchOffUntil = System.nanoTime();
        if (lastWatch == WatchResult.WRITTEN) {
            missedWrites = 0;
        } else if (lastWatch == WatchResult.NOTHING && ++missedWrites == MOST_MISSED_WRITES) {
            log.info(
                    "The file system does not report writes of other processes; polls every {} ms instead",
                    LONGEST_MILLIS);
        }
    }

    private boolean mayUseWatch() {
        return interval == LONGEST_MILLIS
                && missedWrites < MOST_MISSED_WRITES
                && System.nanoTime() - watchOffUntil >= 0
                && hasListeners.getAsBoolean();
    }

    /** Waits for a write, or until the next poll is due; returns false when closed. */
    private boolean awaitWrite(FileWatch watch) {
        try {
            if (watch.turnOn()) {
                return !isClosed(); // the watch has missed what was written since the last poll
            }
            boolean isWritten = watch.awaitWrite(LONGEST_WATCH_MILLIS);
            lastWatch = isWritten ? WatchResult.WRITTEN : WatchResult.NOTHING;
            if (isWritten) {
                watch.turnOff();
                watchOffUntil = System.nanoTime() + WATCH_OFF_NANOS;
                interval = SHORTEST_MILLIS;
            }
        } catch (IOException e) {
            log.debug("The file watch failed, so polls instead", e);
            watchOffUntil = System.nanoTime() + WATCH_OFF_NANOS;
        } catch (InterruptedException e) {
            log.debug("Ignores an interrupt");
        }
        return !isClosed();
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** @param millis the shorter of the last two polls: a single poll may have waited for something else, such as a connection */
    private static long pauseAfterSlow(long millis) {
        return millis <= LONGEST_MILLIS ? 0 : Math.min(LONGEST_AFTER_SLOW_MILLIS, PAUSE_PER_SLOW_POLL * millis);
    }

    /** Sleeps for the interval, and on while there is no listener; returns false when closed. */
    private boolean sleep(long millis) {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            while (!closed && !hasListeners.getAsBoolean()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            log.debug("Ignores an interrupt");
        } finally {
            lock.unlock();
        }
        return !isClosed();
    }

    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            running = thread;
            openWatch.ifPresent(FileWatch::close);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        PeerThread.join(running);
    }
}
