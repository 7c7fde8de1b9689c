package dev.leat.sql;

import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.TransactionalStorageContract;
import org.junit.jupiter.api.Tag;

@Tag("second-pass")
class MariaDbStorageTest extends TransactionalStorageContract {
    /** Started by the first test that needs it; the server ends with the JVM. */
    private static final class Server {
        static final MariaDbFixture.Database DATABASE = new MariaDbFixture.Database("");
    }

    @Override
    protected StorageFixture newFixture() {
        return new MariaDbFixture(Server.DATABASE);
    }
}
