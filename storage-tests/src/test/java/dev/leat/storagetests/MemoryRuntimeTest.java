package dev.leat.storagetests;

import org.junit.jupiter.api.Tag;

@Tag("jvm")
class MemoryRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
