package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.SessionSpec;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.process.Channel;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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
            try (Channel channel = new Channel(inserter.database)) {
                insert();
                waitFor(q);
                insert("priority", 7);

                assertThat(heard(channel)).singleElement().asString().startsWith("- fresh " + q + " 7 ");
            }
        }

        @Test
        void aTransactionNotifiesOncePerQueueAndPriority() throws SQLException { // N6, N46
            waitFor(q);
            try (Channel channel = new Channel(inserter.database)) {
                connection.setAutoCommit(false);
                long first = insert();
                insert();
                long urgent = insert("priority", -1);
                insert("due", micros(Instant.now().plusSeconds(60)));
                insert("due", micros(Instant.now().plusSeconds(30)));
                connection.commit();
                long next = insert();
                connection.commit();

                assertThat(heard(channel))
                        .containsExactly(
                                "- fresh " + q + " 0 " + first,
                                "- fresh " + q + " -1 " + urgent,
                                "- timer",
                                "- fresh " + q + " 0 " + next);
            }
        }

        @Test
        void whatIsRolledBackIsNotToldAndWhatFollowsIs() throws SQLException { // N6, N46
            waitFor(q);
            try (Channel channel = new Channel(inserter.database)) {
                connection.setAutoCommit(false);
                Savepoint before = connection.setSavepoint();
                insert();
                connection.rollback(before);
                long kept = insert();
                connection.commit();

                assertThat(heard(channel)).containsExactly("- fresh " + q + " 0 " + kept);
            }
        }

        private void waitFor(String queue) {
            String session = leat.storage().sessions().open(SessionSpec.named("sleeper"));
            leat.storage().sessions().heartbeat(session, Map.of(queue, 1));
        }

        /** What plain inserts said: they have no sender. */
        private static List<String> heard(Channel channel) throws SQLException {
            return channel.heard().stream()
                    .filter(message -> message.startsWith("- "))
                    .toList();
        }
    }
}
