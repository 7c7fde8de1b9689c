package dev.leat.sql.internal;

/** The moment a call was made, which may be long before its turn began: others had the database. */
final class Asked {
    private final Dialect dialect;
    private final long nanos = System.nanoTime();
    private final long testTime;

    Asked(Dialect dialect) {
        this.dialect = dialect;
        this.testTime = testTime();
    }

    private long testTime() {
        return dialect.testClock().map(clock -> Times.micros(clock.instant())).orElse(0L);
    }

    /** On the clock of the turn. */
    long at(Turn turn) {
        return dialect.testClock().isPresent() ? testTime : turn.now - (System.nanoTime() - nanos) / 1_000;
    }
}
