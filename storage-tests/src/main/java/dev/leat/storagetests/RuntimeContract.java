package dev.leat.storagetests;

import dev.leat.storagetests.group.GroupWaitContract;
import dev.leat.storagetests.group.WorkflowContract;
import dev.leat.storagetests.topic.SubscriberContract;
import dev.leat.storagetests.waiting.AwaitContract;
import dev.leat.storagetests.waiting.WaitingContract;
import dev.leat.storagetests.worker.InterruptContract;
import dev.leat.storagetests.worker.ProcessorContract;
import dev.leat.storagetests.worker.RsqueueContract;
import dev.leat.storagetests.worker.WorkerContract;
import dev.leat.storagetests.worker.WorkerLifeContract;
import org.junit.jupiter.api.Nested;

/**
 * What workers and waiting callers do on a storage, in real time. Waiting is written once, above the storage: one storage of
 * each kind (in this process, in a file, on a server, behind Leat's server) shows that it works.
 */
public abstract class RuntimeContract {
    protected abstract StorageFixture newFixture();

    @Nested
    class Awaits extends AwaitContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class GroupWaits extends GroupWaitContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Workflows extends WorkflowContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Subscribers extends SubscriberContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Waiting extends WaitingContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Workers extends WorkerContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Processors extends ProcessorContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Interrupts extends InterruptContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class Rsqueues extends RsqueueContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }

    @Nested
    class WorkerLives extends WorkerLifeContract {
        @Override
        protected StorageFixture newFixture() {
            return RuntimeContract.this.newFixture();
        }
    }
}
