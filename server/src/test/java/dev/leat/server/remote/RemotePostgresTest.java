package dev.leat.server.remote;

import dev.leat.sql.ServerFixture;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.StorageContract;
import dev.leat.testkit.server.PostgresServer;
import org.junit.jupiter.api.Tag;

/** When two JDKs are there, {@code ./check} runs this on one of them. */
@Tag("first-pass")
class RemotePostgresTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(ServerFixture.onPostgres(PostgresServer.Version.V18));
    }
}
