package dev.leat.sql.internal.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The isolation level of a connection, and a statement that restores its other settings. */
public record RememberedSettings(int isolation, String statement) implements LentConnections.Undo {
    /** @param query returns the statement that restores the settings */
    public static RememberedSettings of(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return new RememberedSettings(connection.getTransactionIsolation(), row.getString(1));
        }
    }

    @Override
    public void apply(Connection connection) throws SQLException {
        try (Statement set = connection.createStatement()) {
            set.execute(statement);
        }
        connection.setTransactionIsolation(isolation);
    }
}
