package dev.leat.testkit.server;

class Postgres18ServerTest extends PostgresServerRules {
    Postgres18ServerTest() {
        super(PostgresServer.Version.V18, "18.6");
    }
}
