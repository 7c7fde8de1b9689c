package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.ConcurrencyContract;
import dev.leat.testkit.contract.FollowerContract;
import dev.leat.testkit.contract.FollowerRaceContract;
import dev.leat.testkit.contract.GroupContract;
import dev.leat.testkit.contract.GroupRaceContract;
import dev.leat.testkit.contract.HandlerTransactionContract;
import dev.leat.testkit.contract.HousekeepingContract;
import dev.leat.testkit.contract.KeyContract;
import dev.leat.testkit.contract.PutContract;
import dev.leat.testkit.contract.ScheduleContract;
import dev.leat.testkit.contract.SessionContract;
import dev.leat.testkit.contract.SettleContract;
import dev.leat.testkit.contract.SignalContract;
import dev.leat.testkit.contract.StatsContract;
import dev.leat.testkit.contract.TakeContract;
import dev.leat.testkit.contract.TenantContract;
import dev.leat.testkit.contract.TopicContract;
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
