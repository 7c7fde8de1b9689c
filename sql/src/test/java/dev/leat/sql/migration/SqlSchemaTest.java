package dev.leat.sql.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageNotFoundException;
import dev.leat.sql.Sql;
import dev.leat.sql.SqlSchema;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.StorageSettings;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leat works with migrate=false on tables that the printed script has made. Covers N3. */
class SqlSchemaTest {

    private static void apply(String script, TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            for (String sql : script.split(";\\s*(\\n\\s*\\n|$)", -1)) {
                if (!sql.isBlank()) {
                    Sql.execute(connection, sql);
                }
            }
        }
    }

    private static void assertThatLeatWorksOn(TestDatabase database) {
        try (Leat leat = Leat.open(database.leatUrl())) {
            long id = leat.put("q", "hello");
            TakenTask taken = leat.take("q").orElseThrow();
            leat.settle(Settle.bury(taken.lease(), "look at it"));

            assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.BURIED);
        }
    }

    private static long count(TestDatabase database, String table) throws SQLException {
        return database.number("SELECT count(*) FROM " + table);
    }

    abstract static class InASchema {
        abstract SqlSchema.Dialect dialect();

        abstract TestDatabase newDatabase();

        void applyThere(String script, TestDatabase database) throws Exception {
            apply(script, database);
        }

        @Test
        void whatTheScriptMakesIsEnough() throws Exception { // N3
            TestDatabase database = newDatabase();

            applyThere(SqlSchema.of(dialect()).script(), database);

            assertThatLeatWorksOn(database.with("migrate=false"));
            assertThat(count(database, "leat_attempts")).isEqualTo(1);
        }

        @Test
        void aDatabaseWithoutTablesIsRefusedAndStaysEmptyIfNothingIsToBeMade() {
            TestDatabase database = newDatabase();
            StorageSettings onlyIfThere = StorageSettings.standard().ifMissing(StorageSettings.IfMissing.REFUSE);

            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(StorageNotFoundException.class)
                        .isThrownBy(() -> database.open(onlyIfThere))
                        .withMessage("The database has no tables of Leat's (leat_*).");
            }

            database.open().close();
            database.open(onlyIfThere).close();
        }

        @Test
        void schemaAndPrefixAreThoseThatWereAskedFor() throws Exception { // N3
            TestDatabase database = newDatabase();

            applyThere(SqlSchema.of(dialect()).schema("by_hand").prefix("jobs_").script(), database);

            assertThatLeatWorksOn(database.with("migrate=false&schema=by_hand&prefix=jobs_"));
            assertThat(count(database, "by_hand.jobs_tasks")).isEqualTo(1);
        }
    }

    @Nested
    class OnPostgres extends InASchema {
        @Override
        SqlSchema.Dialect dialect() {
            return SqlSchema.Dialect.POSTGRESQL;
        }

        @Override
        TestDatabase newDatabase() {
            return TestDatabase.postgres();
        }
    }

    @Nested
    @Tag("engine")
    class OnMariaDb extends InASchema {
        @Override
        SqlSchema.Dialect dialect() {
            return SqlSchema.Dialect.MARIADB;
        }

        @Override
        TestDatabase newDatabase() {
            return TestDatabase.mariaDb();
        }

        /** Applies the script with the client, which must not end a trigger at its first semicolon. */
        @Override
        void applyThere(String script, TestDatabase database) throws Exception {
            Matcher parts =
                    Pattern.compile(".*//([^:]+):(\\d+)/(\\w+)\\?user=(\\w+).*").matcher(database.jdbcUrl());
            assertThat(parts.matches()).isTrue();
            Process client = new ProcessBuilder(
                            "mariadb",
                            "--no-defaults",
                            "--host=" + parts.group(1),
                            "--port=" + parts.group(2),
                            "--user=" + parts.group(4),
                            parts.group(3))
                    .redirectErrorStream(true)
                    .start();
            try (OutputStream input = client.getOutputStream()) {
                input.write(script.getBytes(StandardCharsets.UTF_8));
            }
            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEmpty();
            assertThat(client.waitFor()).isZero();
        }
    }

    @Nested
    class OnSqlite {
        @TempDir
        Path folder;

        @Test
        void whatTheScriptMakesIsEnough() throws SQLException { // N3
            TestDatabase database = TestDatabase.sqlite(folder);

            apply(SqlSchema.of(SqlSchema.Dialect.SQLITE).script(), database);

            assertThatLeatWorksOn(database.with("migrate=false"));
        }

        @Test
        void thePrefixIsTheOneThatWasAskedFor() throws SQLException {
            TestDatabase database = TestDatabase.sqlite(folder);

            apply(SqlSchema.of(SqlSchema.Dialect.SQLITE).prefix("jobs_").script(), database);

            assertThatLeatWorksOn(database.with("migrate=false&prefix=jobs_"));
            assertThat(count(database, "jobs_tasks")).isEqualTo(1);
        }

        @Test
        void aSchemaIsRefused() {
            SqlSchema tables = SqlSchema.of(SqlSchema.Dialect.SQLITE);

            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> tables.schema("jobs"))
                    .withMessageContaining("not for SQLite");
        }
    }

    @Test
    void aNameThatWouldBreakAStatementIsRefused() {
        SqlSchema tables = SqlSchema.of(SqlSchema.Dialect.POSTGRESQL);

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> tables.prefix("a; DROP TABLE x").script())
                .withMessageContaining("prefix must be 1 to 40 letters, digits and _");
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> tables.schema("").script())
                .withMessageContaining("schema must be 1 to 40 letters, digits and _");
    }
}
