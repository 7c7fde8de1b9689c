package dev.leat.storagetests;

import dev.leat.storagetests.group.FollowerContract;
import dev.leat.storagetests.group.FollowerRaceContract;
import dev.leat.storagetests.group.GroupCancelContract;
import dev.leat.storagetests.group.GroupContract;
import dev.leat.storagetests.group.GroupEndContract;
import dev.leat.storagetests.group.GroupRaceContract;
import dev.leat.storagetests.group.NestedGroupContract;
import dev.leat.storagetests.queue.DeadLetterContract;
import dev.leat.storagetests.queue.HousekeepingContract;
import dev.leat.storagetests.queue.OperatorContract;
import dev.leat.storagetests.queue.QueueContract;
import dev.leat.storagetests.queue.StatsContract;
import dev.leat.storagetests.queue.TenantContract;
import dev.leat.storagetests.schedule.ScheduleContract;
import dev.leat.storagetests.session.SessionContract;
import dev.leat.storagetests.task.AddressContract;
import dev.leat.storagetests.task.EquivalenceContract;
import dev.leat.storagetests.task.HistoryContract;
import dev.leat.storagetests.task.KeyContract;
import dev.leat.storagetests.task.PutContract;
import dev.leat.storagetests.task.RetryContract;
import dev.leat.storagetests.task.SettleContract;
import dev.leat.storagetests.task.TakeContract;
import dev.leat.storagetests.task.TaskStatusContract;
import dev.leat.storagetests.task.TimeContract;
import dev.leat.storagetests.topic.ReplayContract;
import dev.leat.storagetests.topic.TopicContract;
import dev.leat.storagetests.waiting.LockContract;
import dev.leat.storagetests.waiting.SignalContract;
import org.junit.jupiter.api.Nested;

/**
 * The rules of a storage, tested by direct calls on a clock that the test moves. Every storage's test class extends this and says
 * how to open the storage; {@link RuntimeContract} tests the runtime above a storage.
 */
public abstract class StorageContract {
    protected abstract StorageFixture newFixture();

    @Nested
    class Queues extends QueueContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Puts extends PutContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Takes extends TakeContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class TenantShares extends TenantContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Keys extends KeyContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Settles extends SettleContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Retries extends RetryContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Times extends TimeContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Sessions extends SessionContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Operators extends OperatorContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Addresses extends AddressContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class TaskStatuses extends TaskStatusContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Equivalences extends EquivalenceContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Groups extends GroupContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class GroupEnds extends GroupEndContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class GroupCancels extends GroupCancelContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class NestedGroups extends NestedGroupContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Followers extends FollowerContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class FollowerRaces extends FollowerRaceContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class GroupRaces extends GroupRaceContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Topics extends TopicContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Replays extends ReplayContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Schedules extends ScheduleContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class DeadLetters extends DeadLetterContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Histories extends HistoryContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Housekeepings extends HousekeepingContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Statistics extends StatsContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Signals extends SignalContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Locks extends LockContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Capabilities extends CapabilityContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        @Override
        protected StorageFixture newFixture() {
            return StorageContract.this.newFixture();
        }
    }
}
