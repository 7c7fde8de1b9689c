package dev.leat.sql.internal;

import dev.leat.DatabaseOptions;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PooledPostgresDialect;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.LentConnections;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.peers.SignalServer;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import javax.sql.DataSource;

/** Opens a storage in the database of a caller's data source. */
final class DataSources {
    private static final String PORTABLE_ELSEWHERE = "PORTABLE is for MariaDB and MySQL only";
    private static final String POOLED_ELSEWHERE = "TRANSACTION is for PostgreSQL only";

    private DataSources() {}

    static Storage open(DataSource source, DatabaseOptions options, StorageSettings settings) {
        Tables tables = Tables.checked(options.schema(), options.prefix());
        Migrations.Mode migrate =
                options.migration() == DatabaseOptions.Migration.APPLY ? Migrations.Mode.APPLY : Migrations.Mode.CHECK;
        return SqlStorage.open(
                dialect(source, options, tables, settings),
                tables,
                migrate.with(settings),
                settings.purge(),
                options.signals().map(SignalServer::open));
    }

    private static Engine dialect(DataSource source, DatabaseOptions options, Tables tables, StorageSettings settings) {
        boolean portable = options.locking() == DatabaseOptions.Locking.PORTABLE;
        boolean pooled = options.pooler() == DatabaseOptions.Pooler.TRANSACTION;
        String product;
        try (Connection connection = source.getConnection()) {
            product = connection.getMetaData().getDatabaseProductName();
            if (product.equals("SQLite")) {
                refuse(portable, "locking", PORTABLE_ELSEWHERE);
                refuse(pooled, "pooler", POOLED_ELSEWHERE);
                refuse(tables.schema().isPresent(), "schema", "is not for SQLite, which has none; use a prefix");
                return sqlite(source, options, tables, settings, fileOf(connection));
            }
        } catch (SQLException e) {
            throw new StorageException("The data source gave no usable connection: " + e.getMessage(), e);
        }
        return switch (product) {
            case "PostgreSQL" -> {
                refuse(portable, "locking", PORTABLE_ELSEWHERE);
                yield pooled
                        ? new PooledPostgresDialect(
                                lent(source, options, PooledPostgresDialect::remember), settings.clock())
                        : new PostgresDialect(lent(source, options, PostgresDialect::remember), settings.clock());
            }
            case "MariaDB", "MySQL" -> {
                refuse(pooled, "pooler", POOLED_ELSEWHERE);
                yield new MariaDbDialect(
                        lent(source, options, MariaDbDialect::remember),
                        settings.clock(),
                        portable ? MariaDbDialect.Locking.BY_WRITING : MariaDbDialect.Locking.BY_READING);
            }
            default ->
                throw new InvalidRequestException(
                        "dataSource", "leads to " + product + "; Leat knows PostgreSQL, MariaDB, MySQL and SQLite");
        };
    }

    private static void refuse(boolean wrong, String option, String why) {
        if (wrong) {
            throw new InvalidRequestException(option, why);
        }
    }

    private static ConnectionSource lent(DataSource source, DatabaseOptions options, LentConnections.Memory memory) {
        return new LentConnections(source, options.connections(), memory);
    }

    private static Engine sqlite(
            DataSource source, DatabaseOptions options, Tables tables, StorageSettings settings, String file) {
        InstantSource clock = settings.clock().orElse(InstantSource.system());
        return new SqliteDialect(lent(source, options, SqliteDialect::remember), file, tables, clock);
    }

    /** The file. Switches the file to WAL mode, because readers and writers would wait for each other in the other modes. */
    private static String fileOf(Connection connection) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            String file;
            try (ResultSet row = statement.executeQuery("SELECT file FROM pragma_database_list WHERE name = 'main'")) {
                row.next();
                file = row.getString(1);
            }
            refuse(file == null || file.isEmpty(), "dataSource", "leads to no file; use memory: for tasks in memory");
            statement.execute("PRAGMA journal_mode = WAL");
            return file;
        } finally {
            connection.setAutoCommit(autoCommit);
        }
    }
}
