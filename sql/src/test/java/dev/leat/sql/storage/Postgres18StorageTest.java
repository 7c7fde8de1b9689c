package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TransactionalStorageContract;
import dev.leat.storagetests.server.PostgresServer;

class Postgres18StorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
