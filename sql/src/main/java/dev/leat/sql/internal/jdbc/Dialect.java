package dev.leat.sql.internal.jdbc;

import dev.leat.sql.internal.upkeep.Partitions;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The differences between databases that a {@code .sql} file cannot express. */
public interface Dialect {
    String NEEDED_RIGHTS = "Leat reads and writes its tables, and makes them unless the URL says migrate=false";

    /** The use of a connection. */
    enum Access {
        WRITE,
        READ,
        /** The statements of a transactional handler, and the settle of its task. */
        HANDLER
    }

    /** The kinds of errors, by the reaction to them. */
    enum Trouble {
        /** A conflict with another transaction; the whole transaction can run again. */
        TRY_AGAIN,
        /** Another transaction was first with a unique name; the next try sees its row. */
        TAKEN,
        /** The wait for a lock was too long. */
        WAITED_TOO_LONG,
        /** The connection is gone. */
        LOST,
        FATAL
    }

    /** The name of the storage and of the folder of its statements. */
    String name();

    /**
     * The values of the placeholders in statements. {@code now} is an expression for the time of the database in microseconds
     * since the epoch, which tests can replace; {@code server_now} is never replaced, because other programs evaluate it.
     * {@code limit} follows LIMIT for a bound number. {@code for_update} and the like lock rows. {@code text} and {@code bigint}
     * are types for casts.
     */
    Map<String, String> placeholders();

    /** A clock with which a test has replaced the clock of the database. */
    Optional<InstantSource> testClock();

    /** Whether several transactions can write at the same time. */
    boolean hasOtherWriters();

    /** Whether the database has a fast path. */
    boolean hasFastPath();

    /** Whether finished tasks are in {@link Partitions}. */
    default boolean hasPartitions() {
        return false;
    }

    /** The migration files in the folder {@code migration}, in their order. */
    List<String> migrations();

    /** The largest number of connections of a kind. */
    int connections(Access access);

    /** The source of the connections. */
    ConnectionSource source();

    /** A new connection in auto-commit mode. */
    default Connection connect(Access access) throws SQLException {
        Connection connection = source().open();
        try {
            prepare(connection, access);
            if (access != Access.HANDLER) {
                source().limitSilence(connection, ConnectionSource.SILENCE);
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            source().close(connection);
            throw e;
        }
    }

    /** Whether a connection keeps one server session, instead of one for each transaction as behind a pooler. */
    default boolean keepsSessions() {
        return true;
    }

    /** Whether the database has NOTIFY. Connections can LISTEN where they keep their sessions. */
    default boolean hasNotify() {
        return false;
    }

    /** Sets up a new connection for its use. */
    void prepare(Connection connection, Access access) throws SQLException;

    /** Prepares the connection of a caller's transaction for the statements of Leat. */
    void join(Connection connection) throws SQLException;

    /**
     * Runs {@code work} with a short limit for waits for locks. In a caller's transaction, a savepoint precedes it, to which the
     * transaction returns on failure.
     */
    <T> T notWaitingLong(Tx transaction, Supplier<T> work);

    /** Runs {@code work}, which fails if it has to wait for a lock. */
    <T> T notWaiting(Tx transaction, Supplier<T> work);

    /**
     * Runs a statement that finds nothing if another transaction has locked the row. Without SKIP LOCKED, the statement fails at
     * once instead, and this method answers empty.
     */
    default <T> Optional<T> passingBy(Tx transaction, Supplier<Optional<T>> work) {
        return work.get();
    }

    /** Runs before a statement in auto-commit mode. */
    void beforeStatement(Connection connection) throws SQLException;

    /** Prepares the connection of a handler for the settle at the end of its transaction. */
    default void beforeSettle(Connection connection) throws SQLException {
        beforeStatement(connection);
    }

    void begin(Connection connection, Access access) throws SQLException;

    void commit(Connection connection) throws SQLException;

    void rollback(Connection connection) throws SQLException;

    /** The text, with replacements for characters that the database cannot store. */
    String storable(String text);

    /** Reserves ascending ids for new tasks. */
    default List<Long> newIds(Tx tx, int count) {
        return tx.ids("new-ids", count);
    }

    /** Whether a statement {@code claim-…} locks rows by writing them, because the database cannot lock rows by reading. */
    default boolean locksByWriting() {
        return false;
    }

    /** Whether each step of a recursive query seeks in an index, instead of scanning the index. */
    default boolean seeksInRecursion() {
        return true;
    }

    /** Whether the statement {@code changes} detects changes by other processes; without it, the watcher reads all notices. */
    default boolean countsChanges() {
        return false;
    }

    /** A list of ids as one bound value. */
    Object ids(Collection<Long> ids);

    /** How long a lost notice delays a sleeping reader at most. */
    default Duration missInterval() {
        return Duration.ofSeconds(1);
    }

    Trouble trouble(SQLException error);

    /** Whether Leat works without the object that a migration failed to create with this error. */
    default boolean canDoWithout(SQLException error) {
        return false;
    }

    /** The error, in words for the user. */
    String explain(SQLException error);

    /** The message for an unknown host, which drivers hide in the cause of the error. */
    static Optional<String> unknownHost(SQLException error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException unknown) {
                return Optional.of("the host " + unknown.getMessage() + " is not known; check the URL");
            }
        }
        return Optional.empty();
    }
}
