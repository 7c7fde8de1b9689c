package dev.leat.storagetests;

import org.junit.jupiter.api.Tag;

@Tag("jvm")
class MemoryStorageTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
