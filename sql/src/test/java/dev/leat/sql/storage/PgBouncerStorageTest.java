package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.sql.UnsyncedServers;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.PgBouncer;
import dev.leat.storagetests.server.PostgresServer;
import dev.leat.storagetests.session.SessionContract;
import dev.leat.storagetests.task.PutContract;
import dev.leat.storagetests.task.SettleContract;
import dev.leat.storagetests.task.TakeContract;
import dev.leat.storagetests.task.TimeContract;
import dev.leat.storagetests.waiting.SignalContract;
import dev.leat.storagetests.worker.HandlerTransactionContract;
import dev.leat.storagetests.worker.WorkerContract;
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
