package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.PostgresServer;
import dev.leat.storagetests.waiting.LeaderContract;

class PostgresLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
