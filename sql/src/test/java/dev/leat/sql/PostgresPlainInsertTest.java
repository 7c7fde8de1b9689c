package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.SessionSpec;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@Tag("second-pass")
class PostgresPlainInsertTest extends ServerPlainInsertContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgres();
    }

    @Override
    String insertUnlessTaken() {
        return "INSERT INTO leat_task (queue, address) VALUES (?, ?) ON CONFLICT DO NOTHING";
    }

    @Override
    boolean isNamedIn(String comment) {
        return comment.contains("PostgreSQL");
    }

    @Override
    void create(String user) throws SQLException {
        inserter.database.execute("CREATE ROLE " + user + " LOGIN");
    }

    @Nested
    class Notifications extends PlainInsertTest {
        @Override
        PlainInserter inserter() {
            return inserter;
        }

        @Test
        void nobodyIsNotifiedWhileNobodyWaits() throws SQLException {
            try (Connection listener = listener()) {
                insert();
                waitFor(q);
                insert("priority", 7);

                assertThat(heard(listener)).singleElement().asString().startsWith("- fresh " + q + " 7 ");
            }
        }

        @Test
        void aTransactionNotifiesOncePerQueueAndPriority() throws SQLException {
            waitFor(q);
            try (Connection listener = listener()) {
                connection.setAutoCommit(false);
                long first = insert();
                insert();
                long urgent = insert("priority", -1);
                insert("due", micros(Instant.now().plusSeconds(60)));
                insert("due", micros(Instant.now().plusSeconds(30)));
                connection.commit();
                long next = insert();
                connection.commit();

                assertThat(heard(listener))
                        .containsExactly(
                                "- fresh " + q + " 0 " + first,
                                "- fresh " + q + " -1 " + urgent,
                                "- timer",
                                "- fresh " + q + " 0 " + next);
            }
        }

        @Test
        void whatIsRolledBackIsNotToldAndWhatFollowsIs() throws SQLException {
            waitFor(q);
            try (Connection listener = listener()) {
                connection.setAutoCommit(false);
                Savepoint before = connection.setSavepoint();
                insert();
                connection.rollback(before);
                long kept = insert();
                connection.commit();

                assertThat(heard(listener)).containsExactly("- fresh " + q + " 0 " + kept);
            }
        }

        private void waitFor(String queue) {
            String session = leat.storage().openSession(SessionSpec.named("sleeper"));
            leat.storage().heartbeat(session, Map.of(queue, 1));
        }

        private Connection listener() throws SQLException {
            Connection listener = inserter.database.connect();
            Sql.execute(listener, "LISTEN leat_leat_");
            return listener;
        }

        /** What plain inserts said; a last word of our own tells that all has been heard. */
        private List<String> heard(Connection listener) throws SQLException {
            Sql.execute(listener, "NOTIFY leat_leat_, '- end'");
            List<String> messages = new ArrayList<>();
            while (!messages.contains("- end")) {
                for (PGNotification one : listener.unwrap(PGConnection.class).getNotifications(10_000)) {
                    messages.add(one.getParameter());
                }
            }
            messages.remove("- end");
            messages.removeIf(message -> !message.startsWith("- "));
            return messages;
        }
    }
}
