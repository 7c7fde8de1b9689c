package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class Postgres15StorageTest extends SqlSliceContract {
    @Override
    StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V15);
    }
}
