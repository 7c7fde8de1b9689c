package dev.leat.sql.internal.engine.mariadb;

import dev.leat.sql.internal.jdbc.ConnectionSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/**
 * Opens connections to MariaDB and MySQL and gives the driver the server's largest packet size. Otherwise the driver sends larger
 * packets too, and the server closes the connection without an error. Safe from any thread.
 */
public final class MariaDbConnectionSource implements ConnectionSource {
    private static final String LARGEST_PACKET = "maxAllowedPacket";

    private final String jdbcUrl;
    private final Properties settings = new Properties();

    public MariaDbConnectionSource(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
        settings.setProperty("connectTimeout", "10000");
        settings.setProperty("tcpKeepAlive", "true");
    }

    @Override
    public Connection open() throws SQLException {
        synchronized (settings) {
            if (settings.getProperty(LARGEST_PACKET) == null) {
                settings.setProperty(LARGEST_PACKET, largestPacket());
            }
        }
        return connect();
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, settings);
    }

    private String largestPacket() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@max_allowed_packet")) {
            row.next();
            return row.getString(1);
        }
    }
}
