package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.TransactionalStorageContract;
import dev.leat.testkit.server.PostgresServer;
import org.junit.jupiter.api.Tag;

/** When two JDKs are there, {@code ./check} runs this on one of them. */
@Tag("second-pass")
class Postgres18StorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPostgres(PostgresServer.Version.V18);
    }
}
