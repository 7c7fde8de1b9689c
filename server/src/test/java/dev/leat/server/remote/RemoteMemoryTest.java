package dev.leat.server.remote;

import dev.leat.testkit.MemoryFixture;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.StorageContract;
import org.junit.jupiter.api.Tag;

/** When two JDKs are there, {@code ./check} runs this on one of them. */
@Tag("first-pass")
class RemoteMemoryTest extends StorageContract {
    @Override
    protected StorageFixture newFixture() {
        return new RemoteFixture(new MemoryFixture());
    }
}
