package dev.leat.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.Outcome;
import dev.leat.SettleResult;
import dev.leat.TaskState;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker whose handlers write into the SQLite file of their task's tenant. Covers N54. */
class TenantHandlerTest {
    @TempDir
    Path folder;

    private final Leat leat = Leat.open("memory:");
    private final TenantConnections tenants = PooledTenantConnections.builder(
                    tenant -> new TenantDatabase(url(tenant), "", "", Map.of("foreign_keys", "true")))
            .build();

    @BeforeEach
    void create() throws SQLException {
        leat.queue("q")
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard().maxFailures(2).backoff(Backoff.fixed(Duration.ZERO)))
                        .build());
        for (String tenant : List.of("acme", "other")) {
            try (Connection connection = DriverManager.getConnection(url(tenant));
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE thing (name TEXT PRIMARY KEY,"
                        + " parent TEXT REFERENCES thing DEFERRABLE INITIALLY DEFERRED)");
            }
        }
    }

    @AfterEach
    void stop() {
        leat.close();
        tenants.close();
    }

    private String url(String tenant) {
        return "jdbc:sqlite:" + folder.resolve(tenant + ".db");
    }

    private void work(TenantHandler<String> handler) {
        leat.worker()
                .handle("q", String.class, TenantHandler.using(tenants, handler))
                .start();
    }

    private long put(String text, String tenant) {
        return leat.put("q", text, task -> task.tenant(tenant));
    }

    private Outcome outcome(long id) {
        return await().until(() -> leat.outcomes().find(id), Optional::isPresent)
                .orElseThrow();
    }

    private static void insert(Connection connection, String name, String parent) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO thing VALUES (?, ?)")) {
            insert.setString(1, name);
            insert.setString(2, parent);
            insert.execute();
        }
    }

    private List<String> things(String tenant) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url(tenant));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM thing ORDER BY name")) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    @Test
    void eachTaskWorksInTheDatabaseOfItsTenant() throws SQLException { // N54
        work((name, task, connection) -> insert(connection, name, null));

        assertThat(outcome(put("a", "acme")).ok()).isTrue();
        assertThat(outcome(put("b", "other")).ok()).isTrue();

        assertThat(things("acme")).containsExactly("a");
        assertThat(things("other")).containsExactly("b");
    }

    @Test
    void whatAHandlerDidBeforeItThrewIsRolledBack() throws SQLException {
        work((name, task, connection) -> {
            insert(connection, name + task.task().attempts(), null);
            if (task.task().attempts() == 1) {
                throw new IllegalStateException("not yet");
            }
        });

        assertThat(outcome(put("a", "acme")).ok()).isTrue();

        assertThat(things("acme")).containsExactly("a2");
    }

    @Test
    void aTaskWithoutATenantFailsAndSaysWhy() {
        work((name, task, connection) -> {});

        long id = leat.put("q", "a");

        Outcome outcome = outcome(id);
        assertThat(outcome.ok()).isFalse();
        assertThat(outcome.message()).contains("task " + id + " of queue 'q' has no tenant");
    }

    /** SQLite looks at deferred references at the commit: it is the commit that fails. */
    @Test
    void aTaskIsNotAcknowledgedBeforeItsWorkIsCommitted() throws SQLException {
        AtomicReference<SettleResult.Status> noted = new AtomicReference<>();
        work((name, task, connection) -> {
            insert(connection, name, task.task().attempts() == 1 ? "nobody" : null);
            noted.set(task.ack("done").status());
        });

        Outcome outcome = outcome(put("a", "acme"));

        assertThat(outcome.ok()).isTrue();
        assertThat(outcome.message()).isEqualTo("done");
        assertThat(noted).hasValue(SettleResult.Status.PENDING);
        assertThat(things("acme")).containsExactly("a");
    }

    @Test
    void aCommitThatFailsFailsTheTask() throws SQLException { // N54
        work((name, task, connection) -> insert(connection, name, "nobody"));

        Outcome outcome = outcome(put("a", "acme"));

        assertThat(outcome.ok()).isFalse();
        assertThat(outcome.message()).containsIgnoringCase("foreign key");
        assertThat(things("acme")).isEmpty();
    }

    @Test
    void theOutcomeThatAHandlerChoseCountsAfterTheCommitAndOnlyTheFirst() throws SQLException {
        work((name, task, connection) -> {
            insert(connection, name, null);
            task.bury("look at this");
            assertThat(task.ack().accepted()).isFalse();
        });

        Outcome outcome = outcome(put("a", "acme"));

        assertThat(outcome.state()).isEqualTo(TaskState.BURIED);
        assertThat(outcome.message()).isEqualTo("look at this");
        assertThat(things("acme")).containsExactly("a");
    }

    @Test
    void aChosenOutcomeIsForgottenWhenTheHandlerThrows() throws SQLException {
        work((name, task, connection) -> {
            insert(connection, name, null);
            task.ack();
            throw new IllegalStateException("no, wait");
        });

        Outcome outcome = outcome(put("a", "acme"));

        assertThat(outcome.ok()).isFalse();
        assertThat(outcome.message()).contains("no, wait");
        assertThat(things("acme")).isEmpty();
    }

    @Test
    void aHandlersResultReachesWhoWaitsForIt() {
        work((name, task, connection) -> task.ackWith(name + "!"));

        Outcome outcome = outcome(put("a", "acme"));

        assertThat(leat.decode(outcome.result().orElseThrow(), String.class)).isEqualTo("a!");
    }
}
