package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TransactionalStorageContract;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbStorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
