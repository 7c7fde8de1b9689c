package dev.leat.storagetests;

import org.junit.jupiter.api.Tag;

@Tag("jvm")
class MemoryWorkerRuntimeTest extends WorkerRuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
