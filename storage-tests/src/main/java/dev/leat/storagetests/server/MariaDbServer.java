package dev.leat.storagetests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A MariaDB server with durable settings, from the programs that this machine has installed. */
public final class MariaDbServer extends DatabaseServer {
    private static final Map<String, String> STANDARD = Map.of(
            "innodb_flush_log_at_trx_commit", "1",
            "innodb_buffer_pool_size", "256M",
            "max_connections", "200",
            "transaction_isolation", "READ-COMMITTED",
            "character_set_server", "utf8mb4");
    private static final String PACKAGES = "mariadb-server-core mariadb-client-core";
    private static final String GENERAL_LOG = "general.log";
    private static final Object SHARING = new Object();
    private static @Nullable MariaDbServer shared;

    private final String program;
    private final String installer;
    private final Map<String, String> settings;

    private MariaDbServer(String program, String installer, Map<String, String> settings) {
        super("mariadb");
        this.program = program;
        this.installer = installer;
        this.settings = new LinkedHashMap<>(STANDARD);
        this.settings.putAll(settings);
    }

    public static MariaDbServer start() {
        return start(Map.of());
    }

    /** Starts a new server, empty, with these settings over the standard ones. */
    public static MariaDbServer start(Map<String, String> settings) {
        MariaDbServer server = new MariaDbServer(
                Program.find("mariadbd", PACKAGES), Program.find("mariadb-install-db", PACKAGES), settings);
        server.startNew();
        return server;
    }

    /**
     * The server of this JVM for all tests that need a database and leave the server alone: started by who asks first,
     * stopped when the JVM ends.
     */
    public static MariaDbServer shared() {
        synchronized (SHARING) {
            if (shared == null) {
                shared = start();
            }
            return shared;
        }
    }

    /** Logs every statement from now on until the server ends; {@link #statements} reads them. */
    public void logStatements() {
        execute("SET GLOBAL general_log = ON");
    }

    /** The lines of the general log; empty without {@link #logStatements}. */
    public List<String> statements() {
        return Files.exists(folder().path(GENERAL_LOG))
                ? folder().text(GENERAL_LOG).lines().toList()
                : List.of();
    }

    /** Whether any line of the general log is such a one; for logs of any size. */
    public boolean hasLogged(Predicate<String> such) {
        // Statements contain bytes of all kinds, and this is the charset that knows them all.
        try (Stream<String> lines = Files.lines(folder().path(GENERAL_LOG), StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(such);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String url(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/" + database + "?user=root";
    }

    @Override
    String adminUrl() {
        return url("mysql");
    }

    @Override
    void install() {
        folder().run(List.of(
                installer,
                "--no-defaults",
                "--datadir=" + data(),
                "--auth-root-authentication-method=normal",
                "--skip-name-resolve",
                "--skip-test-db"));
    }

    @Override
    List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                program,
                "--no-defaults",
                "--datadir=" + data(),
                "--port=" + port(),
                "--bind-address=127.0.0.1",
                "--socket=" + folder().path("socket"),
                "--skip-name-resolve",
                "--general-log-file=" + folder().path(GENERAL_LOG)));
        settings.forEach((name, value) -> command.add("--" + name + "=" + value));
        return command;
    }

    @Override
    String stopSignal() {
        return "TERM";
    }
}
