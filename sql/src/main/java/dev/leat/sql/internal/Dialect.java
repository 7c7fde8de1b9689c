package dev.leat.sql.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** What differs between databases and cannot be said in a {@code .sql} file. */
interface Dialect {
    /** What a connection is for. */
    enum Access {
        WRITE,
        READ
    }

    /** What to do about an error. */
    enum Trouble {
        /** Somebody else was in the way; the whole transaction may be tried again. */
        TRY_AGAIN,
        FATAL
    }

    /** The name of the storage, and of the file of its statements. */
    String name();

    /** An expression for the database's time in microseconds since the epoch. */
    String now();

    /** What stands after LIMIT for a bound number. */
    String limit();

    /** The migration files in their order, below {@code migration/}. */
    List<String> migrations();

    Connection connect(Access access) throws SQLException;

    void begin(Connection connection) throws SQLException;

    void commit(Connection connection) throws SQLException;

    void rollback(Connection connection) throws SQLException;

    /** A list of ids as the one value that statements expect. */
    String ids(Collection<Long> ids);

    /** A number that changes when another process has changed the database. */
    long changes(Connection connection) throws SQLException;

    Trouble trouble(SQLException error);

    /** What is wrong, in words for the user. */
    String explain(SQLException error);
}
