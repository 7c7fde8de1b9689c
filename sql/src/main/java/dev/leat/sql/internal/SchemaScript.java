package dev.leat.sql.internal;

import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.row.RowStatements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.regex.Pattern;

/** Writes the migrations for an empty database as a script. */
public final class SchemaScript {
    public static final String STANDARD_PREFIX = Tables.STANDARD_PREFIX;

    private static final Pattern CREATE_TRIGGER = Pattern.compile("(?ms)^(CREATE TRIGGER .*?^END);$");

    private static final ConnectionSource NONE = SchemaScript::refuse;

    private SchemaScript() {}

    public static String postgresql(Optional<String> schema, String prefix) {
        return script(
                new PostgresDialect(NONE, Optional.empty()),
                Tables.checked(schema, prefix),
                "PostgreSQL",
                "psql --single-transaction --set=ON_ERROR_STOP=1 --file=leat.sql");
    }

    public static String mariadb(Optional<String> schema, String prefix) {
        return delimited(script(
                new MariaDbDialect(NONE, Optional.empty(), MariaDbDialect.Locking.BY_READING),
                Tables.checked(schema, prefix),
                "MariaDB and MySQL",
                "mariadb DATABASE < leat.sql"));
    }

    /** Sets a delimiter, because the client would end a trigger at its first semicolon. */
    private static String delimited(String script) {
        return CREATE_TRIGGER.matcher(script).replaceAll("DELIMITER //\n$1//\nDELIMITER ;\n");
    }

    public static String sqlite(String prefix) {
        Tables tables = Tables.checked(Optional.empty(), prefix);
        return script(
                new SqliteDialect(NONE, "jobs.db", tables, InstantSource.system()),
                tables,
                "SQLite",
                "sqlite3 -bail jobs.db < leat.sql");
    }

    private static String script(Dialect dialect, Tables tables, String database, String command) {
        Statements statements = RowStatements.of(dialect, tables);
        return "-- All that Leat needs in " + database + ", for a database that has none of it yet:\n--   " + command
                + "\n-- Then open Leat with migrate=false. A later version adds migrations at the end.\n\n"
                + Migrations.script(dialect, statements, tables);
    }

    private static Connection refuse() throws SQLException {
        throw new SQLException("a script is written without a database");
    }
}
