package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.engine.mariadb.MariaDbDialect;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.row.RowStatements;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storagetests.server.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every hot statement reads one range of one index, among thousands of tasks: first on tables that were never analysed, then with
 * statistics. What is read is counted by the server, not only planned.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("engine")
class MariaDbPlanTest {
    private static final String STATEMENTS = """
        take-oldest; task_state; 1 9 10; 11
        take-oldest-of-type; task_ready_type; 1 type3 9 10; 11
        take-newest; task_state; 1 3 10; 11
        take-newest-of-type; task_ready_type; 1 type3 3 10; 11
        take-random; task_ready_random; 1 3 1000000 9223372036854775807 10; 11
        take-random-of-type; task_ready_type_random; 1 type3 3 1000000 9223372036854775807 10; 11
        take-oldest-of-spread; task_ready_spread; 1 3 "7" 10; 11
        take-oldest-of-spread-of-type; task_ready_type_spread; 1 type3 3 "7" 10; 11
        take-newest-of-spread; task_ready_spread; 1 3 "7" 10; 11
        take-newest-of-spread-of-type; task_ready_type_spread; 1 type3 3 "7" 10; 11
        next-priority; task_state; 1 0 9; 2
        next-priority-of-type; task_ready_type; 1 type3 0 9; 2
        next-spread; task_ready_spread; 1 3 "2"; 2
        next-spread-of-type; task_ready_type_spread; 1 type3 3 "2"; 2
        ready-without-tenant; task_state; 1 77 10; 2
        due-tasks; task_timer; 9000000000000000 10; 11
        next-behind-key; task_line; 1 key1; 2
        before-in-line; task_line; 1 key1 4 4 1; 9
        find-address; task_address; 1 address34; 2
        buried-of-queue; task_state; 1 0 0 5 10; 12
        to-stop; task_to_stop; nobody; 2
        group-has-work; task_of_group; 1; 2
        group-tasks; task_of_group; 1 0 0 0 4 10; 12
        group-tasks; task_of_group; 1 1 1 1000 4 10; 12
        equivalent-live; task_equivalent; 1 order hash; 2
        count-ready; task_state; 1 10; 22
        count-finished; finished_hidden; 1 11 0 10; 22
        old-finished; finished_hidden; 1 11 0 0 10; 2
        was-settled; attempt_task; 1 2 3; 2
        live-tasks; PRIMARY; [5,6,7]; 7
        lock-tasks; PRIMARY; [5,6,7]; 7
        plain-deliveries; PRIMARY; [5,6,7]; 7
        due-schedules; schedule_next; 1 1 a 9000000000000000 10; 12
        schedules; PRIMARY; schedule1 q q 10; 11
        schedules-of-tenant; schedule_tenant; tenant7 schedule q q 10; 11
        """;

    private static MariaDbServer server;
    private static Statements statements;
    private static Connection connection;
    private static boolean analysed;

    @BeforeAll
    static void fill() throws SQLException {
        server = MariaDbServer.start(Map.of("innodb_flush_log_at_trx_commit", "0", "innodb_stats_auto_recalc", "OFF"));
        String url = server.newDatabase();
        ConnectionSource connections = () -> DriverManager.getConnection(url);
        Engine dialect = new MariaDbDialect(connections, Optional.empty(), MariaDbDialect.Locking.BY_READING);
        statements = RowStatements.of(dialect, new Tables(Optional.empty(), Tables.STANDARD_PREFIX));
        try (Storage storage = Storages.open(url, StorageSettings.standard())) {
            PlanData.fill(storage);
        }
        connection = dialect.connect(Dialect.Access.WRITE);
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
        server.close();
    }

    @Order(1)
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = STATEMENTS)
    void aHotStatementReadsOneRangeOfOneIndexOnFreshTables(String name, String index, String values, int reads)
            throws SQLException {
        assertOneRange(name, index, values, reads);
    }

    @Order(2)
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = STATEMENTS)
    void aHotStatementReadsOneRangeOfOneIndexWithStatistics(String name, String index, String values, int reads)
            throws SQLException { // N5
        analyseOnce();
        assertOneRange(name, index, values, reads);
    }

    private static void analyseOnce() throws SQLException {
        if (!analysed) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("ANALYZE TABLE leat_task, leat_finished, leat_attempt, leat_schedule");
            }
            analysed = true;
        }
    }

    private record Step(String table, String type, String key, String extra) {}

    private static void assertOneRange(String name, String index, String values, int reads) throws SQLException {
        List<Step> plan = plan(statements.get(name), values.split(" "));

        assertThat(plan.stream().filter(step -> !step.table.matches("j|<derived.*")))
                .as("plan of %s", name)
                .singleElement()
                .satisfies(step -> {
                    assertThat(step.key).isEqualTo(index);
                    assertThat(step.type).isIn("ref", "range", "const", "eq_ref", "ref_or_null");
                    assertThat(step.extra).doesNotContain("filesort", "temporary");
                });
        assertThat(rowsRead(statements.get(name), values.split(" ")))
                .as("rows that %s reads", name)
                .isLessThanOrEqualTo(reads);
    }

    private static List<Step> plan(String sql, String[] values) throws SQLException {
        List<Step> steps = new ArrayList<>();
        try (PreparedStatement statement = prepare("EXPLAIN " + sql, values);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                steps.add(new Step(
                        rows.getString("table"),
                        rows.getString("type"),
                        rows.getString("key"),
                        String.valueOf(rows.getString("Extra"))));
            }
        }
        return steps;
    }

    private static long rowsRead(String sql, String[] values) throws SQLException {
        long before = rowsRead();
        try (PreparedStatement statement = prepare(sql, values);
                ResultSet rows = statement.executeQuery()) {
            rows.last();
        }
        return rowsRead() - before;
    }

    private static long rowsRead() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SHOW SESSION STATUS WHERE variable_name IN ('Handler_read_first',"
                                + " 'Handler_read_key', 'Handler_read_last', 'Handler_read_next', 'Handler_read_prev',"
                                + " 'Handler_read_rnd', 'Handler_read_rnd_next')")) {
            long sum = 0;
            while (rows.next()) {
                sum += rows.getLong(2);
            }
            return sum;
        }
    }

    private static PreparedStatement prepare(String sql, String[] values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            if (values[i].matches("\\d+")) {
                statement.setLong(i + 1, Long.parseLong(values[i]));
            } else {
                statement.setString(i + 1, values[i].replace("\"", ""));
            }
        }
        return statement;
    }
}
