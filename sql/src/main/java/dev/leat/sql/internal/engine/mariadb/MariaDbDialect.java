package dev.leat.sql.internal.engine.mariadb;

import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.LentConnections;
import dev.leat.sql.internal.jdbc.RememberedSettings;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import java.sql.BatchUpdateException;
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

/**
 * MariaDB 10.6, MySQL 8, and newer versions. Writers run concurrently at READ COMMITTED and lock the rows that they change.
 *
 * <p>The time is the server's, at the beginning of each statement, in any time zone. A test clock reaches the statements
 * through a variable of the connection.
 */
public final class MariaDbDialect implements Engine {
    private static final String NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    private static final String TEST_NOW = "@leat_now";
    private static final int WRITERS = 8;
    private static final int READERS = 4;
    private static final int LOCK_WAIT_SECONDS = 5;
    /** By name, because a data source may use another driver. */
    private static final String TOO_LARGE = "org.mariadb.jdbc.export.MaxAllowedPacketException";
    /**
     * Ends a transaction whose process is frozen or disconnected, so that its locks are released. A value set by the server or
     * the URL stays.
     */
    private static final int IDLE_TIMEOUT_SECONDS = 5;

    /** The error of a CREATE TRIGGER without SUPER on a server with a binary log. */
    private static final int NO_TRIGGERS = 1419;

    /** How a transaction locks rows. */
    public enum Locking {
        /** By SELECT … FOR UPDATE, and SKIP LOCKED. */
        BY_READING,
        /** Portable mode: by writing the rows, for engines without SKIP LOCKED or without reliable locks. */
        BY_WRITING
    }

    /** How long a caller's put waits for the address that another transaction has put (rule 21). */
    private static final int CALLERS_LOCK_WAIT_SECONDS = 2;
    /** MySQL has a minimum of one second. */
    private static final int NO_LOCK_WAIT_SECONDS = 0;

    private final ConnectionSource connections;
    private final Optional<InstantSource> testClock;
    private final Locking locking;

    public MariaDbDialect(ConnectionSource connections, Optional<InstantSource> testClock, Locking locking) {
        this.connections = connections;
        this.testClock = testClock;
        this.locking = locking;
    }

    @Override
    public String name() {
        return "mariadb";
    }

    @Override
    public Map<String, String> placeholders() {
        return Map.ofEntries(
                Map.entry("now", testClock.isPresent() ? TEST_NOW : NOW),
                Map.entry("server_now", NOW),
                Map.entry("limit", "?"),
                Map.entry("text", "CHAR"),
                Map.entry("bigint", "SIGNED"),
                Map.entry("for_update", unlessPortable("FOR UPDATE")),
                Map.entry("for_share", unlessPortable("LOCK IN SHARE MODE")),
                // MySQL accepts SKIP LOCKED only after FOR SHARE, which MariaDB does not know.
                Map.entry(
                        "for_share_skip_locked",
                        unlessPortable("/*M! LOCK IN SHARE MODE SKIP LOCKED */ /*!80000 FOR SHARE SKIP LOCKED */")),
                Map.entry("for_key_share", unlessPortable("LOCK IN SHARE MODE")),
                Map.entry("skip_locked", unlessPortable("FOR UPDATE SKIP LOCKED")),
                Map.entry("portable", locksByWriting() ? "TRUE" : "FALSE"));
    }

    private String unlessPortable(String clause) {
        return locksByWriting() ? "" : clause;
    }

    @Override
    public boolean seeksInRecursion() {
        return false;
    }

    @Override
    public boolean locksByWriting() {
        return locking == Locking.BY_WRITING;
    }

    @Override
    public Optional<InstantSource> testClock() {
        return testClock;
    }

    @Override
    public boolean hasOtherWriters() {
        return true;
    }

    @Override
    public boolean hasFastPath() {
        return false;
    }

    @Override
    public List<String> migrations() {
        return List.of("mariadb/0001_initial.sql");
    }

    @Override
    public int connections(Access access) {
        return switch (access) {
            case WRITE -> WRITERS;
            case READ -> READERS;
            case HANDLER -> Integer.MAX_VALUE;
        };
    }

    @Override
    public ConnectionSource source() {
        return connections;
    }

    @Override
    public void prepare(Connection connection, Access access) throws SQLException {
        connection.setTransactionIsolation(
                access == Access.READ ? Connection.TRANSACTION_REPEATABLE_READ : Connection.TRANSACTION_READ_COMMITTED);
        // A deadlock or a CREATE TABLE ends the transaction. Later statements, such as the rest of a batch that the
        // driver has already sent, must not commit by themselves.
        connection.setAutoCommit(access == Access.READ);
        if (access == Access.HANDLER) {
            return;
        }
        execute(
                connection,
                "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = "
                        + LOCK_WAIT_SECONDS);
        if (isMySql(connection)) {
            // MySQL caches the last id for a day.
            execute(connection, "SET SESSION information_schema_stats_expiry = 0");
        } else {
            execute(
                    connection,
                    "SET SESSION idle_transaction_timeout = IF(@@idle_transaction_timeout > 0,"
                            + " @@idle_transaction_timeout, "
                            + IDLE_TIMEOUT_SECONDS + ")");
        }
    }

    private static boolean isMySql(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName().equals("MySQL");
    }

