package dev.leat.testkit.server;

class Postgres15ServerTest extends PostgresServerRules {
    Postgres15ServerTest() {
        super(PostgresServer.Version.V15, "15.19");
    }
}
