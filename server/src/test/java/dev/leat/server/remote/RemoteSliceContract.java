package dev.leat.server.remote;

import dev.leat.storagetests.CapabilityContract;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.task.SettleContract;
import dev.leat.storagetests.waiting.SignalContract;
import org.junit.jupiter.api.Nested;

/**
 * What of the contract depends on the storage behind a server: leases and their settles, notices, and what the storage can do.
 * The rest is the same calls as over memory, where {@link RemoteMemoryTest} makes all of them.
 */
abstract class RemoteSliceContract {
    abstract StorageFixture newFixture();

    @Nested
    class Settles extends SettleContract {
        @Override
        protected StorageFixture newFixture() {
            return RemoteSliceContract.this.newFixture();
        }
    }

    @Nested
    class Signals extends SignalContract {
        @Override
        protected StorageFixture newFixture() {
            return RemoteSliceContract.this.newFixture();
        }
    }

    @Nested
    class Capabilities extends CapabilityContract {
        @Override
        protected StorageFixture newFixture() {
            return RemoteSliceContract.this.newFixture();
        }
    }
}
