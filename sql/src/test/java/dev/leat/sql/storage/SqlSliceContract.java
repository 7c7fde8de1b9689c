package dev.leat.sql.storage;

import dev.leat.storagetests.ConcurrencyContract;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.group.FollowerContract;
import dev.leat.storagetests.group.FollowerRaceContract;
import dev.leat.storagetests.group.GroupContract;
import dev.leat.storagetests.group.GroupRaceContract;
import dev.leat.storagetests.queue.HousekeepingContract;
import dev.leat.storagetests.queue.StatsContract;
import dev.leat.storagetests.queue.TenantContract;
import dev.leat.storagetests.schedule.ScheduleContract;
import dev.leat.storagetests.session.SessionContract;
import dev.leat.storagetests.task.KeyContract;
import dev.leat.storagetests.task.PutContract;
import dev.leat.storagetests.task.SettleContract;
import dev.leat.storagetests.task.TakeContract;
import dev.leat.storagetests.topic.TopicContract;
import dev.leat.storagetests.waiting.SignalContract;
import dev.leat.storagetests.worker.HandlerTransactionContract;
import org.junit.jupiter.api.Nested;

/**
 * What of the contract depends on how an engine plans, locks and tells: for an older version, or another way of locking, of an
 * engine that the daily check runs the whole contract on.
 */
abstract class SqlSliceContract {
    abstract StorageFixture newFixture();

    @Nested
    class Puts extends PutContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Takes extends TakeContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class TenantShares extends TenantContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Keys extends KeyContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Settles extends SettleContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Sessions extends SessionContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Groups extends GroupContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class GroupRaces extends GroupRaceContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Followers extends FollowerContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class FollowerRaces extends FollowerRaceContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Topics extends TopicContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Schedules extends ScheduleContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Housekeepings extends HousekeepingContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Statistics extends StatsContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Signals extends SignalContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }

    @Nested
    class HandlerTransactions extends HandlerTransactionContract {
        @Override
        protected StorageFixture newFixture() {
            return SqlSliceContract.this.newFixture();
        }
    }
}
