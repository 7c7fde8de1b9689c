package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.TransactionalStorageContract;
import dev.leat.testkit.server.MariaDbServer;
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
