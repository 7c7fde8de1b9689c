package dev.leat.server.remote;

import dev.leat.storagetests.MemoryFixture;
import dev.leat.storagetests.WorkerRuntimeContract;
import dev.leat.storagetests.StorageFixture;

class RemoteWorkerRuntimeTest extends WorkerRuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
