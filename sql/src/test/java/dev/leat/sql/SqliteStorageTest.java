package dev.leat.sql;

import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TransactionalStorageContract;

class SqliteStorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
