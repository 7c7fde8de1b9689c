package dev.leat.storagetests.server;

class Postgres18ServerTest extends PostgresServerRules {
    Postgres18ServerTest() {
        super(PostgresServer.Version.V18, "18.6");
    }
}
