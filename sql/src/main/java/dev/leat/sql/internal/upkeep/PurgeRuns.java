package dev.leat.sql.internal.upkeep;

import dev.leat.PurgeOptions;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.storage.Lock;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The purges of one process. A run is many short turns, of which a sweep does one, so that what is due waits for no more than
 * that. It ends when nothing is left or it has had its share.
 *
 * <p>Two locks save the work of doing it twice: one is held for most of a minute after a run has begun, so that one process of all
 * begins one; the other while it lasts, so that somebody who asks for a run at once does not get in its way. Safe from any thread: while one
 * is at it, others pass by.
 */
public final class PurgeRuns {
    private static final Logger log = LoggerFactory.getLogger(PurgeRuns.class);
    private static final long EVERY = Times.micros(Duration.ofMinutes(1));
    /** Shorter than the above, or the next run of the same process would find it held. */
    private static final Duration TURN = Duration.ofSeconds(50);
    /** After this time others go on if the process dies in a run. */
    private static final Duration LEASE = Duration.ofSeconds(50);

    private static final Removed NOTHING = new Removed(0, 0, false);

    /** What one turn has removed. */
    public record Removed(long tasks, long rows, boolean isMore) {
        Removed and(Removed other) {
            return new Removed(tasks + other.tasks, rows + other.rows, isMore || other.isMore);
        }
    }

    private final Lock lock;
    private final PurgeOptions options;
    private final Units units;
    private final @Nullable Partitions partitions;
    private final ReentrantLock atIt = new ReentrantLock();
    private @Nullable Run run;
    private long lastBegun;

    /** @param partitions the partitions of finished tasks; null on an engine without partitions */
    public PurgeRuns(Lock lock, PurgeOptions options, Units units, @Nullable Partitions partitions) {
        this.lock = lock;
        this.options = options;
        this.units = units;
        this.partitions = partitions;
    }

    /** Does one turn of the run that has begun or may begin now; answers whether there are more to come. */
    public Removed unit(Sweep sweep, long now) {
        if (!atIt.tryLock()) {
            return NOTHING;
        }
        try {
            Run current = run != null && run.held.renew() ? run : null;
            run = null; // unless it goes well and is not over
            Run next = current != null ? current : begin(sweep.purge(), now);
            if (next == null) {
                return NOTHING;
            }
            Removed removed = next.unit(sweep.limit(), now);
            if (removed.isMore) {
                run = next;
            } else {
                next.held.close();
            }
            return removed;
        } finally {
            atIt.unlock();
        }
    }

    private @Nullable Run begin(Sweep.Purge when, long now) {
        boolean isAsked = when == Sweep.Purge.NOW;
        if (!isAsked && !isDue(now)) {
            return null;
        }
        lastBegun = now; // whoever finds that another has done it looks again after as long
        boolean isOurTurn = lock.tryAcquire("leat purge turn", TURN).isPresent();
        if (!isOurTurn && !isAsked) {
            return null;
        }
        Optional<Lock.Held> held = lock.tryAcquire("leat purge", LEASE);
        if (held.isEmpty()) {
            log.debug("Another process purges");
        }
        return held.map(Run::new).orElse(null);
    }

    /** Removes about {@code limit} rows, one by one. */
    private Removed removeRows(int limit) {
        return units.writeAgain(unit -> new Purging(unit, limit).run());
    }

    /** Removes whole days, and about {@code limit} rows before that can be done. */
    private Removed removeDays(int limit, long now) {
        return partitions == null ? NOTHING : partitions.keepUp(now, limit);
    }

    /** A clock that was set back is no reason to wait. */
    private boolean isDue(long now) {
        return Math.abs(now - lastBegun) >= EVERY && options.mayBeginAt(Times.instant(now));
    }

    private final class Run {
        private final Lock.Held held;
        private long left = options.mostPerRun();
        private boolean isMoreInDays = true;

        Run(Lock.Held held) {
            this.held = held;
        }

        public Removed unit(int limit, long now) {
            int share = (int) Math.min(limit, left);
            Removed removed = removeRows(share);
            if (isMoreInDays) {
                Removed days = removeDays(share, now);
                isMoreInDays = days.isMore;
                removed = removed.and(days);
            }
            left -= removed.rows;
            return new Removed(removed.tasks, removed.rows, removed.isMore && left > 0);
        }
    }
}
