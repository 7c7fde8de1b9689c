package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.LeaderContract;
import dev.leat.testkit.server.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("second-pass")
class PostgresLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
