package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.TransactionalStorageContract;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbStorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
