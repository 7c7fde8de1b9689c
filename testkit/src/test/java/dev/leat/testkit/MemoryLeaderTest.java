package dev.leat.testkit;

import dev.leat.testkit.contract.LeaderContract;

class MemoryLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
