package dev.leat.sql.storage;

import dev.leat.sql.SqliteFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.waiting.LeaderContract;

class SqliteLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
