package dev.leat.sql.storage;

import dev.leat.sql.SqliteFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.model.StorageModelContract;

class SqliteModelTest extends StorageModelContract {
    SqliteModelTest() {
        super(40);
    }

    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
