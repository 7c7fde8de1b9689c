package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.error.StorageException;
import dev.leat.storagetests.server.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The server goes away under a working Leat and comes back: what was accepted is done, and work goes on by itself. */
class PostgresOutageTest {
    private static final String Q = "q";
    private static PostgresServer server;

    private final Set<String> ran = ConcurrentHashMap.newKeySet();
    private final List<Long> accepted = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = PostgresServer.start(PostgresServer.Version.V18);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void workGoesOnAfterARestart() { // N47, R42
        assertNothingIsLostWhen(server::restart);
    }

    @Test
    void workGoesOnAfterACrash() {
        assertNothingIsLostWhen(() -> {
            server.kill();
            server.startAgain();
        });
    }

    private void assertNothingIsLostWhen(Runnable outage) {
        try (Leat leat = Leat.open(server.newDatabase())) {
            leat.worker().handle(Q, String.class, (text, task) -> ran.add(text)).start();
            putMany(leat, "before");
            Awaitility.await().until(() -> ran.size() > 50);

            outage.run();
            putMany(leat, "after");

            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(accepted)
                    .allSatisfy(id ->
                            assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.DONE)));
            assertThat(ran).filteredOn(text -> text.startsWith("after")).isNotEmpty();
        }
    }

    /** A put that fails is not accepted, and whoever puts tries the next one. */
    private void putMany(Leat leat, String name) {
        for (int i = 0; i < 500; i++) {
            try {
                accepted.add(leat.put(Q, name + " " + i));
            } catch (StorageException e) {
                assertThat(e).hasMessageNotContaining("null");
            }
        }
    }
}
