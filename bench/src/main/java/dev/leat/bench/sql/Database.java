package dev.leat.bench.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** One database of the server, dropped when it is closed. */
final class Database implements AutoCloseable {
    private static final Duration DISCONNECT_LIMIT = Duration.ofSeconds(3);
    private static final Duration LOOK_EVERY = Duration.ofMillis(20);

    private final Server server;
    private final String url;

    Database(Server server, String url) {
        this.server = server;
        this.url = url;
    }

    String url() {
        return url;
    }

    /** The same for Node's driver. */
    String nodeUrl() {
        return "postgres://postgres@127.0.0.1:" + server.port() + "/" + name();
    }

    private String name() {
        return url.replaceFirst("\\?.*", "").replaceFirst(".*/", "");
    }

    /** Lets the planner know what is in the tables, as a database that has run for a while does. */
    void analyze() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("ANALYZE");
        }
    }

    /** A session that holds a snapshot of now until it is closed. */
    Connection pinSnapshot() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_class")) {
            row.next();
        }
        return connection;
    }

    /** Statements that were run in this database since the last {@link Server#forgetStatements}. */
    long statements() throws SQLException {
        return server.number("SELECT coalesce(sum(calls), 0)" + ofThisDatabase());
    }

    /** Buffers that those statements touched. */
    long buffers() throws SQLException {
        return server.number("SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0)" + ofThisDatabase());
    }

    private String ofThisDatabase() {
        return " FROM pg_stat_statements WHERE toplevel AND dbid = (SELECT oid FROM pg_database WHERE datname = '"
                + name() + "')";
    }

    /** Whoever has just closed his connections may need a moment until the server knows. */
    @Override
    public void close() throws SQLException {
        long end = System.nanoTime() + DISCONNECT_LIMIT.toNanos();
        while (sessions() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
        }
        server.run("DROP DATABASE " + name() + " WITH (FORCE)");
    }

    private long sessions() throws SQLException {
        return server.number("SELECT count(*) FROM pg_stat_activity WHERE datname = '" + name() + "'");
    }
}
