package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.RuntimeContract;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class SqliteRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
