package dev.leat.sql;

import dev.leat.storagetests.server.MariaDbServer;
import dev.leat.storagetests.server.PostgresServer;
import java.util.EnumMap;
import java.util.Map;

/**
 * Servers for tests of which nothing has to survive a crash: they do not sync, and take payloads of any size. One of each
 * kind for this JVM, started by who asks first; they end with it.
 */
public final class UnsyncedServers {
    private static final Map<PostgresServer.Version, PostgresServer> POSTGRES =
            new EnumMap<>(PostgresServer.Version.class);

    private static final class MariaDb {
        static final MariaDbServer SERVER = startMariaDb();
    }

    private UnsyncedServers() {}

    public static PostgresServer postgres(PostgresServer.Version version) {
        synchronized (POSTGRES) {
            return POSTGRES.computeIfAbsent(version, v -> PostgresServer.start(v, Map.of("fsync", "off")));
        }
    }

    public static MariaDbServer mariaDb() {
        return MariaDb.SERVER;
    }

    /** One more, for whoever wants it for himself; he closes it. */
    public static MariaDbServer startMariaDb() {
        return MariaDbServer.start(Map.of("innodb_flush_log_at_trx_commit", "0", "max_allowed_packet", "64M"));
    }
}
