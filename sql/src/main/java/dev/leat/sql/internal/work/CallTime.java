package dev.leat.sql.internal.work;

import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;

/** The moment at which a caller called the storage, before the call waited for a connection or a lock. */
public final class CallTime {
    private final Dialect dialect;
    private final long nanos = System.nanoTime();
    private final long testTime;

    public CallTime(Dialect dialect) {
        this.dialect = dialect;
        this.testTime = testTime();
    }

    private long testTime() {
        return dialect.testClock().map(clock -> Times.micros(clock.instant())).orElse(0L);
    }

    /** The call time on the clock of the unit of work. */
    public long at(UnitOfWork unit) {
        return dialect.testClock().isPresent() ? testTime : unit.now - (System.nanoTime() - nanos) / 1_000;
    }
}
