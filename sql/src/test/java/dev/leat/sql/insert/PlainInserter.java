package dev.leat.sql.insert;

import dev.leat.Leat;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/** A Leat, and somebody who knows nothing of it and inserts rows into its table. Each test has a queue of its own. */
final class PlainInserter implements AutoCloseable {
    final TestDatabase database;
    final Leat leat;
    final Connection connection;
    private int queues;

    PlainInserter(TestDatabase database) throws SQLException {
        this.database = database;
        this.leat = Leat.open(database.leatUrl());
        this.connection = database.connect();
    }

    String newQueue() {
        String name = "q" + ++queues;
        leat.queue(name).create(QueueOptions.standard());
        return name;
    }

    void leaveNothing() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        leat.queues().forEach(queue -> leat.storage().queues().truncate(queue.name()));
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        leat.close();
    }
}
