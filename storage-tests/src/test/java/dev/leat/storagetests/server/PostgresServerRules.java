package dev.leat.storagetests.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.storagetests.server.PostgresServer.Version;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

abstract class PostgresServerRules extends DatabaseServerRules<PostgresServer> {
    private final Version version;
    private final String number;

    PostgresServerRules(Version version, String number) {
        this.version = version;
        this.number = number;
    }

    @Override
    PostgresServer start(Map<String, String> settings) {
        return PostgresServer.start(version, settings);
    }

    @Override
    String maxConnections() {
        return "SHOW max_connections";
    }

    @Test
    void itIsTheVersionThatWasAskedFor() throws SQLException {
        assertThat(query(server.adminUrl(), "SHOW server_version")).containsExactly(number);
    }

    @Test
    void itKeepsItsPromisesLikeAServerInProduction() throws SQLException {
        assertThat(
                        query(
                                server.adminUrl(),
                                "SELECT setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')"))
                .hasSize(3)
                .containsOnly("on");
    }

    @Test
    void everyNewSchemaIsTheCurrentOneOfItsUrl() throws SQLException {
        String first = server.newSchema();
        String second = server.newSchema();

        try (Connection connection = DriverManager.getConnection(first);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE here (id INT)");
        }

        String tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema";
        assertThat(query(first, tables)).containsExactly("here");
        assertThat(query(second, tables)).isEmpty();
    }

    @Test
    void oneServerIsSharedByAllWhoAsk() throws SQLException {
        PostgresServer shared = PostgresServer.shared(version);

        assertThat(PostgresServer.shared(version)).isSameAs(shared).isNotSameAs(server);
        assertThat(query(shared.newDatabase(), "SHOW server_version")).containsExactly(number);
    }
}
