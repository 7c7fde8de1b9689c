package dev.leat.storagetests.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What tests may expect of every database server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DatabaseServerRules<S extends DatabaseServer> {
    S server;

    abstract S start(Map<String, String> settings);

    /** The query that asks for the setting. */
    abstract String maxConnections();

    /** Starts the server of the test class in its argument, says so, and never ends by itself. */
    static final class Victim {
        public static void main(String[] args) throws Exception {
            DatabaseServerRules<?> test = Class.forName(args[0])
                    .asSubclass(DatabaseServerRules.class)
                    .getDeclaredConstructor()
                    .newInstance();
            System.out.println(test.start(Map.of()).data().getParent());
            Thread.currentThread().join();
        }
    }

    @BeforeAll
    void startServer() {
        server = start(Map.of("max_connections", "50"));
    }

    @AfterAll
    void closeServer() {
        server.close();
    }

    @Test
    void settingsOfTheCallerWin() throws SQLException {
        assertThat(query(server.adminUrl(), maxConnections())).containsExactly("50");
    }

    @Test
    void everyNewDatabaseIsEmpty() throws SQLException {
        fill(server.newDatabase());

        fill(server.newDatabase());
    }

    @Test
    void committedRowsOutliveARestart() throws SQLException {
        String url = server.newDatabase();
        fill(url);

        server.restart();

        assertThat(query(url, "SELECT id FROM t")).containsExactly("1");
    }

    @Test
    void committedRowsOutliveACrashAndOthersDoNot() throws SQLException {
        String url = server.newDatabase();
        fill(url);
        Connection uncommitted = DriverManager.getConnection(url);
        uncommitted.setAutoCommit(false);
        try (Statement statement = uncommitted.createStatement()) {
            statement.execute("INSERT INTO t VALUES (2)");
        }

        server.kill();

        assertThatThrownBy(() -> DriverManager.getConnection(url)).isInstanceOf(SQLException.class);
        server.startAgain();
        assertThat(query(url, "SELECT id FROM t")).containsExactly("1");
    }

    @Test
    void aServerStopsUnderItsClients() throws SQLException {
        String url = server.newDatabase();
        try (Connection client = DriverManager.getConnection(url)) {
            server.stop();

            assertThat(client.isValid(1)).isFalse();
        } finally {
            server.startAgain();
        }
    }

    @Test
    void twoServersKnowNothingOfEachOtherAndLeaveNothingBehind() throws SQLException {
        S other = start(Map.of());
        String url = other.newDatabase();
        fill(url);
        fill(server.newDatabase());
        assertThat(other.port()).isNotEqualTo(server.port());
        assertThat(other.data()).exists();

        other.close();

        assertThat(other.data().getParent()).doesNotExist();
        assertThatThrownBy(() -> DriverManager.getConnection(url)).isInstanceOf(SQLException.class);
        assertThat(query(server.adminUrl(), "SELECT 1")).containsExactly("1");
    }

    @Test
    void aServerThatDoesNotStartSaysWhy() {
        assertThatThrownBy(() -> start(Map.of("no_such_setting", "1")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended while it started")
                .hasMessageContaining("no_such_setting");
    }

    @Test
    void aServerStopsWhenItsJvmIsKilled() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process jvm = new ProcessBuilder(
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        getClass().getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Path folder = Path.of(firstLineOf(jvm));
        List<ProcessHandle> orphans = jvm.descendants().toList();
        assertThat(orphans).isNotEmpty();

        jvm.destroyForcibly().waitFor();

        await().atMost(Duration.ofSeconds(30)).until(() -> orphans.stream().noneMatch(ServerProcess::isRunning));
        ServerFolder.delete(folder);
    }

    private static String firstLineOf(Process process) throws IOException {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
    }

    private static void fill(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (id INT PRIMARY KEY)");
            statement.execute("INSERT INTO t VALUES (1)");
        }
    }

    static List<String> query(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }
}
