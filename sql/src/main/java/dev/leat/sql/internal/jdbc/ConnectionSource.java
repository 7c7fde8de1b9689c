package dev.leat.sql.internal.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Where connections come from, and where they go. */
public interface ConnectionSource {
    /** The network does not always tell that a server is gone, and no statement of ours takes as long. */
    Duration SILENCE = Duration.ofMinutes(1);

    Connection open() throws SQLException;

    /** Opens one that waits for what the server says by itself. */
    default Connection openToListen() throws SQLException {
        return open();
    }

    default void close(Connection connection) throws SQLException {
        connection.close();
    }

    /** How many there may be of a kind, where {@code wanted} would be good. */
    default int most(Dialect.Access access, int wanted) {
        return wanted;
    }

    /** Whether those of a kind are kept while nobody uses them. */
    default boolean keeps(Dialect.Access access) {
        return true;
    }

    /** Makes a server that says nothing for so long an error. */
    default void limitSilence(Connection connection, Duration longest) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(longest.toMillis()));
    }
}
