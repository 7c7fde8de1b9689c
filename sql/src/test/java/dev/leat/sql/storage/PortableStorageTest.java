package dev.leat.sql.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.ServerFixture;
import dev.leat.sql.UnsyncedServers;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.server.MariaDbServer;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract without a single locking read: the server's own log is the proof. */
@Tag("engine")
class PortableStorageTest extends SqlSliceContract {
    private static MariaDbServer server;

    @BeforeAll
    static void logStatements() {
        server = UnsyncedServers.startMariaDb();
        server.logStatements();
    }

    @Override
    StorageFixture newFixture() {
        return ServerFixture.onPortableMariaDb(server);
    }

    @AfterAll
    static void noRowWasLockedByReadingIt() {
        try {
            assertThat(server.hasLogged(line -> line.contains("UPDATE leat_task")))
                    .isTrue();
            assertThat(server.hasLogged(PortableStorageTest::locksByReading)).isFalse();
        } finally {
            server.close();
        }
    }

    private static boolean locksByReading(String line) {
        String upper = line.toUpperCase(Locale.ROOT);
        return upper.contains("SKIP LOCKED")
                || upper.contains("FOR UPDATE")
                || upper.contains("FOR SHARE")
                || upper.contains("LOCK IN SHARE MODE");
    }
}
