package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.storage.Notice;
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
 * A daemon thread that looks whether other processes have changed the database, for as long as somebody wants to know:
 * every millisecond while they do, up to every {@value #LONGEST_MILLIS} ms while they do not. Stopped by {@link #close}.
 *
 * <p>Where there is a doorbell, it waits for that instead, as long as nobody writes. It also rings for what this process itself
 * writes; then it is left alone for a while. What a ring tells of may be committed a little later, so that several looks follow.
 *
 * <p>Looks that take longer than that are made for a tenth of the time only, but every half second. On PostgreSQL one took 50 to
 * 100 ms behind 300,000 tasks that were gone, but not for somebody's old snapshot.
 */
public final class Watcher implements Peers {
    private static final Logger log = LoggerFactory.getLogger(Watcher.class);
    private static final long SHORTEST_MILLIS = 1;
    private static final long LONGEST_MILLIS = 50;
    private static final long PAUSE_PER_SLOW_LOOK = 10;
    private static final long LONGEST_AFTER_SLOW_MILLIS = 500;
    private static final long AFTER_ERROR_MILLIS = 1_000;
    /** How long a bell is trusted that does not ring. */
    private static final long LONGEST_WITH_BELL_MILLIS = 500;
    /** Some file systems tell nobody: a bell that so often did not ring is not waited for any more. */
    private static final int MOST_MISSED_RINGS = 3;

    private static final long WITHOUT_BELL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long STOP_MILLIS = 5_000;

    private final BooleanSupplier look;
    private final BooleanSupplier wanted;
    private final Supplier<Optional<FileWatch>> watchMaker;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private Optional<FileWatch> watch = Optional.empty();
    private boolean closed;

    // For the thread that looks
    private long pause = SHORTEST_MILLIS;
    private long lastTook;
    private boolean isFailing;
    /** Until when the bell is left alone, because it rang for nothing. */
    private long withoutWatchUntil = System.nanoTime();
    /** What the last waiting for the bell came to, for the look that follows. */
    private boolean isRung;

    private boolean isUnrung;
    private int missedRings;

    /**
     * @param look looks once, and answers whether there was a change
     * @param wanted whether anybody wants to know
     * @param bell makes what rings when somebody writes, where there is such a thing
     */
    public Watcher(BooleanSupplier look, BooleanSupplier wanted, Supplier<Optional<FileWatch>> watch) {
        this.look = look;
        this.wanted = wanted;
        this.watchMaker = watch;
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
        Optional<FileWatch> ringing = makeWatch();
        boolean goesOn = true;
        while (goesOn) {
            look();
            if (ringing.isPresent() && mayAwaitWatch()) {
                goesOn = awaitWatch(ringing.get());
            } else {
                ringing.ifPresent(FileWatch::turnOff);
                goesOn = sleep(pause);
            }
        }
    }

    private void look() {
        try {
            long began = System.nanoTime();
            boolean isNews = look.getAsBoolean();
            if (isNews) {
                judgeWatch();
            }
            pause = isNews ? SHORTEST_MILLIS : Math.min(LONGEST_MILLIS, 2 * pause);
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            pause = Math.max(pause, pauseAfterSlow(Math.min(took, lastTook)));
            lastTook = took;
            isFailing = false;
        } catch (RuntimeException e) {
            if (!isFailing) {
                log.warn("Cannot see what other processes do, and keeps trying: {}", e.toString());
            }
            isFailing = true;
            pause = AFTER_ERROR_MILLIS;
        }
        isRung = false;
        isUnrung = false;
    }

    // The bell

    private Optional<FileWatch> makeWatch() {
        Optional<FileWatch> made = Optional.empty();
        try {
            made = watchMaker.get();
        } catch (RuntimeException e) {
            log.debug("There is no bell, and it looks instead", e);
        }
        lock.lock();
        try {
            watch = made;
            if (closed) {
                watch.ifPresent(FileWatch::close);
            }
        } finally {
            lock.unlock();
        }
        return made;
    }

    /** There is news: it did not ring for nothing, or did not ring at all. */
    private void judgeWatch() {
        withoutWatchUntil = System.nanoTime();
        if (isRung) {
            missedRings = 0;
        } else if (isUnrung && ++missedRings == MOST_MISSED_RINGS) {
            log.info(
                    "Nobody tells when other processes write to the database: looks every {} ms instead",
                    LONGEST_MILLIS);
        }
    }

    private boolean mayAwaitWatch() {
        return pause == LONGEST_MILLIS
                && missedRings < MOST_MISSED_RINGS
                && System.nanoTime() - withoutWatchUntil >= 0
                && wanted.getAsBoolean();
    }

    /** Waits until it rings, or a look is due anyway; answers false when closed. */
    private boolean awaitWatch(FileWatch ringing) {
        try {
            if (ringing.turnOn()) {
                return !isClosed(); // something may have happened since the last look
            }
            isRung = ringing.await(LONGEST_WITH_BELL_MILLIS);
            isUnrung = !isRung;
            if (isRung) {
                ringing.turnOff();
                withoutWatchUntil = System.nanoTime() + WITHOUT_BELL_NANOS;
                pause = SHORTEST_MILLIS;
            }
        } catch (IOException e) {
            log.debug("The bell is of no use now, and it looks instead", e);
            withoutWatchUntil = System.nanoTime() + WITHOUT_BELL_NANOS;
        } catch (InterruptedException e) {
            log.debug("interrupted, which does not end a watcher");
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
            watch.ifPresent(FileWatch::close);
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
