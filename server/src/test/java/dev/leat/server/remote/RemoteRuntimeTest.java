package dev.leat.server.remote;

import dev.leat.testkit.MemoryFixture;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.RuntimeContract;

class RemoteRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
