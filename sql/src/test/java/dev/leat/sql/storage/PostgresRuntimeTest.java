package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.RuntimeContract;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class PostgresRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
