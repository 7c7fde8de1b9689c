package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.row.RowStatements;
import dev.leat.storage.Finding;
import dev.leat.storage.Storage;
import dev.leat.storagetests.server.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each database says of its health. */
class ExamineTest {
    private static final Tables TABLES = new Tables(Optional.empty(), Tables.STANDARD_PREFIX);

    @Test
    void postgresNamesWhoKeepsASnapshot() throws SQLException {
        TestDatabase database = TestDatabase.postgres();
        Dialect dialect = new PostgresDialect(database::connect, Optional.empty());
        try (Storage storage = database.open();
                Connection holder = database.connect();
                Connection looker = database.connect()) {
            assertThat(storage.examine())
                    .noneMatch(finding -> finding.level() == Finding.Level.TROUBLE)
                    .noneMatch(finding -> finding.what().contains("Could not look"));
            Sql.execute(holder, "SET application_name = 'report'", "BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT 1");

            String examine = RowStatements.of(dialect, TABLES).get("examine");

            assertThat(whats(looker, examine.replace("5 minutes", "0 seconds")))
                    .anyMatch(what ->
                            what.matches("Session \\d+ \\(report\\) of database \\w+ keeps a snapshot for \\d+ s\\."));
            assertThat(whats(looker, examine)).noneMatch(what -> what.contains("(report)"));
        }
    }

    @Test
    void postgresNamesAnAutovacuumThatIsOff() {
        try (PostgresServer server =
                        PostgresServer.start(PostgresServer.Version.V18, Map.of("fsync", "off", "autovacuum", "off"));
                Storage storage = TestDatabase.on(server).open()) {
            assertThat(storage.examine())
                    .filteredOn(finding -> finding.level() == Finding.Level.TROUBLE)
                    .extracting(Finding::what)
                    .containsExactly("Autovacuum is off.");
        }
    }

    @Test
    @Tag("engine")
    void mariaDbNamesWhoKeepsATransactionOpen() throws SQLException {
        TestDatabase database = TestDatabase.mariaDb();
        Dialect dialect = new MariaDbDialect(database::connect, Optional.empty(), MariaDbDialect.Locking.BY_READING);
        try (Storage storage = database.open();
                Connection holder = database.connect();
                Connection looker = database.connect()) {
            assertThat(storage.examine())
                    .noneMatch(finding -> finding.level() == Finding.Level.TROUBLE)
                    .noneMatch(finding -> finding.what().contains("Could not look"));
            Sql.execute(holder, "START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT * FROM leat_queue");
            long id = Sql.number(holder, "SELECT CONNECTION_ID()");

            String examine = RowStatements.of(dialect, TABLES).get("examine");

            // The server keeps what it showed last for a tenth of a second.
            await().untilAsserted(() -> assertThat(
                            whats(looker, examine.replace("INTERVAL 300 SECOND", "INTERVAL -1 SECOND")))
                    .anyMatch(what -> what.startsWith("Connection " + id + " keeps a transaction open")));
        }
    }

    @Test
    void aSmallFileIsWell(@TempDir Path folder) {
        try (Storage storage = TestDatabase.sqlite(folder).open()) {
            assertThat(storage.examine()).isEmpty();
        }
    }

    private static List<String> whats(Connection connection, String examine) throws SQLException {
        List<String> whats = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(examine)) {
            while (row.next()) {
                whats.add(row.getString(2));
            }
        }
        return whats;
    }
}
