package dev.leat.sql.internal.engine.postgres;

import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/**
 * Finds out that connections go through a pooler that gives each transaction another session, and nobody has said so.
 *
 * <p>A pooler does not know the process id of a session that it may choose later, so it tells the driver one that it has made up.
 * If then two open connections are answered by the same session, it belongs to neither. A busy pooler may answer from two
 * and stay undiscovered; without one, nobody is ever suspected.
 */
final class PoolerCheck {
    static final String ADVICE = "behind PgBouncer in transaction mode, open Leat with pooler=transaction in the URL,"
            + " or DatabaseOptions.pooler(TRANSACTION)";

    /** Two servers may have processes of the same number, but hardly from the same microsecond. */
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
