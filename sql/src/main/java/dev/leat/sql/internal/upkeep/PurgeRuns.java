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
 * The purge runs of one process. A run has many short steps, and each sweep makes one step, so that due timers wait for one step at most. A run ends
 * when nothing is left to purge, or after {@link PurgeOptions#mostPerRun()} rows.
 *
 * <p>Two locks save double work. The first is held for 50 seconds after the start of a run, so that one process of the fleet starts a run per minute.
 * The second is held while a run lasts, so that a purge that an operator asks for does not run beside it. Safe from any thread: while one thread
 * makes a step, other threads return at once.
 */
public final class PurgeRuns {
    private static final Logger log = LoggerFactory.getLogger(PurgeRuns.class);
    private static final long EVERY = Times.micros(Duration.ofMinutes(1));
    /** Shorter than {@link #EVERY}, or the next run of the same process would find the lock held. */
    private static final Duration START_LOCK = Duration.ofSeconds(50);
    /** After this time another process can purge if this one dies in a run. */
    private static final Duration LEASE = Duration.ofSeconds(50);

    private static final Removed NOTHING = new Removed(0, 0, false);

    /** What one step has removed. */
    public record Removed(long tasks, long rows, boolean isMore) {
        Removed and(Removed other) {
            return new Removed(tasks + other.tasks, rows + other.rows, isMore || other.isMore);
        }
    }

    private final Lock lock;
    private final PurgeOptions options;
    private final Units units;
    private final @Nullable Partitions partitions;
    private final ReentrantLock stepping = new ReentrantLock();
    private @Nullable Run run;
    private long lastBegun;

    /** @param partitions the partitions of finished tasks; null on an engine without partitions */
    public PurgeRuns(Lock lock, PurgeOptions options, Units units, @Nullable Partitions partitions) {
        this.lock = lock;
        this.options = options;
        this.units = units;
        this.partitions = partitions;
    }

    /** Makes one step of the current run, or of a new run that is due. Returns what was removed, and whether more steps follow. */
    public Removed unit(Sweep sweep, long now) {
        if (!stepping.tryLock()) {
            return NOTHING;
        }
        try {
            Run current = run != null && run.held.renew() ? run : null;
            run = null; // set again below if the step succeeds and more steps follow
            Run next = current != null ? current : begin(sweep.purge(), now);
            if (next == null) {
                return NOTHING;
            }
            Removed removed = next.step(Math.min(sweep.limit(), Purging.ROWS_PER_STEP), now);
            if (removed.isMore) {
                run = next;
            } else {
                next.held.close();
            }
            return removed;
        } finally {
            stepping.unlock();
        }
    }

    private @Nullable Run begin(Sweep.Purge when, long now) {
        boolean isAsked = when == Sweep.Purge.NOW;
        if (!isAsked && !isDue(now)) {
            return null;
        }
        lastBegun = now; // also if another process has begun the run: the next check is due a minute later
        boolean mayStart = lock.tryAcquire("leat purge turn", START_LOCK).isPresent();
        if (!mayStart && !isAsked) {
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

    /** Removes the partitions of whole days, and before that about {@code limit} rows of their attempts. */
    private Removed removeDays(int limit, long now) {
        return partitions == null ? NOTHING : partitions.keepUp(now, limit);
    }

    /** Compares the absolute difference, so that a clock that was set back does not delay the purge. */
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

        Removed step(int limit, long now) {
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
