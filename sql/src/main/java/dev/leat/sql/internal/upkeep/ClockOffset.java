package dev.leat.sql.internal.upkeep;

import dev.leat.sql.internal.jdbc.Times;
import java.time.Instant;

/** How far the database's clock is ahead of this process's clock, as of the latest statement that read it. Safe from any thread. */
public final class ClockOffset {
    private volatile long micros;

    /** @param databaseNow the database's time, read just now */
    public void saw(long databaseNow) {
        micros = databaseNow - Times.micros(Instant.now());
    }

    /** The database's time at a moment of this process's clock, in microseconds. */
    public long toDatabase(Instant moment) {
        return Times.micros(moment) + micros;
    }
}
