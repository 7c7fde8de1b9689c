package dev.leat.sql.internal;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Opens connections to PostgreSQL; what the URL says comes before what is set here. */
record PostgresConnections(String jdbcUrl) implements Connections {
    private static final String SOCKET_FACTORY = "socketFactory";

    @Override
    public Connection open() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, defaults());
    }

    /** With {@link PromptSockets} where the driver finds them; a driver of another class loader does not. */
    @Override
    public Connection openToListen() throws SQLException {
        Properties prompt = defaults();
        prompt.setProperty(SOCKET_FACTORY, PromptSockets.class.getName());
        try {
            return DriverManager.getConnection(jdbcUrl, prompt);
        } catch (SQLException e) {
            return open();
        }
    }

    private static Properties defaults() {
        Properties defaults = new Properties();
        defaults.setProperty("ApplicationName", "leat");
        defaults.setProperty("connectTimeout", "10");
        defaults.setProperty("tcpKeepAlive", "true");
        return defaults;
    }
}
