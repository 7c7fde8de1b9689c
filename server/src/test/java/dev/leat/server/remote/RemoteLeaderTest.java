package dev.leat.server.remote;

import dev.leat.storagetests.MemoryFixture;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.waiting.LeaderContract;

class RemoteLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
