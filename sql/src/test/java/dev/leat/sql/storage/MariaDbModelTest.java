package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.model.StorageModelContract;
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
