package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.RuntimeContract;
import dev.leat.testkit.server.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class Postgres15RuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V15);
    }
}
