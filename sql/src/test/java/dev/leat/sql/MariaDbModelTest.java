package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.model.StorageModelContract;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbModelTest extends StorageModelContract {
    MariaDbModelTest() {
        super(8);
    }

    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
