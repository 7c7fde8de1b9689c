package dev.leat.server.remote;

import dev.leat.sql.SqliteFixture;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.StorageContract;
import org.junit.jupiter.api.Tag;

/** When two JDKs are there, {@code ./check} runs this on one of them. */
@Tag("second-pass")
class RemoteSqliteTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new SqliteFixture());
    }
}
