package dev.leat.storagetests;

import dev.leat.storagetests.waiting.LeaderContract;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class MemoryLeaderTest extends LeaderContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
