package dev.leat.sql.internal;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Where connections come from. */
interface Connections {
    Connection open() throws SQLException;

    /** Through the driver that understands the URL. */
    static Connections of(String jdbcUrl, Properties defaults) {
        return () -> DriverManager.getConnection(jdbcUrl, defaults);
    }
}
