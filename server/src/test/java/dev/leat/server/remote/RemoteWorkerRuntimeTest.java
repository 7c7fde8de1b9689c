package dev.leat.server.remote;

import dev.leat.storagetests.MemoryFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.WorkerRuntimeContract;

class RemoteWorkerRuntimeTest extends WorkerRuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
