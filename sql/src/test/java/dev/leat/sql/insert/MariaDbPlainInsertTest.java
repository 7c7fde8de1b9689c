package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.UnsyncedServers;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("engine")
class MariaDbPlainInsertTest extends ServerPlainInsertContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.on(UnsyncedServers.mariaDb());
    }

    @Override
    String insertUnlessTaken() {
        return "INSERT IGNORE INTO leat_task (queue, address) VALUES (?, ?)";
    }

    @Override
    boolean isNamedIn(String comment) {
        return comment.contains("MariaDB");
    }

    @Override
    void create(String user) throws SQLException {
        inserter.database.execute("CREATE USER " + user);
    }

    @Nested
    class Snapshots extends PlainInsertTest {
        @Override
        PlainInserter inserter() {
            return inserter;
        }

        @Test
        void aTransactionAtRepeatableReadMakesAQueueThatOthersHaveMadeMeanwhile() throws SQLException {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Sql.execute(connection, "SELECT * FROM leat_queue");
            leat.queue(q + "-new").create(QueueOptions.builder().priority(7).build());

            long id = insertInto(q + "-new");
            connection.commit();

            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(peek(id).priority()).isEqualTo(7);
        }
    }
}
