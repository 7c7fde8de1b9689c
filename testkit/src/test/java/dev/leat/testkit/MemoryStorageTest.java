package dev.leat.testkit;

import dev.leat.testkit.contract.StorageContract;

class MemoryStorageTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
