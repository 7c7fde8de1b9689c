package dev.leat.server.remote;

import dev.leat.sql.SqliteFixture;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.StorageContract;

class RemoteSqliteTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new SqliteFixture());
    }
}
