package dev.leat.storagetests;

import dev.leat.storagetests.model.StorageModelContract;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class MemoryModelTest extends StorageModelContract {
    MemoryModelTest() {
        super(400);
    }

    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
