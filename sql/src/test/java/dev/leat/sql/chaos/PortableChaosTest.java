package dev.leat.sql.chaos;

import dev.leat.sql.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class PortableChaosTest extends ServerChaosContract {
    PortableChaosTest() {
        super(TestDatabase.mariaDb().with("portable=true").with("sessionVariables=idle_transaction_timeout=1"));
    }
}
