package dev.leat.sql.internal.engine.postgres;

import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.peers.PromptSockets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.Driver;

/** Opens connections to PostgreSQL. Parameters of the URL override the defaults set here. */
public final class PostgresConnectionSource implements ConnectionSource {
    private static final boolean DRIVER_FINDS_PROMPT_SOCKETS = findsPromptSockets(Driver.class.getClassLoader());

    private final String jdbcUrl;

    public PostgresConnectionSource(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
    }

    @Override
    public Connection open() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, defaults());
    }

    @Override
    public Connection openToListen() throws SQLException {
        Properties defaults = defaults();
        if (DRIVER_FINDS_PROMPT_SOCKETS) {
            defaults.setProperty("socketFactory", PromptSockets.class.getName());
        }
        return DriverManager.getConnection(jdbcUrl, defaults);
    }

    private static Properties defaults() {
        Properties defaults = new Properties();
        defaults.setProperty("ApplicationName", "leat");
        defaults.setProperty("connectTimeout", "10");
        defaults.setProperty("tcpKeepAlive", "true");
        return defaults;
    }

    /** In an application server, the driver's class loader may not see Leat's classes. */
    private static boolean findsPromptSockets(ClassLoader loader) {
        try {
            return Class.forName(PromptSockets.class.getName(), false, loader) == PromptSockets.class;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
