package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.model.StorageModelContract;
import dev.leat.storagetests.server.PostgresServer;

class PostgresModelTest extends StorageModelContract {
    PostgresModelTest() {
        super(8);
    }

    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
