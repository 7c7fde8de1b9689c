package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TransactionalStorageContract;
import dev.leat.storagetests.server.PostgresServer;
import org.junit.jupiter.api.Tag;

/** All of the contract; {@link Postgres15StorageTest} is the daily slice of it. */
@Tag("soak")
class Postgres15SoakTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V15);
    }
}
