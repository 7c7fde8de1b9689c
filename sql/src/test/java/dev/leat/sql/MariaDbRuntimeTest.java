package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.RuntimeContract;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class MariaDbRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
