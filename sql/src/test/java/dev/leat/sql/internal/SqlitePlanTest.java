package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.PurgeOptions;
import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.engine.sqlite.SqliteConnectionSource;
import dev.leat.sql.internal.engine.sqlite.SqliteDialect;
import dev.leat.sql.internal.engine.sqlite.SqliteUrl;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.row.RowStatements;
import dev.leat.storage.Storage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every hot statement reads one range of one index, among thousands of tasks: with statistics, and on fresh tables without. Covers N5. */
class SqlitePlanTest {

    @TempDir
    static Path folder;

    private static Statements statements;
    private static Connection fresh;
    private static Connection analysed;

    @BeforeAll
    static void fill() throws Exception {
        SqliteUrl url = SqliteUrl.parse("sqlite:" + folder.resolve("plan.db"));
        ConnectionSource connections = new SqliteConnectionSource(url.file(), url.synchronous());
        Engine dialect = new SqliteDialect(connections, url.file().toString(), url.tables(), InstantSource.system());
        statements = RowStatements.of(dialect, url.tables());
        try (Storage storage =
                SqlStorage.open(dialect, url.tables(), url.migrate(), PurgeOptions.standard(), Optional.empty())) {
            PlanData.fill(storage);
        }
        Files.copy(url.file(), folder.resolve("analysed.db"));
        fresh = dialect.connect(Dialect.Access.READ);
        analysed = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("analysed.db"));
        try (Statement statement = analysed.createStatement()) {
            statement.execute("ANALYZE");
        }
    }

    @AfterAll
    static void close() throws SQLException {
        fresh.close();
        analysed.close();
    }

    @ParameterizedTest
    @CsvSource({
        "take-oldest, task_ready",
        "take-oldest-of-type, task_ready_type",
        "take-newest, task_ready",
        "take-newest-of-type, task_ready_type",
        "take-random, task_ready_random",
        "take-random-of-type, task_ready_type_random",
        "take-oldest-of-spread, task_ready_spread",
        "take-newest-of-spread-of-type, task_ready_type_spread",
        "next-priority, task_ready",
        "next-priority-of-type, task_ready_type",
        "next-spread, task_ready_spread",
        "next-spread-of-type, task_ready_type_spread",
        "running-by-spread, task_taken_spread",
        "next-spreads, task_ready_spread",
        "next-spreads-of-type, task_ready_type_spread",
        "ready-without-tenant, task_ready",
        "due-tasks, task_timer",
        "next-behind-key, task_behind_key",
        "find-address, task_address",
        "buried-of-queue, task_buried",
        "to-stop, task_to_stop",
        "group-has-work, task_of_group",
        "group-tasks, task_of_group",
        "equivalent-live, task_equivalent",
        "count-ready, task_ready",
        "count-finished, finished_hidden",
        "old-finished, finished_hidden",
        "was-settled, attempt_task",
        "lease, PRIMARY KEY",
        "live-tasks, PRIMARY KEY",
        "plain-deliveries, PRIMARY KEY",
        "finish-plain, PRIMARY KEY",
        "delete-plain, PRIMARY KEY",
        "enter-key, ''",
        "due-schedules, schedule_next",
        "move-schedule, PRIMARY KEY",
        "schedules, PRIMARY KEY",
        "schedules-of-tenant, schedule_tenant",
    })
    void aHotStatementReadsOneRangeOfOneIndex(String name, String index) throws SQLException { // N5
        assertOneRange(fresh, name, index);
        assertOneRange(analysed, name, index);
    }

    /** Whoever has subscribed to something else is not looked at. */
    @Test
    void aPublicationReadsTheSubscriptionsOfItsTopic() throws SQLException { // N5
        String statement = statements.get("wanting-subscriptions");

        assertThat(plan(fresh, statement))
                .contains("SEARCH s USING INDEX leat_subscription_topic (topic=?)")
                .noneMatch(step -> step.startsWith("SCAN"));
    }

    private static void assertOneRange(Connection connection, String name, String index) throws SQLException {
        List<String> plan = plan(connection, statements.get(name));
        List<String> reads = plan.stream()
                .filter(step -> !step.matches("SCAN (json_each|c|v)\\b.*|SCAN CONSTANT ROW"))
                .toList();

        assertThat(reads).as("plan of %s", name).noneMatch(step -> step.startsWith("SCAN"));
        assertThat(plan).as("plan of %s", name).noneMatch(step -> step.contains("TEMP B-TREE"));
        if (!index.isEmpty()) {
            assertThat(reads.stream().filter(step -> step.startsWith("SEARCH")).distinct())
                    .as("plan of %s", name)
                    .singleElement()
                    .satisfies(step -> assertThat(step).containsPattern("(leat_)?" + index + " \\("));
        }
    }

    private static List<String> plan(Connection connection, String sql) throws SQLException {
        List<String> steps = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement("EXPLAIN QUERY PLAN " + sql);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                steps.add(rows.getString("detail"));
            }
        }
        return steps;
    }
}
