package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.RuntimeContract;
import dev.leat.testkit.server.MariaDbServer;
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
