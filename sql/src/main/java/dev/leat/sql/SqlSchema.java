package dev.leat.sql;

import dev.leat.error.InvalidRequestException;
import dev.leat.sql.internal.SchemaScript;
import java.util.Optional;

/**
 * Leat's tables and views as a script, for those who do not let an application make them: apply it, then open Leat with
 * {@code migrate=false} and the same schema and prefix. Immutable.
 */
public final class SqlSchema {
    /** The prefix that Leat uses unless the URL names another. */
    public static final String STANDARD_PREFIX = SchemaScript.STANDARD_PREFIX;

    /** The kinds of databases. */
    public enum Dialect {
        POSTGRESQL,
        /** MySQL too. */
        MARIADB,
        SQLITE
    }

    private final Dialect dialect;
    private final Optional<String> schema;
    private final String prefix;

    private SqlSchema(Dialect dialect, Optional<String> schema, String prefix) {
        this.dialect = dialect;
        this.schema = schema;
        this.prefix = prefix;
    }

    /** With the standard prefix, in the schema of whoever applies it. */
    public static SqlSchema of(Dialect dialect) {
        return new SqlSchema(dialect, Optional.empty(), STANDARD_PREFIX);
    }

    /** In this schema, on MariaDB in this database; SQLite has none. */
    public SqlSchema schema(String schema) {
        if (dialect == Dialect.SQLITE) {
            throw new InvalidRequestException("schema", "is not for SQLite, which has none; use a prefix");
        }
        return new SqlSchema(dialect, Optional.of(schema), prefix);
    }

    public SqlSchema prefix(String prefix) {
        return new SqlSchema(dialect, schema, prefix);
    }

    /** Statements that end with a semicolon before an empty line, for a database that has none of Leat's tables. */
    public String script() {
        return switch (dialect) {
            case POSTGRESQL -> SchemaScript.postgresql(schema, prefix);
            case MARIADB -> SchemaScript.mariadb(schema, prefix);
            case SQLITE -> SchemaScript.sqlite(prefix);
        };
    }
}
