package dev.leat.storagetests.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("engine")
class MariaDbServerTest extends DatabaseServerRules<MariaDbServer> {

    @Override
    MariaDbServer start(Map<String, String> settings) {
        return MariaDbServer.start(settings);
    }

    @Override
    String maxConnections() {
        return "SELECT @@max_connections";
    }

    @Test
    void itKeepsItsPromisesLikeAServerInProduction() throws SQLException {
        assertThat(query(server.adminUrl(), "SELECT @@innodb_flush_log_at_trx_commit"))
                .containsExactly("1");
        assertThat(query(server.adminUrl(), "SELECT @@tx_isolation")).containsExactly("READ-COMMITTED");
    }

    @Test
    void itsTemporaryFilesAreWhereNoOtherServerDeletesThem() throws SQLException {
        assertThat(query(server.adminUrl(), "SELECT @@tmpdir"))
                .containsExactly(server.data().getParent().toString());
    }

    @Test
    void statementsAreLoggedFromWhenItIsAskedFor() throws SQLException {
        query(server.adminUrl(), "SELECT 'before'");

        server.logStatements();

        query(server.adminUrl(), "SELECT 'after'");
        assertThat(server.statements())
                .noneMatch(line -> line.contains("SELECT 'before'"))
                .anyMatch(line -> line.endsWith("SELECT 'after'"));
    }

    @Test
    void oneServerIsSharedByAllWhoAsk() throws SQLException {
        MariaDbServer shared = MariaDbServer.shared();

        assertThat(MariaDbServer.shared()).isSameAs(shared).isNotSameAs(server);
        assertThat(query(shared.newDatabase(), "SELECT 1")).containsExactly("1");
    }
}
