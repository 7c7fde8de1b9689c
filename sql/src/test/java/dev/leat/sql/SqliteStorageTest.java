package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.TransactionalStorageContract;

class SqliteStorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
