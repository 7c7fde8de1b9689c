package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.sql.UnsyncedServers;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TransactionalStorageContract;
import dev.leat.storagetests.server.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** All of the contract; {@link PortableStorageTest} is the daily slice of it. */
@Tag("soak")
class PortableSoakTest extends TransactionalStorageContract {
    private static MariaDbServer server;

    @BeforeAll
    static void start() {
        server = UnsyncedServers.startMariaDb();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected StorageFixture newFixture() {
        return ServerFixture.onPortableMariaDb(server);
    }
}
