package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.StorageContract;

class SqliteStorageTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
