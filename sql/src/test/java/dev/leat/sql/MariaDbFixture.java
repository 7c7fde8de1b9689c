package dev.leat.sql;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.ManualClock;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.server.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * MariaDB storages for the contract. The tables are made once and emptied for each test: making them takes ten times as
 * long as most tests. Nothing here survives a crash, so the server need not sync.
 */
final class MariaDbFixture implements StorageFixture {
    /** A server with two databases, one for each clock. */
    static final class Database {
        final MariaDbServer server =
                MariaDbServer.start(Map.of("innodb_flush_log_at_trx_commit", "0", "max_allowed_packet", "64M"));
        private final String manual = server.newDatabase();
        private final String real = server.newDatabase();
        private final String parameters;

        /** @param parameters to add to the URL of every storage, such as {@code &portable=true} */
        Database(String parameters) {
            this.parameters = parameters;
        }
    }

    private final Database database;
    private final ManualClock clock = new ManualClock();
    private final Storage storage;

    MariaDbFixture(Database database) {
        this.database = database;
        this.storage = open(database.manual, StorageSettings.at(clock));
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
        return open(database.real, StorageSettings.standard());
    }

    private Storage open(String url, StorageSettings settings) {
        empty(url);
        return Storages.open(url + database.parameters, settings);
    }

    private static void empty(String url) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String table : tables(statement)) {
                statement.execute("DELETE FROM " + table);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("emptying " + url, e);
        }
    }

    private static List<String> tables(Statement statement) throws SQLException {
        List<String> names = new ArrayList<>();
        try (ResultSet tables = statement.executeQuery(
                "SELECT table_name FROM information_schema.tables"
                        + " WHERE table_type = 'BASE TABLE' AND table_schema = DATABASE() AND table_name <> 'leat_migration'")) {
            while (tables.next()) {
                names.add(tables.getString(1));
            }
        }
        return names;
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
