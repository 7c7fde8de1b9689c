package dev.leat.server.remote;

import dev.leat.storagetests.MemoryFixture;
import dev.leat.storagetests.StorageContract;
import dev.leat.storagetests.StorageFixture;

class RemoteMemoryTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
