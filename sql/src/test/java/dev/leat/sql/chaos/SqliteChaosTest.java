package dev.leat.sql.chaos;

import dev.leat.sql.TestDatabase;
import java.time.Duration;

class SqliteChaosTest extends ChaosContract {
    @Override
    TestDatabase database() {
        TestDatabase plain = TestDatabase.sqlite(folder);
        return new TestDatabase(plain.leatUrl(), plain.jdbcUrl() + "?busy_timeout=30000");
    }

    /** One that stands still while it writes keeps everybody else from writing, and from ending its session. */
    @Override
    Duration longestStop() {
        return ChaosWorker.DEAD_AFTER.multipliedBy(3);
    }

    /** While one holds its transaction open, nobody else writes. */
    @Override
    int producers() {
        return 1;
    }
}
