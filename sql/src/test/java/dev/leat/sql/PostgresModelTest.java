package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.model.StorageModelContract;
import dev.leat.testkit.server.PostgresServer;

class PostgresModelTest extends StorageModelContract {
    PostgresModelTest() {
        super(8);
    }

    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
