package dev.leat.storagetests.server;

import org.junit.jupiter.api.Tag;

@Tag("engine")
class Postgres15ServerTest extends PostgresServerRules {
    Postgres15ServerTest() {
        super(PostgresServer.Version.V15, "15.19");
    }
}
