package dev.leat.sql;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.ManualClock;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * PostgreSQL storages for the contract. The tables are made once and emptied for each test: making them takes ten times as
 * long as most tests. Nothing here survives a crash, so the server need not sync.
 */
final class PostgresFixture implements StorageFixture {
    private static final Map<PostgresServer.Version, String> DATABASES = new EnumMap<>(PostgresServer.Version.class);
    private static final String MANUAL = "manual";
    private static final String REAL = "real";

    private final String url;
    private final ManualClock clock = new ManualClock();
    private final Storage storage;

    PostgresFixture(PostgresServer.Version version) {
        synchronized (DATABASES) {
            this.url = DATABASES.computeIfAbsent(version, PostgresFixture::newDatabase);
        }
        this.storage = open(MANUAL, StorageSettings.at(clock));
    }

    private static String newDatabase(PostgresServer.Version version) {
        return PostgresServer.start(version, Map.of("fsync", "off")).newDatabase();
    }

    @Override
    public Storage storage() {
        return storage;
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public Storage inRealTime() {
        return open(REAL, StorageSettings.standard());
    }

    private Storage open(String schema, StorageSettings settings) {
        empty(schema);
        return Storages.open(url + "&schema=" + schema, settings);
    }

    private void empty(String schema) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
            StringBuilder deletes = new StringBuilder();
            try (ResultSet tables = statement.executeQuery("SELECT table_name FROM information_schema.tables"
                    + " WHERE table_type = 'BASE TABLE' AND table_name <> 'leat_migration' AND table_schema = '"
                    + schema + "'")) {
                while (tables.next()) {
                    deletes.append("DELETE FROM ")
                            .append(schema)
                            .append('.')
                            .append(tables.getString(1))
                            .append(';');
                }
            }
            statement.execute(deletes.toString());
        } catch (SQLException e) {
            throw new IllegalStateException("emptying schema " + schema, e);
        }
    }

    @Override
    public int enough(int many) {
        return many / 4;
    }

    @Override
    public void close() {
        storage.close();
    }
}
