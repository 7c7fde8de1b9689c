package dev.leat.server.remote;

import dev.leat.sql.ServerFixture;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.server.PostgresServer;

class RemotePostgresTest extends RemoteSliceContract {
    @Override
    StorageFixture newFixture() {
        return new RemoteFixture(ServerFixture.onPostgres(PostgresServer.Version.V18));
    }
}
