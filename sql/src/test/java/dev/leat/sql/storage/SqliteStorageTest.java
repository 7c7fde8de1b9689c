package dev.leat.sql.storage;

import dev.leat.sql.SqliteFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TransactionalStorageContract;

class SqliteStorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
