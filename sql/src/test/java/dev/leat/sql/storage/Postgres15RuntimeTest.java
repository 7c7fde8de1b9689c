package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.RuntimeContract;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class Postgres15RuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V15);
    }
}
