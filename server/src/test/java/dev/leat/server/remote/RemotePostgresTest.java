package dev.leat.server.remote;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.PostgresServer;

class RemotePostgresTest extends RemoteSliceContract {
    @Override
    StorageFixture newFixture() {
        return new RemoteFixture(ServerFixture.onPostgres(PostgresServer.Version.V18));
    }
}
