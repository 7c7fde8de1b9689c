package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

class PostgresSharedTest extends ToldStorageContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgres();
    }

    @Test
    void aTaskThatIsPutAloneIsToldOfByItsOwnCommit() throws SQLException {
        try (Connection listener = database.connect()) {
            Sql.execute(listener, "LISTEN leat_leat_");

            // The first ones may follow too soon after the queue was made.
            await().untilAsserted(() -> {
                long id = put(here);
                assertThat(heard(listener)).containsOnlyOnce("fresh " + Q + " 0 " + id);
                assertThat(lastStatements(listener))
                        .anyMatch(sql -> sql.contains("INSERT") && sql.contains("pg_notify"));
            });
        }
    }

    private static List<String> lastStatements(Connection connection) throws SQLException {
        return Sql.texts(connection, "SELECT query FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
    }

    /** What was committed before this call, without the senders. */
    private static List<String> heard(Connection listener) throws SQLException {
        Sql.execute(listener, "NOTIFY leat_leat_, 'test end'");
        List<String> messages = new ArrayList<>();
        while (!messages.contains("end")) {
            for (PGNotification one : listener.unwrap(PGConnection.class).getNotifications(10_000)) {
                messages.add(one.getParameter().split(" ", 2)[1]);
            }
        }
        return messages;
    }
}
