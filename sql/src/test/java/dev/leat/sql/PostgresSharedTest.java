package dev.leat.sql;

import dev.leat.testkit.server.PostgresServer;

class PostgresSharedTest extends ToldStorageContract {
    private final String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();

    @Override
    String url() {
        return url;
    }
}
