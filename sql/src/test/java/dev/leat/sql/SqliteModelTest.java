package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.model.StorageModelContract;

class SqliteModelTest extends StorageModelContract {
    SqliteModelTest() {
        super(40);
    }

    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
