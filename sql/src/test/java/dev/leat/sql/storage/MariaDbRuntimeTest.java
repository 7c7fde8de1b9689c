package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.RuntimeContract;
import dev.leat.storagetests.StorageFixture;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class MariaDbRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
