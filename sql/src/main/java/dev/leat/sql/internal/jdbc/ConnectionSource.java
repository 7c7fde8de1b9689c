package dev.leat.sql.internal.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Opens and closes connections: by a driver, or from a data source. */
public interface ConnectionSource {
    /** A server that is silent for so long counts as dead. No statement of Leat takes as long, except migrations. */
    Duration SILENCE = Duration.ofMinutes(1);

    Connection open() throws SQLException;

    /** Opens a connection that waits for notifications of the server. */
    default Connection openToListen() throws SQLException {
        return open();
    }

    default void close(Connection connection) throws SQLException {
        connection.close();
    }

    /** The largest number of connections of a kind; {@code wanted} is best for throughput. */
    default int most(Dialect.Access access, int wanted) {
        return wanted;
    }

    /** Whether unused connections of a kind stay open. */
    default boolean keeps(Dialect.Access access) {
        return true;
    }

    /** Makes a statement fail if the server is silent for so long. */
    default void limitSilence(Connection connection, Duration longest) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(longest.toMillis()));
    }
}
