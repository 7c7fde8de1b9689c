package dev.leat.sql.internal.engine.postgres;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/**
 * Refuses connections through a pooler in transaction mode when Leat was opened without {@code pooler=transaction}.
 *
 * <p>A pooler tells the driver a made-up process id, because the session is chosen later. If two open connections then use the
 * same session, there is a pooler in transaction mode. A busy pooler may use two sessions and pass the check. Without a
 * pooler the check never fails.
 */
final class PoolerCheck {
    static final String ADVICE = "behind PgBouncer in transaction mode, open Leat with pooler=transaction in the URL,"
            + " or DatabaseOptions.pooler(TRANSACTION)";

    /** The start time tells processes of two servers with the same id apart. */
    private record Session(int process, String start) {
        static Session of(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()")) {
                row.next();
                return new Session(row.getInt(1), row.getString(2));
            }
        }
    }

    private PoolerCheck() {}

    /** @param connection an open one of {@code connections}, in autocommit mode */
    static void refuseUnknownPooler(Connection connection, ConnectionSource connections) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return;
        }
        Session session = Session.of(connection);
        if (connection.unwrap(PGConnection.class).getBackendPID() == session.process) {
            return;
        }
        Connection other = connections.open();
        try {
            if (Session.of(other).equals(session)) {
                throw new StorageException(
                        "The connections go through a pooler that gives each transaction another session: " + ADVICE);
            }
        } finally {
            connections.close(other);
        }
    }
}
