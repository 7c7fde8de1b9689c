package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.WorkerRuntimeContract;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class MariaDbWorkerRuntimeTest extends WorkerRuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
