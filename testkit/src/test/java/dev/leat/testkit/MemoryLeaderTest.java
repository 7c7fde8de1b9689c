package dev.leat.testkit;

import dev.leat.testkit.contract.LeaderContract;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class MemoryLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
