package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.TransactionalStorageContract;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The whole contract without a single locking read: the server's own log is the proof. */
@Tag("first-pass")
class PortableStorageTest extends TransactionalStorageContract {
    private static MariaDbFixture.Database database;

    @BeforeAll
    static void logStatements() {
        database = new MariaDbFixture.Database("&portable=true");
        database.server.logStatements();
    }

    @Override
    protected StorageFixture newFixture() {
        return new MariaDbFixture(database);
    }

    @AfterAll
    static void noRowWasLockedByReadingIt() {
        try (database.server) {
            assertThat(database.server.hasLogged(line -> line.contains("UPDATE leat_task")))
                    .isTrue();
            assertThat(database.server.hasLogged(PortableStorageTest::locksByReading))
                    .isFalse();
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
