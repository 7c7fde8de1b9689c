package dev.leat;

import dev.leat.error.InvalidRequestException;
import java.util.Optional;

/**
 * How Leat uses the database of a {@link javax.sql.DataSource}. A storage URL has the same options as parameters.
 *
 * @param schema the schema of the tables; Leat makes a missing one; default the connection's own
 * @param prefix the start of the names of all tables; default {@code leat_}
 * @param migration whether Leat makes missing tables and changes older ones; default {@link Migration#APPLY}
 * @param locking how rows are locked; default {@link Locking#NATIVE}
 * @param pooler the pooler between Leat and the server; default {@link Pooler#NONE}
 * @param signals the URL of a Leat server that carries notices between processes and keeps their locks; needs leat-client; default
 *     none
 * @param connections the largest number of connections in use at a time; default 8, at least 4
 */
public record DatabaseOptions(
        Optional<String> schema,
        String prefix,
        Migration migration,
        Locking locking,
        Pooler pooler,
        Optional<String> signals,
        int connections) {
    private static final int FEWEST_CONNECTIONS = 4;

    /** What to do about missing or older tables. */
    public enum Migration {
        /** Make and change them. */
        APPLY,
        /** Refuse to open. */
        CHECK
    }

    /** How rows are locked. */
    public enum Locking {
        /** With the best means of the database. */
        NATIVE,
        /** Only by writing the rows, for engines of the MySQL protocol without {@code SKIP LOCKED}. */
        PORTABLE
    }

    /** The pooler between Leat and the server, apart from the {@link javax.sql.DataSource} itself. */
    public enum Pooler {
        /** None that changes the session: a connection is one session of the server. */
        NONE,
        /** A pooler that gives each transaction another session, such as PgBouncer in transaction mode. For PostgreSQL. */
        TRANSACTION
    }

    public DatabaseOptions {
        if (connections < FEWEST_CONNECTIONS) {
            throw new InvalidRequestException(
                    "connections", "must be at least " + FEWEST_CONNECTIONS + ", was " + connections);
        }
    }

    public static DatabaseOptions standard() {
        return new DatabaseOptions(
                Optional.empty(), "leat_", Migration.APPLY, Locking.NATIVE, Pooler.NONE, Optional.empty(), 8);
    }

    public DatabaseOptions schema(String name) {
        return new DatabaseOptions(Optional.of(name), prefix, migration, locking, pooler, signals, connections);
    }

    public DatabaseOptions prefix(String text) {
        return new DatabaseOptions(schema, text, migration, locking, pooler, signals, connections);
    }

    public DatabaseOptions migration(Migration mode) {
        return new DatabaseOptions(schema, prefix, mode, locking, pooler, signals, connections);
    }

    public DatabaseOptions locking(Locking mode) {
        return new DatabaseOptions(schema, prefix, migration, mode, pooler, signals, connections);
    }

    public DatabaseOptions pooler(Pooler kind) {
        return new DatabaseOptions(schema, prefix, migration, locking, kind, signals, connections);
    }

    public DatabaseOptions signals(String url) {
        return new DatabaseOptions(schema, prefix, migration, locking, pooler, Optional.of(url), connections);
    }

    public DatabaseOptions connections(int most) {
        return new DatabaseOptions(schema, prefix, migration, locking, pooler, signals, most);
    }
}
