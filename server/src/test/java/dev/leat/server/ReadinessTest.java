package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.storagetests.server.PostgresServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose database goes away and comes back. */
@Timeout(120)
class ReadinessTest {
    @Test
    void itIsNotReadyWhileTheDatabaseIsAwayAndReadyAgainByItself() {
        try (PostgresServer database = PostgresServer.start(PostgresServer.Version.V18);
                Leat leat = Leat.open(database.newDatabase());
                LeatServer server =
                        LeatServer.start(leat, ServerOptions.builder().port(0).build())) {
            Client client = new Client(server.port());
            client.get("/health/ready").is(200);

            database.stop();

            long began = System.nanoTime();
            assertThat(client.get("/health/ready").is(503).code()).isEqualTo("storage-unavailable");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
            client.get("/health/live").is(200);

            database.startAgain();

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> client.get("/health/ready").is(200));
            client.post("/v1/queues/q/tasks", "{}").is(201);
        }
    }
}
