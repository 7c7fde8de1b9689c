package dev.leat.testkit;

import dev.leat.testkit.contract.model.StorageModelContract;
import net.jqwik.api.PropertyDefaults;

@PropertyDefaults(tries = 500)
class MemoryModelTest extends StorageModelContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
