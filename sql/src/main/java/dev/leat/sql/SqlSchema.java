package dev.leat.sql;

import dev.leat.error.InvalidRequestException;
import dev.leat.sql.internal.SchemaScript;
import java.util.Optional;

/**
 * Leat's tables and views as a script, for databases where an application may not create tables. Apply the script, then open Leat with
 * {@code migrate=false} and the same schema and prefix. Immutable.
 */
public final class SqlSchema {
    /** The prefix that Leat uses unless the URL names another. */
    public static final String STANDARD_PREFIX = SchemaScript.STANDARD_PREFIX;

    /** The databases. */
    public enum Dialect {
        POSTGRESQL,
        /** MariaDB and MySQL. */
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

    /** The script with the standard prefix, for the schema of the user that applies the script. */
    public static SqlSchema of(Dialect dialect) {
        return new SqlSchema(dialect, Optional.empty(), STANDARD_PREFIX);
    }

    /** The script for a schema; on MariaDB, for a database. SQLite has no schemas. */
    public SqlSchema schema(String schema) {
        if (dialect == Dialect.SQLITE) {
            throw new InvalidRequestException("schema", "is not for SQLite, which has none; use a prefix");
        }
        return new SqlSchema(dialect, Optional.of(schema), prefix);
    }

    public SqlSchema prefix(String prefix) {
        return new SqlSchema(dialect, schema, prefix);
    }

    /** Statements for a database without Leat's tables. Each ends with a semicolon before an empty line. */
    public String script() {
        return switch (dialect) {
            case POSTGRESQL -> SchemaScript.postgresql(schema, prefix);
            case MARIADB -> SchemaScript.mariadb(schema, prefix);
            case SQLITE -> SchemaScript.sqlite(prefix);
        };
    }
}
