package dev.leat.sql.internal;

import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.upkeep.ClockOffset;
import dev.leat.sql.internal.upkeep.NextTimer;
import dev.leat.sql.internal.upkeep.Sweeping;
import dev.leat.sql.internal.upkeep.Units;
import dev.leat.sql.internal.work.UnitOfWork;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs units of work: each is one transaction that first changes the tasks that are due, and reports to {@link AfterCommit} after its commit.
 * Safe from any thread.
 */
final class UnitRunner implements Units {
    /** A unit of work changes at most this many due tasks before its operation; the sweeper changes the rest. */
    private static final int MOST_DUE_PER_UNIT = 1_000;
    /** How late the sweeper may be before takes and settles of the fast path do its work. */
    private static final long SWEEPER_PATIENCE = Times.micros(Duration.ofMillis(200));

    private final Engine dialect;
    private final Db db;
    private final QueueCache cache;
    private final NextTimer nextTimer;
    private final ClockOffset clock;
    private final AfterCommit afterCommit;

    UnitRunner(
            Engine dialect, Db db, QueueCache cache, NextTimer nextTimer, ClockOffset clock, AfterCommit afterCommit) {
        this.dialect = dialect;
        this.db = db;
        this.cache = cache;
        this.nextTimer = nextTimer;
        this.clock = clock;
        this.afterCommit = afterCommit;
    }

    void run(Consumer<UnitOfWork> operation) {
        write(Db.Repeat.NEVER, answeringUnit(operation));
    }

    /** Runs an operation that may run twice. */
    void runAgain(Consumer<UnitOfWork> operation) {
        write(Db.Repeat.HARMLESS, answeringUnit(operation));
    }

    private static Function<UnitOfWork, UnitOfWork> answeringUnit(Consumer<UnitOfWork> operation) {
        return unit -> {
            operation.accept(unit);
            return unit;
        };
    }

    <T> T write(Function<UnitOfWork, T> operation) {
        return write(Db.Repeat.NEVER, operation);
    }

    @Override
    public <T> T writeAgain(Function<UnitOfWork, T> operation) {
        return write(Db.Repeat.HARMLESS, operation);
    }

    private <T> T write(Db.Repeat repeat, Function<UnitOfWork, T> operation) {
        return committed(db.write(repeat, tx -> apply(tx, operation)));
    }

    /** Runs an operation that may run twice; empty if a handler's transaction of this process keeps others from writing. */
    <T> Optional<T> tryWriteAgain(Function<UnitOfWork, T> operation) {
        return db.tryWrite(Db.Repeat.HARMLESS, tx -> apply(tx, operation)).map(this::committed);
    }

    private record Applied<T>(UnitOfWork unit, T result) {}

    private <T> Applied<T> apply(Tx tx, Function<UnitOfWork, T> operation) {
        UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.WRITE);
        if (unit.isAnythingDue()) {
            new Sweeping(unit).catchUp(MOST_DUE_PER_UNIT);
        }
        clock.saw(unit.now);
        T result = operation.apply(unit);
        unit.finish();
        return new Applied<>(unit, result);
    }

    private <T> T committed(Applied<T> applied) {
        afterCommit.committed(applied.unit);
        return applied.result;
    }

    /** Reads. If tasks are due, a writing unit changes them first and then reads. */
    <T> T read(Function<UnitOfWork, T> operation) {
        record Seen<T>(boolean due, Optional<T> result) {}
        Seen<T> seen = db.read(tx -> {
            UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.READ);
            // On SQLite, a read inside a handler's transaction cannot become a write: that transaction is the only
            // writer.
            return unit.isAnythingDue() && !db.soleWriter().isThisThread()
                    ? new Seen<>(true, Optional.empty())
                    : new Seen<>(false, Optional.of(operation.apply(unit)));
        });
        return seen.due ? writeAgain(operation) : seen.result.orElseThrow();
    }

    /** Changes due tasks before a statement of the fast path, which does not look for due tasks, if the sweeper is late. */
    void catchUpIfSweeperIsLate() {
        long now = dialect.testClock()
                .map(testClock -> Times.micros(testClock.instant()))
                .orElseGet(() -> clock.toDatabase(Instant.now()) - SWEEPER_PATIENCE);
        if (nextTimer.isDue(now)) {
            long moves = nextTimer.moves();
            runAgain(unit -> nextTimer.promise(new Sweeping(unit).nextTimer(), moves));
        }
    }
}
