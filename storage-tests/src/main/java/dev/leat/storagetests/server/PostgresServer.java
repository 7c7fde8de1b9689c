package dev.leat.storagetests.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A PostgreSQL server with durable settings, from the binaries on the class path. */
public final class PostgresServer extends DatabaseServer {
    private static final Map<String, String> STANDARD = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "max_connections", "200",
            "shared_buffers", "256MB");
    private static final Map<Version, PostgresServer> SHARED = new EnumMap<>(Version.class);

    private final Path home;
    private final Map<String, String> settings;

    /** The versions that Leat is tested on. */
    public enum Version {
        V15("15"),
        V18("18");

        private final String major;

        Version(String major) {
            this.major = major;
        }
    }

    private PostgresServer(Path home, Map<String, String> settings) {
        super("postgres");
        this.home = home;
        this.settings = new LinkedHashMap<>(STANDARD);
        this.settings.putAll(settings);
    }

    public static PostgresServer start(Version version) {
        return start(version, Map.of());
    }

    /** Starts a new server, empty, with these settings over the standard ones. */
    public static PostgresServer start(Version version, Map<String, String> settings) {
        PostgresServer server = new PostgresServer(PostgresBinaries.unpacked(version.major), settings);
        server.startNew();
        return server;
    }

    /**
     * The server of this JVM for all tests that need a database and leave the server alone: started by who asks first,
     * stopped when the JVM ends.
     */
    public static PostgresServer shared(Version version) {
        synchronized (SHARED) {
            return SHARED.computeIfAbsent(version, PostgresServer::start);
        }
    }

    @Override
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database + "?user=postgres";
    }

    /**
     * Creates an empty schema and returns the JDBC URL of its database with this schema as the current one. For tests
     * that need no database of their own: a tenth of the time (10 against 100 ms) and of the disk of a new database.
     */
    public String newSchema() {
        String name = newName("schema");
        execute("CREATE SCHEMA " + name);
        return adminUrl() + "&currentSchema=" + name;
    }

    @Override
    String adminUrl() {
        return url("postgres");
    }

    /** Without sync: a server that crashes leaves its files to the kernel, which lives on. */
    @Override
    void install() {
        folder().run(List.of(
                home.resolve("bin/initdb").toString(),
                "--pgdata=" + data(),
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--no-locale",
                "--no-sync"));
    }

    @Override
    List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/postgres").toString(),
                "-D",
                data().toString(),
                "-p",
                Integer.toString(port()),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories="));
        settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        return command;
    }

    /** Fast shutdown; SIGTERM would wait for the clients to go. */
    @Override
    String stopSignal() {
        return "INT";
    }
}
