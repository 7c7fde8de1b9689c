package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.TransactionalStorageContract;
import org.junit.jupiter.api.Tag;

@Tag("second-pass")
class SqliteStorageTest extends TransactionalStorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
