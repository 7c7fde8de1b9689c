package dev.leat.sql.chaos;

import dev.leat.sql.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbChaosTest extends ServerChaosContract {
    MariaDbChaosTest() {
        super(TestDatabase.mariaDb().with("sessionVariables=idle_transaction_timeout=1"));
    }
}
