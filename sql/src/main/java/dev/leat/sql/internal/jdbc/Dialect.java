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

/** What differs between databases and cannot be said in a {@code .sql} file. */
public interface Dialect {
    String NEEDED_RIGHTS = "Leat reads and writes its tables, and makes them unless the URL says migrate=false";

    /** What a connection is for. */
    enum Access {
        WRITE,
        READ,
        /** The statements of a handler, and the settle of its task. */
        HANDLER
    }

    /** What to do about an error. */
    enum Trouble {
        /** Somebody else was in the way; the whole transaction may be tried again. */
        TRY_AGAIN,
        /** Somebody else was faster with a name that can be had only once; another try will see it. */
        TAKEN,
        /** A lock was not to be had in time. */
        WAITED_TOO_LONG,
        /** The connection is gone. */
        LOST,
        FATAL
    }

    /** The name of the storage, and of the file of its statements. */
    String name();

    /**
     * What the placeholders of the statements stand for: {@code now} is an expression for the database's time in
     * microseconds since the epoch, {@code server_now} the same for what others read too, who know nothing of a test's clock,
     * {@code limit} what stands after LIMIT for a bound number, {@code for_update} and the
     * like what keeps a row from changing under a transaction; {@code text} and {@code bigint} are types to cast to.
     */
    Map<String, String> placeholders();

    /** A clock that tests have put in place of the database's. */
    Optional<InstantSource> testClock();

    /** Whether others can write while a transaction does. */
    boolean hasOtherWriters();

    /** Whether shortcuts know the database. */
    boolean hasFastPath();

    /** Whether finished tasks are in {@link Partitions}. */
    default boolean hasPartitions() {
        return false;
    }

    /** The migration files in their order, below {@code migration/}. */
    List<String> migrations();

    /** How many connections of a kind there are at most. */
    int connections(Access access);

    /** Where its connections come from. */
    ConnectionSource source();

    /** A connection on which every statement is a transaction, until one is begun. */
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

    /** Whether a connection has one session for as long as it lives, and not one for each transaction. */
    default boolean keepsSessions() {
        return true;
    }

    /** Whether the database has NOTIFY. Connections can LISTEN where they keep their sessions. */
    default boolean hasNotify() {
        return false;
    }

    /** Makes a new connection ready for what it is for. */
    void prepare(Connection connection, Access access) throws SQLException;

    /** Prepares a caller's connection, which is in a transaction, for our statements. */
    void join(Connection connection) throws SQLException;

    /**
     * Does {@code work} without waiting long for the locks of others, in a caller's transaction behind a savepoint to which
     * he returns when it fails.
     */
    <T> T notWaitingLong(Tx transaction, Supplier<T> work);

    /** Does {@code work} that fails where it would have to wait for the locks of others for more than a moment. */
    <T> T notWaiting(Tx transaction, Supplier<T> work);

    /**
     * Runs a statement that finds nothing where somebody else has locked the row. Without SKIP LOCKED that is one that gives up
     * waiting at once.
     */
    default <T> Optional<T> passingBy(Tx transaction, Supplier<Optional<T>> work) {
        return work.get();
    }

    /** Called before a statement that is a transaction by itself. */
    void beforeStatement(Connection connection) throws SQLException;

    /** Prepares a handler's connection, which is in its transaction, for our last statements. */
    default void beforeSettle(Connection connection) throws SQLException {
        beforeStatement(connection);
    }

    void begin(Connection connection, Access access) throws SQLException;

    void commit(Connection connection) throws SQLException;

    void rollback(Connection connection) throws SQLException;

    /** The text, or what is nearest to it where the database cannot keep every character. */
    String storable(String text);

    /** Ascending ids that nobody else gets, for so many new tasks. */
    default List<Long> newIds(Tx tx, int count) {
        return tx.ids("new-ids", count);
    }

    /** Whether rows are kept from changing by writing them, with the statement {@code claim-…}, instead of by locking. */
    default boolean locksByWriting() {
        return false;
    }

    /** Whether a recursive query seeks in an index at each step, instead of reading it as a whole. */
    default boolean seeksInRecursion() {
        return true;
    }

    /** Whether the statement {@code changes} tells that other processes have changed something; if not, one looks at everything. */
    default boolean countsChanges() {
        return false;
    }

    /** A list of ids as the one value that statements expect. */
    Object ids(Collection<Long> ids);

    /** How long a change may stay unheard at worst. */
    default Duration missInterval() {
        return Duration.ofSeconds(1);
    }

    Trouble trouble(SQLException error);

    /** Whether Leat works without what this error kept a migration from making. */
    default boolean canDoWithout(SQLException error) {
        return false;
    }

    /** What is wrong, in words for the user. */
    String explain(SQLException error);

    /** The host that no name server knows, where that is the reason; drivers hide it in the cause. */
    static Optional<String> unknownHost(SQLException error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException unknown) {
                return Optional.of("the host " + unknown.getMessage() + " is not known; check the URL");
            }
        }
        return Optional.empty();
    }
}
