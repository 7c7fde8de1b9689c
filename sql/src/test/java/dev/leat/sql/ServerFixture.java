package dev.leat.sql;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storagetests.StorageFixture;
import dev.leat.storagetests.TestLength;
import dev.leat.storagetests.server.DatabaseServer;
import dev.leat.storagetests.server.MariaDbServer;
import dev.leat.storagetests.server.PgBouncer;
import dev.leat.storagetests.server.PostgresServer;
import dev.leat.testkit.ManualClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Storages on a database server, for the contract. The tables are made once and emptied for each test: making them takes ten
 * times as long as most tests.
 */
public final class ServerFixture implements StorageFixture {
    /** One part in so many of a large test, where the statements are tried on no other server. */
    private static final int SOME = TestLength.of("leat.share", 8, 4);
    /** One part in so many of a large test, where another server tries the same statements. */
    private static final int LITTLE = TestLength.of("leat.share", 20, 4);

    private static final Map<AutoCloseable, Places> MADE = new HashMap<>();

    /**
     * Where the tables are, those for each clock apart.
     *
     * @param here how SQL calls the schema that a connection is in
     * @param share of what a large test does, one part in so many is enough
     * @param tables the tables of each, once they are made
     * @param crowded those in which a test with many tasks was the last one
     */
    private record Places(
            TestDatabase manual,
            TestDatabase real,
            String here,
            int share,
            Map<TestDatabase, List<String>> tables,
            Set<TestDatabase> crowded) {
        Places(TestDatabase manual, TestDatabase real, String here, int share) {
            this(manual, real, here, share, new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
        }

        static Places onPostgres(TestDatabase database, int share) {
            return new Places(inSchema(database, "manual"), inSchema(database, "real"), "current_schema()", share);
        }

        Places keepingConnections() {
            return new Places(KeptConnections.to(manual), KeptConnections.to(real), here, share);
        }

        private static TestDatabase inSchema(TestDatabase database, String schema) {
            return new TestDatabase(
                    database.leatUrl() + "&schema=" + schema, database.jdbcUrl() + "&currentSchema=" + schema);
        }

        public static Places onMariaDb(TestDatabase manual, TestDatabase real, int share) {
            return new Places(manual, real, "DATABASE()", share);
        }
    }

    private final Places places;
    private final ManualClock clock = new ManualClock();
    private Storage storage;

    /** @param server what the places are made on, once */
    private ServerFixture(AutoCloseable server, Supplier<Places> make) {
        synchronized (MADE) {
            this.places = MADE.computeIfAbsent(server, made -> make.get());
        }
    }

    public static ServerFixture onPostgres(PostgresServer.Version version) {
        PostgresServer server = UnsyncedServers.postgres(version);
        // The oldest version runs the same statements as the newest.
        int share = version == PostgresServer.Version.V15 ? LITTLE : SOME;
        return new ServerFixture(
                server, () -> Places.onPostgres(TestDatabase.on(server), share).keepingConnections());
    }

    /** Only Leat goes through it. Every statement is planned anew there, which takes its time. */
    public static ServerFixture behind(PgBouncer bouncer, PostgresServer server) {
        return new ServerFixture(
                bouncer, () -> Places.onPostgres(TestDatabase.on(server).behind(bouncer), 20));
    }

    public static ServerFixture onMariaDb() {
        MariaDbServer server = UnsyncedServers.mariaDb();
        return new ServerFixture(
                server, () -> Places.onMariaDb(TestDatabase.on(server), TestDatabase.on(server), SOME));
    }

    public static ServerFixture onPortableMariaDb(MariaDbServer server) {
        return new ServerFixture(
                server, () -> Places.onMariaDb(portableDatabase(server), portableDatabase(server), LITTLE));
    }

    private static TestDatabase portableDatabase(DatabaseServer server) {
        return TestDatabase.on(server).with("portable=true");
    }

    @Override
    public Storage storage() {
        if (storage == null) {
            storage = open(places.manual, StorageSettings.at(clock));
        }
        return storage;
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public Storage inRealTime() {
        return open(places.real, StorageSettings.standard());
    }

    private Storage open(TestDatabase database, StorageSettings settings) {
        try {
            empty(database);
        } catch (SQLException e) {
            throw new IllegalStateException("emptying " + database, e);
        }
        return database.open(settings);
    }

    private void empty(TestDatabase database) throws SQLException {
        // Deleted rows of a test with many tasks would stay in the way of the next one's takes for a while.
        boolean wasCrowded = places.crowded.remove(database);
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (String table : tables(database, connection)) {
                boolean hadMany = wasCrowded && table.equals("leat_task");
                Sql.execute(connection, (hadMany ? "TRUNCATE TABLE " : "DELETE FROM ") + table);
            }
            connection.commit();
        }
    }

    /** Empty until the first storage has made them. Partitions by day, which come and go, are emptied with their table. */
    private List<String> tables(TestDatabase database, Connection connection) throws SQLException {
        List<String> known = places.tables.getOrDefault(database, List.of());
        if (known.isEmpty()) {
            known = Sql.texts(
                    connection,
                    "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
                            + " AND table_name <> 'leat_migration' AND table_name NOT LIKE '%_day_%'"
                            + " AND table_schema = " + places.here);
            places.tables.put(database, known);
        }
        return known;
    }

    @Override
    public int enough(int many) {
        places.crowded.addAll(List.of(places.manual, places.real));
        return many / places.share;
    }

    @Override
    public void close() {
        if (storage != null) {
            storage.close();
        }
    }
}
