package dev.leat.sql.storage;

import dev.leat.sql.ServerFixture;
import dev.leat.sql.UnsyncedServers;
import dev.leat.storagetests.RuntimeContract;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class PortableRuntimeTest extends RuntimeContract {
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
