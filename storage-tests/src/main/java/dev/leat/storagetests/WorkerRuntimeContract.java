package dev.leat.storagetests;

import dev.leat.storagetests.worker.InterruptContract;
import dev.leat.storagetests.worker.ProcessorContract;
import dev.leat.storagetests.worker.WorkerContract;
import dev.leat.storagetests.worker.WorkerLifeContract;
import org.junit.jupiter.api.Nested;

/**
 * Workers on a storage, in real time. It is apart from {@link WorkerRuntimeContract}, so that both can run at the same time: they
 * spend most of it waiting.
 */
public abstract class WorkerRuntimeContract {
    protected abstract StorageFixture newFixture();

    @Nested
    class Workers extends WorkerContract {
        @Override
        protected StorageFixture newFixture() {
            return WorkerRuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Processors extends ProcessorContract {
        @Override
        protected StorageFixture newFixture() {
            return WorkerRuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Interrupts extends InterruptContract {
        @Override
        protected StorageFixture newFixture() {
            return WorkerRuntimeContract.this.newFixture();
        }
    }

    @Nested
    class WorkerLives extends WorkerLifeContract {
        @Override
        protected StorageFixture newFixture() {
            return WorkerRuntimeContract.this.newFixture();
        }
    }
}
