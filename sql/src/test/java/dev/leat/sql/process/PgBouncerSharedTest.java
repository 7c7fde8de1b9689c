package dev.leat.sql.process;

import dev.leat.sql.TestDatabase;
import dev.leat.storagetests.server.PgBouncer;
import dev.leat.storagetests.server.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Processes find each other's work through PgBouncer, by looking for it. */
@Tag("engine")
class PgBouncerSharedTest extends WatchedStorageContract {
    private static final PostgresServer SERVER = PostgresServer.shared(PostgresServer.Version.V18);
    private static PgBouncer bouncer;

    @BeforeAll
    static void start() {
        bouncer = PgBouncer.start(SERVER, 3);
    }

    @AfterAll
    static void stop() {
        bouncer.close();
    }

    @Override
    TestDatabase newDatabase() {
        return TestDatabase.on(SERVER).behind(bouncer);
    }
}
