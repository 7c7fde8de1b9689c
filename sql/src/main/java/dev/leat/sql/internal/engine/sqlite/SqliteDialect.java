package dev.leat.sql.internal.engine.sqlite;

import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.LentConnections;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.peers.FileWatch;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.sqlite.Function;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * SQLite in WAL mode: readers never wait, one writer at a time.
 *
 * <p>The time comes from the process, through a function of each connection, because SQLite is part of the process anyway
 * and tests can move it.
 */
public final class SqliteDialect implements Engine {
    private static final int READERS = 4;
    static final int BUSY_TIMEOUT_MILLIS = 5_000;
    private static final String NOW = "leat_now";
    /** Without our function, and as the SQLite of the last years can say it; unixepoch('subsec') came with 3.42. */
    private static final String SERVER_NOW = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)";

    private final ConnectionSource connections;
    private final String file;
    private final Tables tables;
    private final InstantSource clock;

    /** @param file what it is called in messages */
    public SqliteDialect(ConnectionSource connections, String file, Tables tables, InstantSource clock) {
        this.connections = connections;
        this.file = file;
        this.tables = tables;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "sqlite";
    }

    /**
     * The limit is not a bare parameter: SQLite looks at its value when it plans, and so plans the statement anew whenever
     * another is bound. That made an empty take cost 100 µs instead of 30.
     */
    @Override
    public Map<String, String> placeholders() {
        return Map.of(
                "now", NOW + "()",
                "server_now", SERVER_NOW,
                "limit", "(0 + ?)",
                "text", "TEXT",
                "bigint", "INTEGER",
                "for_update", "",
                "for_share", "",
                "for_share_skip_locked", "",
                "for_key_share", "",
                "skip_locked", "");
    }

    @Override
    public int connections(Access access) {
        return access == Access.READ ? READERS : 1;
    }

    @Override
    public Optional<InstantSource> testClock() {
        return Optional.of(clock);
    }

    @Override
    public boolean hasOtherWriters() {
        return false;
    }

    @Override
    public boolean hasFastPath() {
        return false;
    }

    @Override
    public List<String> migrations() {
        return List.of("sqlite/0001_initial.sql");
    }

    @Override
    public ConnectionSource source() {
        return connections;
    }

    @Override
    public void prepare(Connection connection, Access access) throws SQLException {
        SQLiteConnection own = connection.unwrap(SQLiteConnection.class);
        own.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        own.getConnectionConfig()
                .setTransactionMode(
                        access == Access.READ
                                ? SQLiteConfig.TransactionMode.DEFERRED
                                : SQLiteConfig.TransactionMode.IMMEDIATE);
        bringClock(connection);
    }

    /** What {@link #prepare} changes. */
    public static LentConnections.Undo remember(Connection connection) throws SQLException {
        SQLiteConnection before = connection.unwrap(SQLiteConnection.class);
        int timeout = before.getBusyTimeout();
        SQLiteConfig.TransactionMode mode = before.getConnectionConfig().getTransactionMode();
        return back -> {
            SQLiteConnection own = back.unwrap(SQLiteConnection.class);
            own.setBusyTimeout(timeout);
            own.getConnectionConfig().setTransactionMode(mode);
        };
    }

    /** Begins with a write, of nothing: whoever reads first and writes then is refused if another has written meanwhile. */
    @Override
    public void join(Connection connection) throws SQLException {
        bringClock(connection);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE " + tables.qualifiedPrefix() + "lock SET holder = 0 WHERE name IS NULL");
        }
    }

    private void bringClock(Connection connection) throws SQLException {
        Function.create(connection.unwrap(SQLiteConnection.class), NOW, new Function() {
            @Override
            protected void xFunc() throws SQLException {
                result(Times.micros(clock.instant()));
            }
        });
    }

    /** The busy timeout of the caller's connection says how long. */
    @Override
    public <T> T notWaitingLong(Tx transaction, Supplier<T> work) {
        return work.get();
    }

    /** There is nobody else who writes. */
    @Override
    public <T> T notWaiting(Tx transaction, Supplier<T> work) {
        return work.get();
    }

    @Override
    public void beforeStatement(Connection connection) {
        // every statement asks the process for the time
    }

    /** Not commit(): the driver's would begin the next transaction at once, and keep the writers' lock. */
    @Override
    public void begin(Connection connection, Access access) throws SQLException {
        connection.setAutoCommit(false);
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
    }

    @Override
    public void rollback(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } finally {
            endQuietly(connection);
        }
    }

    /** Tells the driver that no transaction is open; its own COMMIT then finds none. */
    private static void endQuietly(Connection connection) {
        try {
            connection.setAutoCommit(true);
        } catch (SQLException alreadyRolledBack) {
            // nothing was open, as it should be
        }
    }

    @Override
    public String storable(String text) {
        return text;
    }

    @Override
    public String ids(Collection<Long> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
    }

    @Override
    public boolean countsChanges() {
        return true;
    }

    /** Commits write to the file of the write-ahead log, which is beside the database. */
    @Override
    public Optional<FileWatch> fileWatch(Db db) {
        return db.look(tx -> tx.first("file", row -> row.getString(1)))
                .map(Path::of)
                .flatMap(FileWatch::at);
    }

    @Override
    public Trouble trouble(SQLException error) {
        return switch (primaryCode(error)) {
            case SQLITE_BUSY, SQLITE_LOCKED -> Trouble.TRY_AGAIN;
            default -> Trouble.FATAL;
        };
    }

    @Override
    public String explain(SQLException error) {
        return switch (primaryCode(error)) {
            case SQLITE_NOTADB -> file + " is not a SQLite database";
            case SQLITE_READONLY -> file + " can only be read; Leat needs to write to it and its folder";
            case SQLITE_CANTOPEN -> file + " cannot be opened";
            case SQLITE_FULL -> "the disk of " + file + " is full";
            case SQLITE_CORRUPT -> file + " is damaged";
            case SQLITE_BUSY, SQLITE_LOCKED -> file + " is locked by another process";
            default -> String.valueOf(error.getMessage());
        };
    }

    /** Extended codes carry the primary one in their low byte. */
    private static SQLiteErrorCode primaryCode(SQLException error) {
        return error instanceof SQLiteException sqlite
                ? SQLiteErrorCode.getErrorCode(sqlite.getResultCode().code & 0xff)
                : SQLiteErrorCode.UNKNOWN_ERROR;
    }
}
