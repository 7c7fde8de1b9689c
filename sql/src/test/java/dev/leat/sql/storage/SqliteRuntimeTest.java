package dev.leat.sql.storage;

import dev.leat.sql.SqliteFixture;
import dev.leat.storagetests.RuntimeContract;
import dev.leat.storagetests.StorageFixture;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class SqliteRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
