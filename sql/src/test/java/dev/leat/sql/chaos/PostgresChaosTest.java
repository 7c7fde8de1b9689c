package dev.leat.sql.chaos;

import dev.leat.sql.TestDatabase;

class PostgresChaosTest extends ServerChaosContract {
    PostgresChaosTest() {
        super(TestDatabase.postgres().with("options=-c%20idle_in_transaction_session_timeout=1s"));
    }
}
