package dev.leat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.testkit.server.FreePort;
import dev.leat.testkit.server.PostgresServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands in processes of their own, which know the database by the variables of nsj-queue-lib alone. Covers N48, N56. */
@Tag("second-pass")
class NsjCommandsTest {
    private final String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();
    private final URI database = URI.create(url.substring("jdbc:".length()));
    private final Map<String, String> variables = new HashMap<>(Map.of(
            "DB_HOST", database.getHost(),
            "DB_PORT", String.valueOf(database.getPort()),
            "DB_BASE", database.getPath().substring(1),
            "DB_USER", "postgres",
            "DB_PASS", "se&cret",
            "QUEUE_NAME", "emails",
            "QUEUE_TABLE", "jobs"));

    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path folder;

    private Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(Cli.command());
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("LEAT_"));
        builder.environment().putAll(variables);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private Cli.Ran run(String... args) throws IOException, InterruptedException {
        Process process = start(args);
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Cli.Ran(process.exitValue(), out, err);
    }

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void aWorkerFindsItsDatabaseAndItsQueueWhetherOrNotTheServerIsThere() throws Exception {
        variables.putAll(Map.of("CLIENT_SERVER_MODE", "True", "NOTIFY_SERVICE_PORT", String.valueOf(FreePort.find())));

        Cli.Ran put = run("put", "emails", "hello");
        Cli.Ran work = run("work", "--drain", "--exec", "cat");

        assertThat(put.exit()).as(put.err()).isZero();
        assertThat(work.exit()).as(work.err()).isZero();
        assertThat(work.out()).contains("hello");
        Cli.Ran peek = run("peek", put.out().strip(), "--storage", url + "&prefix=jobs_");
        assertThat(peek.out()).as(peek.err()).contains("done");
    }

    @Test
    void aServerListensWhereTheySay() throws Exception {
        int port = FreePort.find();
        variables.putAll(Map.of("CLIENT_SERVER_MODE", "True", "NOTIFY_SERVICE_PORT", String.valueOf(port)));

        Process server = start("server", "--json");
        JsonNode where = new ObjectMapper().readTree(server.getInputStream());

        assertThat(where.get("url").textValue()).isEqualTo("http://127.0.0.1:" + port);
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        variables.keySet().removeAll(List.of("DB_PORT", "QUEUE_NAME"));

        Cli.Ran ran = run("stats");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err())
                .contains("DB_PORT or DATABASE_PORT, QUEUE_NAME")
                .doesNotContain("cret")
                .doesNotContain("Exception");
    }
}
