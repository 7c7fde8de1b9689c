package dev.leat.server.remote;

import dev.leat.sql.SqliteFixture;
import dev.leat.storagetests.StorageContract;
import dev.leat.storagetests.StorageFixture;
import org.junit.jupiter.api.Tag;

/** All of the contract; {@link RemoteSqliteTest} is the daily slice of it. */
@Tag("soak")
class RemoteSqliteSoakTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new SqliteFixture());
    }
}
