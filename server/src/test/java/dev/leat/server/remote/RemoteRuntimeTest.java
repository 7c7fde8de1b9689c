package dev.leat.server.remote;

import dev.leat.storagetests.MemoryFixture;
import dev.leat.storagetests.RuntimeContract;
import dev.leat.storagetests.StorageFixture;

class RemoteRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
