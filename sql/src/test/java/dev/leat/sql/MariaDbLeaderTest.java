package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.LeaderContract;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
