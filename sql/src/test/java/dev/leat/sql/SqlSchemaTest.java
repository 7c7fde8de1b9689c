package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.InvalidRequestException;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.testkit.server.MariaDbServer;
import dev.leat.testkit.server.PostgresServer;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that somebody made with the printed script is one that Leat needs not touch. Covers N3. */
class SqlSchemaTest {

    private static void apply(String script, String jdbcUrl) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            for (String sql : script.split(";\\s*(\\n\\s*\\n|$)", -1)) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
    }

    private static void assertThatLeatWorksOn(String url) {
        try (Leat leat = Leat.open(url)) {
            long id = leat.put("q", "hello");
            TakenTask taken = leat.take("q").orElseThrow();
            leat.settle(Settle.bury(taken.lease(), "look at it"));

            assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.BURIED);
        }
    }

    private static long count(String jdbcUrl, String table) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            return row.getLong(1);
        }
    }

    abstract static class InASchema {
        abstract SqlSchema.Dialect dialect();

        abstract String url();

        void applyThere(String script, String url) throws Exception {
            apply(script, url);
        }

        @Test
        void whatTheScriptMakesIsEnough() throws Exception {
            String url = url();

            applyThere(SqlSchema.of(dialect()).script(), url);

            assertThatLeatWorksOn(url + "&migrate=false");
            assertThat(count(url, "leat_attempts")).isEqualTo(1);
        }

        @Test
        void schemaAndPrefixAreThoseThatWereAskedFor() throws Exception {
            String url = url();

            applyThere(SqlSchema.of(dialect()).schema("by_hand").prefix("jobs_").script(), url);

            assertThatLeatWorksOn(url + "&migrate=false&schema=by_hand&prefix=jobs_");
            assertThat(count(url, "by_hand.jobs_tasks")).isEqualTo(1);
        }
    }

    @Nested
    class OnPostgres extends InASchema {
        @Override
        SqlSchema.Dialect dialect() {
            return SqlSchema.Dialect.POSTGRESQL;
        }

        @Override
        String url() {
            return PostgresServer.shared(PostgresServer.Version.V18).newDatabase();
        }
    }

    @Nested
    class OnMariaDb extends InASchema {
        @Override
        SqlSchema.Dialect dialect() {
            return SqlSchema.Dialect.MARIADB;
        }

        @Override
        String url() {
            return MariaDbServer.shared().newDatabase();
        }

        /** By the client, which a trigger in the script must not confuse. */
        @Override
        void applyThere(String script, String url) throws Exception {
            Matcher parts =
                    Pattern.compile(".*//([^:]+):(\\d+)/(\\w+)\\?user=(\\w+).*").matcher(url);
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
        void whatTheScriptMakesIsEnough() throws SQLException {
            apply(SqlSchema.of(SqlSchema.Dialect.SQLITE).script(), "jdbc:sqlite:" + folder.resolve("jobs.db"));

            assertThatLeatWorksOn("sqlite:" + folder.resolve("jobs.db") + "?migrate=false");
        }

        @Test
        void thePrefixIsTheOneThatWasAskedFor() throws SQLException {
            String jdbcUrl = "jdbc:sqlite:" + folder.resolve("jobs.db");

            apply(SqlSchema.of(SqlSchema.Dialect.SQLITE).prefix("jobs_").script(), jdbcUrl);

            assertThatLeatWorksOn("sqlite:" + folder.resolve("jobs.db") + "?migrate=false&prefix=jobs_");
            assertThat(count(jdbcUrl, "jobs_tasks")).isEqualTo(1);
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
