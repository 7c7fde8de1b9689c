package dev.leat.server.remote;

import dev.leat.sql.SqliteFixture;
import dev.leat.storagetests.StorageFixture;

class RemoteSqliteTest extends RemoteSliceContract {
    @Override
    StorageFixture newFixture() {
        return new RemoteFixture(new SqliteFixture());
    }
}
