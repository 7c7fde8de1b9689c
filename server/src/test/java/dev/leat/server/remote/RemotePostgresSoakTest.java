package dev.leat.server.remote;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageContract;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.PostgresServer;
import org.junit.jupiter.api.Tag;

/** All of the contract; {@link RemotePostgresTest} is the daily slice of it. */
@Tag("soak")
class RemotePostgresSoakTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(ServerFixture.onPostgres(PostgresServer.Version.V18));
    }
}
