package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.waiting.LeaderContract;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
