package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.LeaderContract;
import dev.leat.testkit.server.PostgresServer;

class PostgresLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
