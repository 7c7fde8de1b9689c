package dev.leat.bench.sql;

import dev.leat.storagetests.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/** The PostgreSQL server of a run. All contenders have the same settings, and what is committed is on the disk. */
final class Server implements AutoCloseable {
    private static final Map<String, String> SETTINGS = settings();

    private final PostgresServer server;

    private Server(PostgresServer server) {
        this.server = server;
    }

    static Server start() throws SQLException {
        Server started = new Server(PostgresServer.start(PostgresServer.Version.V15, SETTINGS));
        started.run("CREATE EXTENSION pg_stat_statements");
        return started;
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fsync", "on");
        settings.put("synchronous_commit", "on");
        settings.put("max_connections", "300");
        settings.put("shared_buffers", "1GB");
        // A checkpoint in the middle of one contender's turn and not in another's would say nothing about either.
        settings.put("max_wal_size", "8GB");
        settings.put("checkpoint_timeout", "30min");
        settings.put("shared_preload_libraries", "pg_stat_statements");
        return settings;
    }

    Database newDatabase() throws SQLException {
        Database database = new Database(this, server.newDatabase());
        run("CHECKPOINT");
        return database;
    }

    int port() {
        return server.port();
    }

    /** Stops and starts the server; returns when it takes connections again. */
    void restart() {
        server.restart();
    }

    String description() throws SQLException {
        return "PostgreSQL " + text("SHOW server_version") + " with " + SETTINGS;
    }

    /** How many bytes of log the server has written in its life. */
    long walBytes() throws SQLException {
        return number("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn");
    }

    void forgetStatements() throws SQLException {
        run("SELECT pg_stat_statements_reset()");
    }

    void autovacuum(boolean on) throws SQLException {
        run("ALTER SYSTEM SET autovacuum = " + (on ? "on" : "off"));
        run("SELECT pg_reload_conf()");
    }

    void run(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long number(String sql) throws SQLException {
        return Long.parseLong(text(sql));
    }

    private String text(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(server.url("postgres"));
    }

    @Override
    public void close() {
        server.close();
    }
}
