package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.model.StorageModelContract;
import net.jqwik.api.PropertyDefaults;
import net.jqwik.api.Tag;

@PropertyDefaults(tries = 30)
@Tag("first-pass")
class MariaDbModelTest extends StorageModelContract {
    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onMariaDb();
    }
}
