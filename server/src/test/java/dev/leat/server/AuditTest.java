package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.Leat;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueOptions;
import dev.leat.wire.Cbor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the audit log says. */
class AuditTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private Path file;
    private Leat leat;
    private LeatServer server;
    private String ops;
    private String shop;
    private Client operator;
    private Client producer;

    @BeforeEach
    void start() {
        file = folder.resolve("audit.ndjson");
        TokenFile tokens = new TokenFile(folder.resolve("tokens.json"));
        ops = tokens.create("ops", Set.of(Role.ADMIN), List.of(), Optional.empty());
        shop = tokens.create("shop", Set.of(Role.PRODUCE, Role.CONSUME), List.of(), Optional.empty());
        leat = Leat.open("sqlite:" + folder.resolve("jobs.db"));
        server = LeatServer.start(
                leat,
                ServerOptions.builder()
                        .port(0)
                        .tokens(tokens.path())
                        .auditLog(file)
                        .build());
        operator = new Client(server.port()).with("Authorization", "Bearer " + ops);
        producer = new Client(server.port()).with("Authorization", "Bearer " + shop);
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    private List<JsonNode> lines() {
        try {
            List<JsonNode> lines = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                lines.add(JSON.readTree(line));
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertSays(JsonNode line, String who, String action, int status) {
        assertThat(line.get("who").textValue()).isEqualTo(who);
        assertThat(line.get("address").textValue()).isEqualTo("127.0.0.1");
        assertThat(line.get("action").textValue()).isEqualTo(action);
        assertThat(line.get("status").intValue()).isEqualTo(status);
        assertThat(Duration.between(Instant.parse(line.get("time").textValue()), Instant.now()))
                .isBetween(Duration.ofSeconds(-1), Duration.ofMinutes(1));
    }

    @Test
    void itSaysWhatOperatorsDoOverWebSocketsAndWhatOthersMayNot() throws Exception {
        leat.queue("q").ensure();
        try (RawSocket theirs = RawSocket.with(server.port(), ops);
                RawSocket producers = RawSocket.with(server.port(), shop)) {
            theirs.ask("pause", Cbor.map().put("queue", "q"));
            theirs.ask("now", Cbor.map());
            producers.ask("now", Cbor.map());
            producers.ask("resume", Cbor.map().put("queue", "q"));
        }

        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0).get("who").textValue()).isEqualTo("ops");
        assertThat(lines().get(0).get("action").textValue()).contains("pause");
        assertThat(lines().get(0).get("status").intValue()).isEqualTo(200);
        assertThat(lines().get(1).get("who").textValue()).isEqualTo("shop");
        assertThat(lines().get(1).get("action").textValue()).contains("resume");
        assertThat(lines().get(1).get("status").intValue()).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /v1/queues/new, 201",
        "PUT, /v1/queues/q, 200",
        "DELETE, /v1/queues/q, 204",
        "POST, /v1/queues/q/pause, 204",
        "POST, /v1/queues/q/resume, 204",
        "POST, /v1/queues/q/kick, 200",
        "POST, /v1/queues/q/redrive, 200",
        "POST, /v1/queues/q/truncate, 200",
        "POST, /v1/queues/q/release-all, 200",
        "POST, /v1/tasks/1/bury, 200",
        "POST, /v1/tasks/1/cancel, 200",
        "POST, /v1/tasks/2/kick, 200",
        "DELETE, /v1/tasks/1, 200",
        "DELETE, /v1/tasks/4711, 404",
        "POST, /v1/queues/none/pause, 404",
        "POST, /v1/tasks/x/kick, 400"
    })
    void everyActOfAnOperatorIsWrittenBeforeItIsAnswered(String method, String path, int status) {
        leat.queue("q").create(QueueOptions.standard());
        leat.put("q", "one");
        leat.bury(leat.put("q", "two"), "so that it can be kicked");

        operator.send(method, path, "").is(status);

        assertThat(lines()).hasSize(1);
        assertSays(lines().get(0), "ops", method + " " + path, status);
    }

    @Test
    void whatIsNoActOfAnOperatorIsNotWritten() {
        producer.post("/v1/queues/q/tasks", "{}").is(201);
        producer.post("/v1/queues/q/take", "{\"wait\": 1}").is(200);
        producer.post("/v1/sessions", "{\"name\": \"s\"}").is(201);
        operator.get("/v1/queues").is(200);
        operator.get("/v1/tasks/4711").is(404);
        operator.post("/v1/queues/q/pause", "").is(204);

        assertThat(lines()).hasSize(1);
    }

    @Test
    void whoIsRefusedIsWritten() {
        producer.post("/v1/queues/q/truncate", "").is(403);
        producer.get("/v1/tasks?tenant=secret").is(403);
        assertThat(lines()).hasSize(2);
        assertSays(lines().get(0), "shop", "POST /v1/queues/q/truncate", 403);
        assertSays(lines().get(1), "shop", "GET /v1/tasks", 403);

        new Client(server.port())
                .with("Authorization", "Bearer leat_guessed")
                .post("/v1/queues/q/tasks", "{}")
                .is(401);

        await().until(() -> lines().size() == 3);
        assertSays(lines().get(2), "anonymous", "POST /v1/queues/q/tasks", 401);
        assertThat(lines().toString()).doesNotContain("leat_guessed");
    }

    @Test
    void aNameCannotForgeALine() {
        operator.post("/v1/queues/x%22%7D%0A%7B%22who%22/pause", "").is(400);

        assertThat(lines()).hasSize(1);
    }

    @Test
    void theLoggerGetsTheSameWithoutTheTime() {
        try (StandardError error = new StandardError()) {
            operator.send("PUT", "/v1/queues/q", "").is(201);

            assertThat(error.text())
                    .contains("INFO dev.leat.audit - {\"who\":\"ops\",\"address\":\"127.0.0.1\",\"action\":\"PUT"
                            + " /v1/queues/q\",\"status\":201}");
        }
    }

    @Test
    void theFileIsItsOwnersAndMayBeRotated() throws IOException {
        operator.send("PUT", "/v1/queues/a", "").is(201);
        Files.move(file, folder.resolve("audit.1"));
        operator.send("PUT", "/v1/queues/b", "").is(201);

        assertThat(lines()).hasSize(1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aServerWithoutTokensWritesToo() {
        Path other = folder.resolve("other.ndjson");
        try (LeatServer open = LeatServer.start(
                leat, ServerOptions.builder().port(0).auditLog(other).build())) {
            new Client(open.port()).send("PUT", "/v1/queues/q", "").is(201);
        }
        file = other;
        assertSays(lines().get(0), "anonymous", "PUT /v1/queues/q", 201);
    }

    @Test
    void aFileThatCannotBeWrittenIsNamedAtTheStart() {
        assertThatThrownBy(() -> LeatServer.start(
                        leat,
                        ServerOptions.builder()
                                .port(0)
                                .auditLog(folder.resolve("none/audit.ndjson"))
                                .build()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("auditLog cannot be written")
                .hasMessageContaining("none/audit.ndjson");
    }
}