    /** Keeps the settings that {@link #prepare} changes. */
    public static LentConnections.Undo remember(Connection connection) throws SQLException {
        String timeout = isMySql(connection) ? "information_schema_stats_expiry" : "idle_transaction_timeout";
        return RememberedSettings.of(
                connection,
                "SELECT CONCAT('SET SESSION sql_mode = ', QUOTE(@@sql_mode), ', innodb_lock_wait_timeout = ',"
                        + " @@innodb_lock_wait_timeout, ', " + timeout + " = ', @@" + timeout + ")");
    }

    @Override
    public void join(Connection connection) throws SQLException {
        beforeStatement(connection);
    }

    @Override
    public <T> T notWaitingLong(Tx transaction, Supplier<T> work) {
        return waiting(CALLERS_LOCK_WAIT_SECONDS, transaction, work);
    }

    @Override
    public <T> T notWaiting(Tx transaction, Supplier<T> work) {
        return waiting(NO_LOCK_WAIT_SECONDS, transaction, work);
    }

    @Override
    public <T> Optional<T> passingBy(Tx transaction, Supplier<Optional<T>> work) {
        if (!locksByWriting()) {
            return work.get();
        }
        try {
            return waiting(NO_LOCK_WAIT_SECONDS, transaction, work);
        } catch (Tx.Failure e) {
            if (e.trouble == Trouble.WAITED_TOO_LONG) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static <T> T waiting(int seconds, Tx transaction, Supplier<T> work) {
        long before = transaction.number("lock-timeout");
        transaction.update("set-lock-timeout", seconds);
        try {
            return work.get();
        } finally {
            transaction.update("set-lock-timeout", before);
        }
    }

    @Override
    public void beforeStatement(Connection connection) throws SQLException {
        if (testClock.isPresent()) {
            execute(
                    connection,
                    "SET " + TEST_NOW + " = " + Times.micros(testClock.get().instant()));
        }
    }

    /** A writer's first statement begins its transaction, see {@link #prepare}. */
    @Override
    public void begin(Connection connection, Access access) throws SQLException {
        beforeStatement(connection);
        if (access == Access.READ) {
            execute(connection, "START TRANSACTION");
        }
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        execute(connection, "COMMIT");
    }

    @Override
    public void rollback(Connection connection) throws SQLException {
        execute(connection, "ROLLBACK");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public String storable(String text) {
        return text;
    }

    @Override
    public List<Long> newIds(Tx tx, int count) {
        if (count == 0) {
            return List.of();
        }
        tx.update("mark-ids");
        tx.update("reserve-ids", count);
        List<Long> ids = tx.ids("new-ids");
        tx.update("unmark-ids");
        return ids;
    }

    @Override
    public String ids(Collection<Long> ids) {
        return ids.stream().sorted().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
    }

    @Override
    public Trouble trouble(SQLException error) {
        SQLException cause = unwrapped(error);
        if (isTooLarge(cause)) {
            return Trouble.FATAL;
        }
        return switch (cause.getErrorCode()) {
            // deadlock, changed since it was read
            case 1213, 1020 -> Trouble.TRY_AGAIN;
            case 1205 -> Trouble.WAITED_TOO_LONG;
            case 1062 -> Trouble.TAKEN;
            // too many connections, not ready (Galera), shutting down, killed, gone away, cut off
            case 1040, 1047, 1053, 1927, 2006, 2013 -> Trouble.LOST;
            default -> byState(String.valueOf(cause.getSQLState()));
        };
    }

    private static Trouble byState(String state) {
        if (state.equals("40001")) {
            return Trouble.TRY_AGAIN;
        }
        return state.startsWith("08") ? Trouble.LOST : Trouble.FATAL;
    }

    /** The cause of a batch error can have a better error code. */
    private static SQLException unwrapped(SQLException error) {
        return error instanceof BatchUpdateException && error.getCause() instanceof SQLException cause ? cause : error;
    }

    /** The driver checks the size; if the server's limit has changed since, the server reports the error. */
    private static boolean isTooLarge(SQLException error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause.getClass().getName().equals(TOO_LARGE)) {
                return true;
            }
        }
        return error.getErrorCode() == 1153;
    }

    /** Only plain INSERTs need the triggers; without them a constraint refuses plain INSERTs. */
    @Override
    public boolean canDoWithout(SQLException error) {
        return error.getErrorCode() == NO_TRIGGERS;
    }

    @Override
    public String explain(SQLException error) {
        Optional<String> unknownHost = Dialect.unknownHost(error);
        if (unknownHost.isPresent()) {
            return unknownHost.get();
        }
        SQLException cause = unwrapped(error);
        String message = String.valueOf(cause.getMessage());
        if (isTooLarge(cause)) {
            return "the server takes no packets of this size (" + message
                    + "); raise its max_allowed_packet to 64M, so that payloads of 16 MB fit";
        }
        return switch (cause.getErrorCode()) {
            case 1045, 1698 -> "the server does not let us in (" + message + "); check user and password";
            case 1049 -> "the database does not exist (" + message + ")";
            case 1044, 1142, 1227 -> "the user lacks rights (" + message + "); " + Dialect.NEEDED_RIGHTS;
            case NO_TRIGGERS ->
                "plain SQL INSERTs will be refused, because the user may not make their trigger (" + message
                        + "); set log_bin_trust_function_creators on the server before the first start, or have the"
                        + " tables made by a user with SUPER";
            case 1290, 1792, 1836 -> "the database can only be read at the moment (" + message + ")";
            case 1021, 1114 -> "the server's disk is full (" + message + ")";
            default ->
                byState(String.valueOf(cause.getSQLState())) == Trouble.LOST
                        ? "there is no connection to the server (" + message + ")"
                        : message;
        };
    }
}
