package dev.leat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.cli.logging.LokiServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that run until somebody stops them, in processes of their own. */
class LongCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    private Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(Cli.command());
        command.addAll(List.of(args));
        command.addAll(List.of("--storage", storage()));
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        return process;
    }

    private String storage() {
        return "sqlite:" + folder.resolve("jobs.db");
    }

    @AfterEach
    void end() {
        started.forEach(process -> process.descendants().forEach(ProcessHandle::destroyForcibly));
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void aStoppedWorkerEndsItsProgramsAndGivesTheirTasksBack() throws Exception {
        String id = Cli.run("put", "q", "x", "--storage", storage()).out().strip();
        Path pid = folder.resolve("pid");
        Process work = start(
                "work",
                "q",
                "--stop-within",
                "200ms",
                "--exec",
                "(trap '' TERM; exec sleep 100) & echo $! > " + pid + "; wait");
        await().until(() -> Files.exists(pid) && Files.size(pid) > 1);

        work.toHandle().destroy(); // not Process.destroy, which closes the streams

        assertThat(work.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(new String(work.getErrorStream().readAllBytes(), UTF_8))
                .contains("Stopped. 1 unfinished tasks went back.");
        long program = Long.parseLong(Files.readString(pid).strip());
        await().until(() ->
                ProcessHandle.of(program).map(handle -> !handle.isAlive()).orElse(true));
        JsonNode task = JSON.readTree(
                Cli.run("peek", id, "--json", "--storage", storage()).out());
        assertThat(task.get("state").textValue()).isEqualTo("ready");
        assertThat(task.get("failures").intValue()).isZero();
    }

    @Test
    void aServerSaysWhereItIsAndStops() throws Exception {
        Process server = start("server", "--port", "0", "--json");
        JsonNode where = JSON.readTree(server.getInputStream());

        HttpResponse<String> ready = get(where, "/health/ready");
        HttpResponse<String> metrics = get(where, "/metrics");
        server.toHandle().destroy();

        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).contains("sqlite");
        assertThat(metrics.body()).contains("leat_storage_call_seconds_bucket{method=\"queues.stats\"");
        assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aServerAsksForTokensAndWritesDownWhatOperatorsDo() throws Exception {
        String tokens = folder.resolve("tokens.json").toString();
        Path audit = folder.resolve("audit.ndjson");
        String token = Cli.run("token", "create", "ops", "--role", "admin", "--file", tokens)
                .out()
                .strip();
        Process server = start(
                "server",
                "--port",
                "0",
                "--json",
                "--tokens",
                tokens,
                "--audit-log",
                audit.toString(),
                "--request-timeout",
                "20s");
        String url = JSON.readTree(server.getInputStream()).get("url").textValue() + "/v1/queues/q";

        assertThat(put(url, "Bearer " + token)).isEqualTo(201);
        assertThat(put(url, "Bearer leat_other")).isEqualTo(401);

        await().until(() -> Files.readAllLines(audit).size() == 2);
        assertThat(Files.readAllLines(audit).get(0)).contains("\"who\":\"ops\"").contains("PUT /v1/queues/q");
    }

    private static int put(String url, String authorization) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .timeout(Duration.ofSeconds(20))
                                .header("Authorization", authorization)
                                .PUT(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void aCertificateWithoutAKeyIsRefused() {
        Cli.Ran ran = Cli.run("server", "--tls-cert", "server.crt", "--storage", storage());

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("--tls-cert and --tls-key go together");
    }

    @Test
    void aServerLogsAsJsonAndToLokiUntilItsEnd() throws Exception {
        try (LokiServer loki = new LokiServer()) {
            List<String> command = new ArrayList<>(Cli.command());
            command.add(1, "-Dlogback.configurationFile=logback.xml"); // as users have it, not as tests
            command.addAll(List.of("server", "--port", "0", "--json", "--log-format", "json", "--storage", storage()));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectError(folder.resolve("log").toFile());
            builder.environment().putAll(Map.of("GRAFANA_URL", loki.url(), "LEAT_LOG", "debug"));
            Process server = builder.start();
            started.add(server);
            JSON.readTree(server.getInputStream());
            await().until(() -> !loki.lines().isEmpty());

            server.toHandle().destroy();

            assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
            List<String> logged = Files.readAllLines(folder.resolve("log"));
            assertThat(logged).isNotEmpty();
            for (String line : logged) {
                JsonNode json = JSON.readTree(line);
                assertThat(json.get("level").textValue()).isIn("debug", "info", "warn");
                assertThat(json.get("message").textValue()).isNotEmpty();
            }
            // Nothing that was logged once the command ran is missing, up to the last line.
            List<JsonNode> shipped = loki.lines();
            assertThat(shipped.get(shipped.size() - 1)).isEqualTo(JSON.readTree(logged.get(logged.size() - 1)));
        }
    }

    private static HttpResponse<String> get(JsonNode where, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(where.get("url").textValue() + path))
                                .timeout(Duration.ofSeconds(20))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
