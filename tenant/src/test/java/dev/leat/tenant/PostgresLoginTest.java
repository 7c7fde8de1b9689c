package dev.leat.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.storagetests.server.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A PostgreSQL server that asks for passwords. */
class PostgresLoginTest {
    private static Path rules;
    private static PostgresServer server;

    @BeforeAll
    static void start() throws IOException {
        rules = Files.createTempFile("pg_hba", ".conf");
        Files.writeString(rules, "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
        // The server may run as another user.
        Files.setPosixFilePermissions(rules, PosixFilePermissions.fromString("rw-r--r--"));
        server = PostgresServer.start(PostgresServer.Version.V18, Map.of("hba_file", rules.toString()));
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
        Files.delete(rules);
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aPasswordThatWasChangedIsReadAgain() throws SQLException {
        execute("CREATE ROLE app LOGIN PASSWORD 'hush-1'");
        String url = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";
        String[] password = {"hush-1"};
        try (PooledTenantConnections pools = PooledTenantConnections.builder(
                        tenant -> new TenantDatabase(url, "app", password[0]))
                .build()) {
            try (Connection before = pools.connection("acme")) {
                execute("ALTER ROLE app PASSWORD 'hush-2'");
                password[0] = "hush-2";

                try (Connection after = pools.connection("acme");
                        Statement statement = after.createStatement();
                        ResultSet user = statement.executeQuery("SELECT current_user")) {
                    assertThat(user.next()).isTrue();
                    assertThat(user.getString(1)).isEqualTo("app");
                }
                assertThat(before.isValid(1)).isTrue();
            }

            password[0] = "hush-3";
            assertThatThrownBy(() -> pools.connection("other"))
                    .isInstanceOf(TenantException.class)
                    .hasMessageContainingAll("tenant 'other' at " + url, "refuses the login of user 'app'")
                    .hasMessageNotContaining("hush");
        }
    }
}
