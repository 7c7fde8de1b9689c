package dev.leat.sql.storage;

import dev.leat.sql.SqliteFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.WorkerRuntimeContract;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class SqliteWorkerRuntimeTest extends WorkerRuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
