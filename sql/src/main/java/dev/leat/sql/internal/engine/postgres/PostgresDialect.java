package dev.leat.sql.internal.engine.postgres;

import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.LentConnections;
import dev.leat.sql.internal.jdbc.RememberedSettings;
import dev.leat.sql.internal.jdbc.Tx;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.postgresql.util.PSQLException;

/**
 * PostgreSQL 15 and newer. Writers run concurrently at READ COMMITTED and lock the rows that they change.
 *
 * <p>The time is the server's, at the moment of each statement, because a caller's transaction may be old. A test clock reaches
 * the statements through a setting of the connection.
 */
public class PostgresDialect implements Engine {
    private static final String NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    /** Constant within a statement, so that a search can use an index. */
    private static final String SERVER_NOW = "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint";

    private static final String TEST_NOW = "current_setting('leat.now')::bigint";
    /** How long a caller's put waits for the address that another transaction has put (rule 21). */
    private static final String CALLERS_LOCK_TIMEOUT = "2s";

    private static final String SHORT_LOCK_TIMEOUT = "50ms";

    private static final int WRITERS = 8;
    private static final int READERS = 4;

    private final ConnectionSource connections;
    private final Optional<InstantSource> testClock;
    private volatile boolean isChecked;

    public PostgresDialect(ConnectionSource connections, Optional<InstantSource> testClock) {
        this.connections = connections;
        this.testClock = testClock;
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public Map<String, String> placeholders() {
        return Map.of(
                "now", testClock.isPresent() ? TEST_NOW : NOW,
                "server_now", SERVER_NOW,
                "limit", "?",
                "text", "TEXT",
                "bigint", "BIGINT",
                "for_update", "FOR UPDATE",
                "for_share", "FOR SHARE",
                "for_share_skip_locked", "FOR SHARE SKIP LOCKED",
                "for_key_share", "FOR KEY SHARE",
                "skip_locked", "FOR UPDATE SKIP LOCKED");
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
        return true;
    }

    @Override
    public boolean hasPartitions() {
        return true;
    }

    @Override
    public List<String> migrations() {
        return List.of("postgresql/0001_initial.sql");
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
        if (!isChecked) {
            PoolerCheck.refuseUnknownPooler(connection, connections);
            isChecked = true;
        }
        connection.setTransactionIsolation(
                access == Access.READ ? Connection.TRANSACTION_REPEATABLE_READ : Connection.TRANSACTION_READ_COMMITTED);
        if (access != Access.HANDLER) {
            PostgresSettings.ofSession().planning().idleTimeout().apply(connection);
        }
    }

    /** Keeps the settings that {@link #prepare} changes. */
    public static LentConnections.Undo remember(Connection connection) throws SQLException {
        return RememberedSettings.of(
                connection,
                "SELECT format('SET enable_seqscan = %L; SET enable_bitmapscan = %L; SET jit = %L; SET plan_cache_mode"
                        + " = %L; SET idle_in_transaction_session_timeout = %L', current_setting('enable_seqscan'),"
                        + " current_setting('enable_bitmapscan'), current_setting('jit'),"
                        + " current_setting('plan_cache_mode'), current_setting('idle_in_transaction_session_timeout'))");
    }

    /** Sets the planner only for the settle, so that the handler's own statements keep their usual plans. */
    @Override
    public void beforeSettle(Connection connection) throws SQLException {
        beforeStatement(connection);
        PostgresSettings.ofTransaction().planning().apply(connection);
    }

    @Override
    public void join(Connection connection) throws SQLException {
        beforeStatement(connection);
    }

    @Override
    public <T> T notWaitingLong(Tx transaction, Supplier<T> work) {
        return waiting(CALLERS_LOCK_TIMEOUT, transaction, work);
    }

    @Override
    public <T> T notWaiting(Tx transaction, Supplier<T> work) {
        return waiting(SHORT_LOCK_TIMEOUT, transaction, work);
    }

    private static <T> T waiting(String timeout, Tx transaction, Supplier<T> work) {
        String before =
                transaction.first("lock-timeout", row -> row.getString(1)).orElseThrow();
        transaction.first("set-lock-timeout", row -> 1, timeout);
        T result = work.get();
        transaction.first("set-lock-timeout", row -> 1, before);
        return result;
    }

    @Override
    public final void beforeStatement(Connection connection) throws SQLException {
        if (testClock.isPresent()) {
            bringTime(connection, testClock.get().instant());
        }
    }

    /** Sets the time of the test clock. */
    void bringTime(Connection connection, Instant time) throws SQLException {
        PostgresSettings.ofSession().now(time).apply(connection);
    }

    @Override
    public void begin(Connection connection, Access access) throws SQLException {
        beforeStatement(connection);
        connection.setAutoCommit(false);
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Override
    public void rollback(Connection connection) throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
    }

    /** PostgreSQL stores no zero characters in a text; the symbol for NUL replaces them. */
    @Override
    public String storable(String text) {
        return text.indexOf('\0') < 0 ? text : text.replace('\0', '\u2400');
    }

    @Override
    public Object ids(Collection<Long> ids) {
        return ids.stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public boolean hasNotify() {
        return true;
    }

    /** Long, because NOTIFY reports nearly all changes. */
    @Override
    public Duration missInterval() {
        return Duration.ofSeconds(2);
    }

    @Override
    public Trouble trouble(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return switch (state) {
            // serialization failure, deadlock
            case "40001", "40P01" -> Trouble.TRY_AGAIN;
            case "23505" -> Trouble.TAKEN;
            case "55P03" -> Trouble.WAITED_TOO_LONG;
            case "23514" -> isLateForItsPartition(error) ? Trouble.TRY_AGAIN : Trouble.FATAL;
            // shut down, crashed, starting up, too many connections, idle in a transaction for too long
            case "57P01", "57P02", "57P03", "57P05", "53300", "25P03", "25P04" -> Trouble.LOST;
            default -> state.startsWith("08") ? Trouble.LOST : Trouble.FATAL;
        };
    }

    /** While an insert into the default partition waited, the task's day got a partition of its own. */
    private static boolean isLateForItsPartition(SQLException error) {
        return error instanceof PSQLException late
                && late.getServerErrorMessage() != null
                && String.valueOf(late.getServerErrorMessage().getTable()).endsWith("finished_rest");
    }

    @Override
    public String explain(SQLException error) {
        Optional<String> unknownHost = Dialect.unknownHost(error);
        if (unknownHost.isPresent()) {
            return unknownHost.get();
        }
        String message = String.valueOf(error.getMessage());
        return switch (String.valueOf(error.getSQLState())) {
            case "28P01", "28000" -> "the server does not let us in (" + message + "); check user and password";
            case "3D000" -> "the database does not exist (" + message + ")";
            case "42501" -> "the user lacks rights (" + message + "); " + Dialect.NEEDED_RIGHTS;
            case "25006" -> "the database can only be read at the moment (" + message + ")";
            case "53100" -> "the server's disk is full (" + message + ")";
            case "26000", "42P05" ->
                "the driver's prepared statements are mixed up (" + message + "); " + adviceOnMixedUpStatements();
            case "08001" -> "the server cannot be reached (" + message + ")";
            default -> message;
        };
    }

    String adviceOnMixedUpStatements() {
        return PoolerCheck.ADVICE;
    }
}
