package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.model.StorageModelContract;
import net.jqwik.api.PropertyDefaults;
import net.jqwik.api.Tag;

@Tag("second-pass")
@PropertyDefaults(tries = 150)
class SqliteModelTest extends StorageModelContract {
    @Override
    protected StorageFixture newFixture() {
        return new SqliteFixture();
    }
}
