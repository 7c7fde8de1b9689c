package dev.leat.sql.internal.upkeep;

import dev.leat.sql.internal.fast.LostTakes;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.operation.SessionRows;
import dev.leat.sql.internal.work.CallTime;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.util.Optional;

/** Sweeps: one statement tells what is due, and only that is done. Safe from any thread. */
public final class SweepRun {
    private final Dialect dialect;
    private final Db db;
    private final Units units;
    private final NextTimer nextTimer;
    private final ClockOffset clock;
    private final LostTakes lostTakes;
    private final GroupUpkeep groups;
    private final PurgeRuns purgeRuns;
    private final ScheduledPuts scheduledPuts;

    public SweepRun(
            Db db,
            Units units,
            NextTimer nextTimer,
            ClockOffset clock,
            LostTakes lostTakes,
            GroupUpkeep groups,
            PurgeRuns purgeRuns) {
        this.dialect = db.dialect();
        this.db = db;
        this.units = units;
        this.nextTimer = nextTimer;
        this.clock = clock;
        this.lostTakes = lostTakes;
        this.groups = groups;
        this.purgeRuns = purgeRuns;
        this.scheduledPuts = new ScheduledPuts(db, units);
    }

    /** The database's time and the next moments at which something is due; 0 is never. */
    private record Glance(long now, long nextTimer, long nextSession, long lastHeard, long nextRun) {
        /** A heartbeat in the future is due too: it has to count as one from now. */
        boolean isTaskOrSessionDue() {
            return isBy(nextTimer, now) || isBy(nextSession, now) || lastHeard > now;
        }

        boolean isRunDue() {
            return isBy(nextRun, now);
        }

        private static boolean isBy(long moment, long now) {
            return moment != 0 && moment <= now;
        }
    }

    public Sweep.Result sweep(Sweep sweep) {
        CallTime called = new CallTime(dialect);
        if (lostTakes.isAnyUnfound()) {
            units.writeAgain(lostTakes::giveBack).run();
        }
        long moves = nextTimer.moves();
        Glance glance = glance();
        clock.saw(glance.now);
        // On SQLite a sweep waits for the write lock first, like the heartbeats of the sessions that it may end.
        if (glance.isTaskOrSessionDue() || !dialect.hasOtherWriters()) {
            sweepTasksAndSessions(sweep, called);
        } else {
            nextTimer.promise(Times.earlier(glance.nextTimer, glance.nextSession), moves);
        }
        long nextRun = glance.isRunDue() ? scheduledPuts.put(sweep.limit(), glance.now) : glance.nextRun;
        // The result is of no use: the sweeper that it would wake is this one.
        nextTimer.isEarlier(nextRun == 0 ? Long.MAX_VALUE : nextRun);
        groups.sweep(sweep.limit(), glance.now);
        PurgeRuns.Removed purged = purgeRuns.unit(sweep, glance.now);
        boolean isMore = purged.isMore() || groups.isAnyFree();
        return new Sweep.Result(
                nextTimer.takeUntold(),
                isMore ? Optional.of(Duration.ZERO) : nextIn(glance.now, nextRun),
                purged.tasks());
    }

    private Glance glance() {
        return db.look(tx -> tx.first(
                        "next-timers",
                        row -> new Glance(
                                row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)))
                .orElseThrow());
    }

    private void sweepTasksAndSessions(Sweep sweep, CallTime called) {
        long moves = nextTimer.moves();
        units.writeAgain(unit -> {
            Sweeping sweeping = new Sweeping(unit);
            sweeping.catchUp(sweep.limit());
            long nextSession = new SessionRows(unit).sweep(sweep.sessions(), called.at(unit));
            nextTimer.promise(Times.earlier(sweeping.nextTimer(), nextSession), moves);
            return unit;
        });
    }

    /** @param nextRun the next run of a schedule: another thread may have promised a later moment meanwhile */
    private Optional<Duration> nextIn(long now, long nextRun) {
        long next = Math.min(nextTimer.next(), groups.nextLook(now));
        if (nextRun != 0) {
            next = Math.min(next, nextRun);
        }
        return next == Long.MAX_VALUE ? Optional.empty() : Optional.of(Times.duration(Math.max(0, next - now)));
    }
}
