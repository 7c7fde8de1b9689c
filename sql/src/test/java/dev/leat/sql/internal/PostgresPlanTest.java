package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.engine.postgres.PostgresDialect;
import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.row.RowStatements;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storagetests.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every hot statement has one plan, whenever it is made: on tables that are empty, with and without statistics that say so,
 * and on thousands of tasks, with and without statistics. A plan is made once for each connection and lasts.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PostgresPlanTest {
    private static final String STATEMENTS = """
        take-from-watermarks; task_ready task_of_key task_pkey key_lease_pkey session_pkey queue_pkey
        take-plain-from-watermarks; task_ready session_pkey queue_pkey
        take-plain-from-head; task_ready session_pkey queue_pkey
        take-from-head; task_ready task_of_key task_pkey key_lease_pkey session_pkey queue_pkey
        park-in-line; task_ready task_pkey key_lease_pkey
        ack-and-forget; task_pkey queue_pkey
        ack-at-once; task_pkey queue_pkey
        heartbeat-at-once; session_pkey task_to_stop
        leased-under; task_taken
        take-oldest; task_ready
        take-oldest-of-type; task_ready_type
        take-newest; task_ready
        take-newest-of-type; task_ready_type
        take-random; task_ready_random
        take-oldest-of-spread; task_ready_spread
        next-priority; task_ready
        next-spread; task_ready_spread
        next-spreads; task_ready_spread
        next-spreads-of-type; task_ready_type_spread
        ready-without-tenant; task_ready
        due-tasks; task_timer
        next-behind-key; task_of_key
        before-in-line; task_of_key
        find-address; task_address
        to-stop; task_to_stop
        group-has-work; task_of_group
        group-tasks; task_of_group
        group-progress; task_group_pkey task_of_group group_outer dependency_group
        followers; dependency_group
        unmet-dependencies; dependency_pkey
        dependencies; dependency_pkey
        inner-groups; group_outer
        group-live-counts; task_of_group
        group-counts; group_count_group
        some-group-counts; group_count_group
        equivalent-live; task_equivalent
        wanting-subscriptions; subscription_topic
        count-live; task_before_group task_scheduled task_of_key task_ready task_taken task_buried
        live-tasks; task_pkey
        lock-tasks; task_pkey
        old-finished; finished_rest_queue_id_state_hidden_at_idx
        tried-of-day; finished_rest_hidden_at_id_idx
        due-schedules; schedule_next
        move-schedule; schedule_next
        schedules; schedule_pkey
        schedules-of-tenant; schedule_tenant
        """;

    /** These read what may be many tasks in blocks, and must not read all to find the first. */
    private static final Set<String> IN_ORDER = Set.of("group-tasks", "old-finished", "tried-of-day", "due-schedules");

    /** But not of rows whose places are known already. */
    private static final Pattern SCAN = Pattern.compile("(?<!Tid )Scan(?: Backward)? (?:using leat_(\\w+) )?on leat_");

    private static final Set<String> ANALYSED = new HashSet<>();
    private static PostgresServer server;
    private static Statements statements;
    private static Connection connection;
    private static String url;

    @BeforeAll
    static void start() throws SQLException {
        server = PostgresServer.start(PostgresServer.Version.V18, Map.of("fsync", "off", "autovacuum", "off"));
        url = server.newDatabase();
        // Simple queries, so that a plan can be asked for without giving values.
        ConnectionSource connections = () -> DriverManager.getConnection(url + "&preferQueryMode=simple");
        Engine dialect = new PostgresDialect(connections, Optional.empty());
        statements = RowStatements.of(dialect, new Tables(Optional.empty(), Tables.STANDARD_PREFIX));
        Storages.open(url, StorageSettings.standard()).close();
        connection = dialect.connect(Dialect.Access.WRITE);
    }

    @AfterAll
    static void stop() throws SQLException {
        connection.close();
        server.close();
    }

    @Order(1)
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = STATEMENTS)
    void onEmptyTables(String name, String indexes) throws SQLException {
        assertPlan(name, indexes);
    }

    @Order(2)
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = STATEMENTS)
    void onTablesThatWereSeenEmpty(String name, String indexes) throws SQLException {
        analyseOnce("empty");
        assertPlan(name, indexes);
    }

    @Order(3)
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = STATEMENTS)
    void onFullTablesThatWereSeenEmpty(String name, String indexes) throws SQLException {
        fillOnce();
        assertPlan(name, indexes);
    }

    @Order(4)
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = STATEMENTS)
    void onFullTables(String name, String indexes) throws SQLException { // N5
        analyseOnce("full");
        assertPlan(name, indexes);
    }

    /** @param tables how they are now */
    private static void analyseOnce(String tables) throws SQLException {
        if (ANALYSED.add(tables)) {
            execute("ANALYZE");
        }
    }

    private static void fillOnce() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet filled = statement.executeQuery("SELECT 1 FROM leat_task LIMIT 1")) {
            if (filled.next()) {
                return;
            }
        }
        try (Storage storage = Storages.open(url, StorageSettings.standard())) {
            PlanData.fill(storage);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void assertPlan(String name, String indexes) throws SQLException {
        List<String> plan = plan(name);
        TreeSet<String> allowed = new TreeSet<>(List.of(indexes.split(" ")));
        TreeSet<String> used = new TreeSet<>();
        for (int i = 0; i < plan.size(); i++) {
            Matcher scan = SCAN.matcher(plan.get(i));
            if (scan.find()) {
                assertThat(plan.subList(i + 1, plan.size()))
                        .as("an index is read as a whole in%n%s", text(plan))
                        .first(InstanceOfAssertFactories.STRING)
                        .contains("Index Cond");
                used.add(String.valueOf(scan.group(1)).replaceFirst("finished_day_\\d{8}", "finished_rest"));
            }
        }
        assertThat(text(plan)).doesNotContain("Seq Scan on leat_", "Bitmap", "Hash Join", "Merge Join");
        if (IN_ORDER.contains(name)) {
            assertThat(text(plan)).doesNotContainPattern("Sort(?! Key)");
        }
        assertThat(used).as("%s", text(plan)).isNotEmpty().isSubsetOf(allowed);
    }

    private static List<String> plan(String name) throws SQLException {
        int[] number = {0};
        String sql = Pattern.compile("\\?").matcher(statements.get(name)).replaceAll(mark -> "\\$" + ++number[0]);
        List<String> lines = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("EXPLAIN (GENERIC_PLAN, COSTS OFF) " + sql)) {
            while (rows.next()) {
                lines.add(rows.getString(1));
            }
        }
        return lines;
    }

    private static String text(List<String> plan) {
        return String.join("\n", plan);
    }
}
