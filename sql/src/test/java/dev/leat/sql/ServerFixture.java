package dev.leat.sql;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.testkit.ManualClock;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.server.DatabaseServer;
import dev.leat.testkit.server.MariaDbServer;
import dev.leat.testkit.server.PgBouncer;
import dev.leat.testkit.server.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Storages on a database server, for the contract. The tables are made once and emptied for each test: making them takes ten
 * times as long as most tests.
 */
public final class ServerFixture implements StorageFixture {
    private static final Map<AutoCloseable, Places> MADE = new HashMap<>();

    /**
     * Where the tables are, those for each clock apart.
     *
     * @param here how SQL calls the schema that a connection is in
     * @param share of what a large test does, one part in so many is enough
     */
    private record Places(TestDatabase manual, TestDatabase real, String here, int share) {
        static Places onPostgres(TestDatabase database, int share) {
            return new Places(inSchema(database, "manual"), inSchema(database, "real"), "current_schema()", share);
        }

        private static TestDatabase inSchema(TestDatabase database, String schema) {
            return new TestDatabase(
                    database.leatUrl() + "&schema=" + schema, database.jdbcUrl() + "&currentSchema=" + schema);
        }

        static Places onMariaDb(TestDatabase manual, TestDatabase real) {
            return new Places(manual, real, "DATABASE()", 4);
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
        return new ServerFixture(server, () -> Places.onPostgres(TestDatabase.on(server), 4));
    }

    /** Only Leat goes through it. Every statement is planned anew there, which takes its time. */
    static ServerFixture behind(PgBouncer bouncer, PostgresServer server) {
        return new ServerFixture(
                bouncer, () -> Places.onPostgres(TestDatabase.on(server).behind(bouncer), 20));
    }

    static ServerFixture onMariaDb() {
        MariaDbServer server = UnsyncedServers.mariaDb();
        return new ServerFixture(server, () -> Places.onMariaDb(TestDatabase.on(server), TestDatabase.on(server)));
    }

    static ServerFixture onPortableMariaDb(MariaDbServer server) {
        return new ServerFixture(server, () -> Places.onMariaDb(portableDatabase(server), portableDatabase(server)));
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
        String tables = "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
                + " AND table_name <> 'leat_migration' AND table_schema = " + places.here;
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (String table : Sql.texts(connection, tables)) {
                // Deleted rows of a test with many tasks would stay in the way of the next one's takes for a while.
                boolean hadMany = database == places.real && table.equals("leat_task");
                Sql.execute(connection, (hadMany ? "TRUNCATE TABLE " : "DELETE FROM ") + table);
            }
            connection.commit();
        }
    }

    @Override
    public int enough(int many) {
        return many / places.share;
    }

    @Override
    public void close() {
        if (storage != null) {
            storage.close();
        }
    }
}
