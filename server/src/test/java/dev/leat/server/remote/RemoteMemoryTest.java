package dev.leat.server.remote;

import dev.leat.testkit.MemoryFixture;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.StorageContract;

class RemoteMemoryTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
