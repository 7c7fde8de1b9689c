package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.model.StorageModelContract;
import dev.leat.testkit.server.PostgresServer;
import net.jqwik.api.PropertyDefaults;
import net.jqwik.api.Tag;

@PropertyDefaults(tries = 30)
@Tag("second-pass")
class PostgresModelTest extends StorageModelContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
