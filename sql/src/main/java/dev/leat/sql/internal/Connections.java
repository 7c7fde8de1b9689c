package dev.leat.sql.internal;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Where connections come from. */
interface Connections {
    /** A server that says nothing for so long is gone, though the network has not told: no statement of ours takes as long. */
    int SILENCE_MILLIS = 60_000;

    Connection open() throws SQLException;

    /** What a new connection needs before it is used. */
    interface Setup {
        void on(Connection connection) throws SQLException;
    }

    /** Opens a connection and sets it up; one that cannot be is closed again. */
    default Connection open(Setup setup) throws SQLException {
        Connection connection = open();
        try {
            connection.setNetworkTimeout(Runnable::run, SILENCE_MILLIS);
            setup.on(connection);
            return connection;
        } catch (SQLException | RuntimeException e) {
            try {
                connection.close();
            } catch (SQLException failed) {
                e.addSuppressed(failed);
            }
            throw e;
        }
    }

    /** Through the driver that understands the URL. */
    static Connections of(String jdbcUrl, Properties defaults) {
        return () -> DriverManager.getConnection(jdbcUrl, defaults);
    }
}
