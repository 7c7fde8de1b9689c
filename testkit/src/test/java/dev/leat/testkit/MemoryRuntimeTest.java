package dev.leat.testkit;

import dev.leat.testkit.contract.RuntimeContract;
import org.junit.jupiter.api.Tag;

@Tag("jvm")
class MemoryRuntimeTest extends RuntimeContract {
    @Override
    protected StorageFixture newFixture() {
        return new MemoryFixture();
    }
}
