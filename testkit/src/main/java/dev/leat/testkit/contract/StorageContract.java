package dev.leat.testkit.contract;

import dev.leat.testkit.StorageFixture;
import org.junit.jupiter.api.Nested;

/**
 * What a storage must do, called directly and on a clock that the test moves. Every storage's test class extends this and says
 * how to open one; {@link RuntimeContract} is for what is built on top.
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
    class Standings extends StandingContract {
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
