package dev.leat.sql;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storagetests.server.DatabaseServer;
import dev.leat.storagetests.server.MariaDbServer;
import dev.leat.storagetests.server.PgBouncer;
import dev.leat.storagetests.server.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A database for a test, empty at first.
 *
 * @param leatUrl how Leat opens it
 * @param jdbcUrl how anybody else does
 */
public record TestDatabase(String leatUrl, String jdbcUrl) {

    public static TestDatabase sqlite(Path folder) {
        Path file = folder.resolve("jobs.db");
        return new TestDatabase("sqlite:" + file, "jdbc:sqlite:" + file);
    }

    public static TestDatabase postgres() {
        return on(PostgresServer.shared(PostgresServer.Version.V18));
    }

    public static TestDatabase mariaDb() {
        return on(MariaDbServer.shared());
    }

    public static TestDatabase on(DatabaseServer server) {
        return at(server.newDatabase());
    }

    /** One that may be there already. */
    public static TestDatabase at(String url) {
        return new TestDatabase(url, url);
    }

    /** The same database, opened by Leat with one more parameter. */
    public TestDatabase with(String parameter) {
        return new TestDatabase(leatUrl + (leatUrl.contains("?") ? "&" : "?") + parameter, jdbcUrl);
    }

    /** The same database, opened by Leat through PgBouncer, and by others still without it. */
    public TestDatabase behind(PgBouncer bouncer) {
        return new TestDatabase(bouncer.through(leatUrl), jdbcUrl).with("pooler=transaction");
    }

    /** The same database for another user of its server. */
    public TestDatabase as(String user) {
        return new TestDatabase(as(user, leatUrl), as(user, jdbcUrl));
    }

    private static String as(String user, String url) {
        return url.replaceFirst("user=[^&]*", "user=" + user);
    }

    /** Its name on its server. */
    public String name() {
        return jdbcUrl.replaceFirst(".*/(\\w+)\\?.*", "$1");
    }

    public Storage open() {
        return open(StorageSettings.standard());
    }

    public Storage open(StorageSettings settings) {
        return Storages.open(leatUrl, settings);
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl);
    }

    /** Executes the statements on a connection of their own, each for good. */
    public void execute(String... statements) throws SQLException {
        try (Connection connection = connect()) {
            Sql.execute(connection, statements);
        }
    }

    /** What the query answers on a connection of its own: the first column of the first row. */
    public long number(String query) throws SQLException {
        try (Connection connection = connect()) {
            return Sql.number(connection, query);
        }
    }
}
