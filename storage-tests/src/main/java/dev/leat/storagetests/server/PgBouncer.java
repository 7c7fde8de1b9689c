package dev.leat.storagetests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * PgBouncer in transaction mode before a PostgreSQL server, from the program that this machine has installed: a child process with
 * a folder and a port of its own. It accepts every user. Stopped by {@link #close}, and when its JVM ends.
 */
public final class PgBouncer implements AutoCloseable {
    private static final String CONFIGURATION = "pgbouncer.ini";
    /** It has nothing to lose, and what a gentler signal means depends on the version. */
    private static final String STOP_SIGNAL = "KILL";

    private final PostgresServer server;
    private final ServerFolder folder = ServerFolder.create("pgbouncer");
    private final int port = FreePort.find();
    private final ServerProcess process;

    private PgBouncer(PostgresServer server, String program, Map<String, String> settings) {
        this.server = server;
        try {
            Files.writeString(folder.path(CONFIGURATION), configuration(settings));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.process = folder.start(List.of(program, folder.path(CONFIGURATION).toString()), STOP_SIGNAL);
    }

    /** Starts one with so many connections to the server for each of its databases. */
    public static PgBouncer start(PostgresServer server, int poolSize) {
        return start(server, Map.of("default_pool_size", Integer.toString(poolSize)));
    }

    /** Starts one with these settings over the standard ones. */
    public static PgBouncer start(PostgresServer server, Map<String, String> settings) {
        PgBouncer bouncer = new PgBouncer(server, Program.find("pgbouncer", "pgbouncer"), settings);
        bouncer.awaitConnection();
        return bouncer;
    }

    private String configuration(Map<String, String> settings) {
        return """
                [databases]
                * = host=127.0.0.1 port=%d user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                max_client_conn = 500
                server_idle_timeout = 5
                """.formatted(server.port(), port)
                + settings.entrySet().stream()
                        .map(setting -> setting.getKey() + " = " + setting.getValue())
                        .collect(Collectors.joining("\n", "", "\n"));
    }

    private void awaitConnection() {
        try {
            process.awaitAnswer(() -> new Socket(InetAddress.getLoopbackAddress(), port));
        } catch (IllegalStateException e) {
            String log = folder.serverLog();
            close();
            throw new IllegalStateException("PgBouncer " + e.getMessage() + ":\n" + log, e);
        }
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** The URL of the server's that leads through PgBouncer instead. */
    public String through(String url) {
        return url.replace(":" + server.port() + "/", ":" + port + "/");
    }

    @Override
    public void close() {
        process.stop();
        folder.delete();
    }
}
