package dev.leat.storagetests.server;

import static dev.leat.storagetests.server.DatabaseServerRules.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("engine")
class PgBouncerTest {
    private static final String SESSION = "SELECT pg_backend_pid()";

    private final PostgresServer server = PostgresServer.shared(PostgresServer.Version.V18);

    @Test
    void allClientsShareTheSessionsOfTheServer() throws SQLException {
        try (PgBouncer bouncer = PgBouncer.start(server, 1)) {
            String url = bouncer.through(server.newDatabase());
            try (Connection open = DriverManager.getConnection(url)) {
                assertThat(open.isValid(10)).isTrue();

                assertThat(query(url, SESSION)).isEqualTo(query(url, SESSION));
            }
        }
    }

    @Test
    void nobodyGetsThroughAfterItsEnd() throws SQLException {
        PgBouncer bouncer = PgBouncer.start(server, 1);
        String url = bouncer.through(server.newDatabase());
        query(url, SESSION);

        bouncer.close();

        assertThatThrownBy(() -> query(url, SESSION)).isInstanceOf(SQLException.class);
    }

    @Test
    void oneThatDoesNotStartSaysWhy() {
        assertThatThrownBy(() -> PgBouncer.start(server, Map.of("pool_mode", "sometimes")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended while it started")
                .hasMessageContaining("sometimes");
    }

    @Test
    void aMissingProgramIsNamedWithItsPackage() {
        assertThatThrownBy(() -> Program.find("no-such-program", "some-package"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-program is neither on the PATH")
                .hasMessageContaining("apt-get install some-package");
    }
}
