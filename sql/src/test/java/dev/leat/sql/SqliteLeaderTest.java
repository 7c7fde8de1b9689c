package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.LeaderContract;

class SqliteLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
