package dev.leat.storagetests.server;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A database server that lives as long as a test wants: a child process with a folder and a port of its own.
 *
 * <p>Safe from any thread. {@link #close} ends the process and deletes the folder; what is still open when the JVM exits
 * is closed then, and a server whose JVM was killed stops by itself.
 */
public abstract sealed class DatabaseServer implements AutoCloseable permits PostgresServer, MariaDbServer {
    private static final Set<DatabaseServer> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> OPEN.forEach(DatabaseServer::close), "leat-database-servers"));
    }

    private final ServerFolder folder;
    private final int port = FreePort.find();
    private final AtomicInteger names = new AtomicInteger();
    private @Nullable ServerProcess process;

    DatabaseServer(String name) {
        this.folder = ServerFolder.create(name);
    }

    /** Makes the data directory. */
    abstract void install();

    abstract List<String> command();

    /** The signal that ends the server without waiting for its clients. */
    abstract String stopSignal();

    /** The JDBC URL of a database that every new server has. */
    abstract String adminUrl();

    /** The JDBC URL of a database of this server. */
    public abstract String url(String database);

    /** Creates an empty database and returns its JDBC URL. */
    public final String newDatabase() {
        String name = newName("db");
        execute("CREATE DATABASE " + name);
        return url(name);
    }

    /** The port on 127.0.0.1; it stays the same through restarts. */
    public final int port() {
        return port;
    }

    /** Ends the server in good order, without waiting for its clients; nothing when it is not running. */
    public final synchronized void stop() {
        if (process != null) {
            process.stop();
            process = null;
        }
    }

    /** Ends the server as a crash does: SIGKILL for all its processes; nothing when it is not running. */
    public final synchronized void kill() {
        if (process != null) {
            process.kill();
            process = null;
        }
    }

    /** Starts a server that was stopped or killed, with its data, on its port; returns when it takes connections. */
    public final synchronized void startAgain() {
        if (process != null) {
            throw new IllegalStateException("the server on port " + port + " is running");
        }
        process = folder.start(command(), stopSignal());
        awaitConnection(process);
    }

    /** Stops and starts the server. */
    public final synchronized void restart() {
        stop();
        startAgain();
    }

    /** Stops the server and deletes its data. */
    @Override
    public final synchronized void close() {
        if (OPEN.remove(this)) {
            try {
                stop();
            } finally {
                folder.delete();
            }
        }
    }

    final void startNew() {
        OPEN.add(this);
        try {
            requireDriver();
            install();
            startAgain();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void requireDriver() {
        try {
            DriverManager.getDriver(adminUrl());
        } catch (SQLException e) {
            throw new IllegalStateException("no JDBC driver on the class path for " + adminUrl(), e);
        }
    }

    final ServerFolder folder() {
        return folder;
    }

    final Path data() {
        return folder.path("data");
    }

    /** A name that nothing on this server has yet. */
    final String newName(String prefix) {
        return prefix + names.incrementAndGet();
    }

    final void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(adminUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot execute " + sql + " on " + adminUrl(), e);
        }
    }

    private void awaitConnection(ServerProcess started) {
        try {
            started.awaitAnswer(() -> DriverManager.getConnection(adminUrl()));
        } catch (IllegalStateException e) {
            kill();
            throw new IllegalStateException(command() + " " + e.getMessage() + ":\n" + folder.serverLog(), e);
        }
    }
}
