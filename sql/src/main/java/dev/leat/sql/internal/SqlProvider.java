package dev.leat.sql.internal;

import dev.leat.DatabaseOptions;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.engine.mariadb.MariaDbConnectionSource;
import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PooledPostgresDialect;
import dev.leat.sql.internal.engine.postgres.PostgresConnectionSource;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteConnectionSource;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteFile;
import dev.leat.sql.internal.engine.sqlite.SqliteUrl;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.peers.SignalServer;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageProvider;
import dev.leat.storage.StorageSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Opens {@code sqlite:path/to/file.db}, {@code jdbc:postgresql://host/database}, {@code jdbc:mariadb://host/database} and
 * {@code jdbc:mysql://host/database}, and the same databases through a data source.
 */
public final class SqlProvider implements StorageProvider {
    private static final String POSTGRES = "jdbc:postgresql:";
    private static final String MARIADB = "jdbc:mariadb:";
    private static final String MYSQL = "jdbc:mysql:";

    @Override
    public List<String> schemes() {
        return List.of(SqliteUrl.SCHEME, POSTGRES, MARIADB, MYSQL);
    }

    @Override
    public Storage open(String url, StorageSettings settings) {
        if (url.startsWith(SqliteUrl.SCHEME)) {
            return openSqlite(url, settings);
        }
        return url.startsWith(POSTGRES) ? openPostgres(url, settings) : openMariaDb(url, settings);
    }

    @Override
    public Optional<Storage> open(DataSource source, DatabaseOptions options, StorageSettings settings) {
        return Optional.of(DataSources.open(source, options, settings));
    }

    private static Storage openSqlite(String url, StorageSettings settings) {
        SqliteUrl parsed = SqliteUrl.parse(url);
        checkDriver("org.sqlite.JDBC", "org.xerial:sqlite-jdbc");
        if (settings.ifMissing() == StorageSettings.IfMissing.REFUSE) {
            new SqliteFile(parsed.file()).requireTables(parsed.tables());
        }
        InstantSource clock = settings.clock().orElse(InstantSource.system());
        ConnectionSource connections = new SqliteConnectionSource(parsed.file(), parsed.synchronous());
        Engine dialect = new SqliteDialect(connections, parsed.file().toString(), parsed.tables(), clock);
        return SqlStorage.open(
                dialect,
                parsed.tables(),
                parsed.migrate().with(settings),
                settings.purge(),
                parsed.signals().map(SignalServer::open));
    }

    private static Storage openPostgres(String url, StorageSettings settings) {
        JdbcUrl parsed = JdbcUrl.parse(url);
        if (parsed.portable()) {
            throw new InvalidRequestException("url", "parameter portable is for jdbc:mariadb: and jdbc:mysql: only");
        }
        checkDriver("org.postgresql.Driver", "org.postgresql:postgresql");
        ConnectionSource connections = new PostgresConnectionSource(parsed.driverUrl());
        Engine dialect = parsed.pooler() == DatabaseOptions.Pooler.TRANSACTION
                ? new PooledPostgresDialect(connections, settings.clock())
                : new PostgresDialect(connections, settings.clock());
        return SqlStorage.open(
                dialect,
                parsed.tables(),
                parsed.migrate().with(settings),
                settings.purge(),
                parsed.signals().map(SignalServer::open));
    }

    /** MariaDB's driver connects to MySQL too, but accepts only URLs that begin with {@code jdbc:mariadb:}. */
    private static Storage openMariaDb(String url, StorageSettings settings) {
        JdbcUrl parsed = JdbcUrl.parse(url.startsWith(MYSQL) ? MARIADB + url.substring(MYSQL.length()) : url);
        if (parsed.pooler() != DatabaseOptions.Pooler.NONE) {
            throw new InvalidRequestException("url", "parameter pooler is for jdbc:postgresql: only");
        }
        checkDriver("org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client");
        MariaDbDialect.Locking locking =
                parsed.portable() ? MariaDbDialect.Locking.BY_WRITING : MariaDbDialect.Locking.BY_READING;
        ConnectionSource connections = new MariaDbConnectionSource(parsed.driverUrl());
        Engine dialect = new MariaDbDialect(connections, settings.clock(), locking);
        return SqlStorage.open(
                dialect,
                parsed.tables(),
                parsed.migrate().with(settings),
                settings.purge(),
                parsed.signals().map(SignalServer::open));
    }

    private static void checkDriver(String driver, String artifact) {
        try {
            Class.forName(driver, false, SqlProvider.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new StorageException(
                    "The driver for this URL is not on the class path: add the dependency " + artifact + ".", e);
        }
    }
}
