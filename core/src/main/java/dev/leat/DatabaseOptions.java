package dev.leat;

import dev.leat.error.InvalidRequestException;
import java.util.Optional;

/**
 * How Leat uses a database that it reaches through a {@link javax.sql.DataSource}; what a URL says in its parameters.
 *
 * @param schema the schema of the tables, made if it is missing; default the connection's own
 * @param prefix what the names of the tables begin with; default {@code leat_}
 * @param migration whether missing tables are made; default {@link Migration#APPLY}
 * @param locking how rows are locked; default {@link Locking#NATIVE}
 * @param pooler what is between Leat and the server; default {@link Pooler#NONE}
 * @param signals the URL of a Leat server that carries notices between processes and keeps their locks; needs leat-client; default
 *     none
 * @param connections the most connections that are in use at a time; default 8, at least 4
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
        /** As the database does it best. */
        NATIVE,
        /** Only by writing them, for engines of the MySQL protocol without {@code SKIP LOCKED}. */
        PORTABLE
    }

    /** What is between Leat and the server, apart from the {@link javax.sql.DataSource} itself. */
    public enum Pooler {
        /** Nothing, or nothing that matters: a connection is one session of the server's. */
        NONE,
        /** One that gives each transaction another session, as PgBouncer does in transaction mode. For PostgreSQL. */
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
