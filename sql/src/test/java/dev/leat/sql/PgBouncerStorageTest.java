package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.HandlerTransactionContract;
import dev.leat.testkit.contract.PutContract;
import dev.leat.testkit.contract.SessionContract;
import dev.leat.testkit.contract.SettleContract;
import dev.leat.testkit.contract.SignalContract;
import dev.leat.testkit.contract.TakeContract;
import dev.leat.testkit.contract.TimeContract;
import dev.leat.testkit.contract.WorkerContract;
import dev.leat.testkit.server.PgBouncer;
import dev.leat.testkit.server.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * What of the contract has to do with clocks, transactions and waking, with three sessions of the server's for all connections. The
 * rest is the same statements as without PgBouncer, and would take minutes.
 */
@Tag("engine")
class PgBouncerStorageTest {
    private static PostgresServer server;
    private static PgBouncer bouncer;

    @BeforeAll
    static void start() {
        server = UnsyncedServers.postgres(PostgresServer.Version.V18);
        bouncer = PgBouncer.start(server, 3);
    }

    @AfterAll
    static void stop() {
        bouncer.close();
    }

    private static StorageFixture behindBouncer() {
        return ServerFixture.behind(bouncer, server);
    }

    @Nested
    class Puts extends PutContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }

    @Nested
    @Tag("soak")
    class Takes extends TakeContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }

    @Nested
    @Tag("soak")
    class Settles extends SettleContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }

    @Nested
    class Times extends TimeContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }

    @Nested
    @Tag("soak")
    class Sessions extends SessionContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }

    @Nested
    class Signals extends SignalContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }

    @Nested
    @Tag("soak")
    class Workers extends WorkerContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }

    @Nested
    class HandlerTransactions extends HandlerTransactionContract {
        @Override
        protected StorageFixture newFixture() {
            return behindBouncer();
        }
    }
}
