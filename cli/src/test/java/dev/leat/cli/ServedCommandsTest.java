package dev.leat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.Leat;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands through a server, which is a storage like any other. */
class ServedCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private Leat behind;
    private LeatServer server;

    @BeforeEach
    void start() {
        behind = Leat.open("sqlite:" + folder.resolve("served.db"));
        server = LeatServer.start(behind, ServerOptions.builder().port(0).build());
    }

    @AfterEach
    void stop() {
        server.close();
        behind.close();
    }

    private String url() {
        return "http://127.0.0.1:" + server.port();
    }

    /** Runs it, and expects it to say nothing but its result and its own remarks. */
    private Cli.Ran leat(String... args) {
        Cli.Ran ran = leatWithLog(args);
        assertThat(ran.out() + ran.err()).doesNotContain("WARN", "Exception", "\tat ");
        return ran;
    }

    private Cli.Ran leatWithLog(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--storage", url()));
        return Cli.run(all.toArray(new String[0]));
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        Cli.Ran ran = leat(all.toArray(new String[0]));
        assertThat(ran.exit()).as("%s%s", ran.out(), ran.err()).isZero();
        return parse(ran.out());
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    /** A port of this machine where nobody listens any more. */
    private static String nobody() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "http://127.0.0.1:" + socket.getLocalPort();
        }
    }

    @Test
    void aTaskIsPutTakenAndAcknowledged() {
        Cli.Ran put = leat("put", "q", "hello", "--key", "k");
        assertThat(put.exit()).as(put.err()).isZero();

        JsonNode taken = json("take", "q").get(0);
        String lease = taken.get("lease").textValue();

        assertThat(taken.get("id").asText()).isEqualTo(put.out().strip());
        assertThat(taken.get("payload").textValue()).isEqualTo("hello");
        assertThat(leat("ack", lease).out().strip()).isEqualTo("The task is done.");
        assertThat(leat("ack", lease).out().strip()).isEqualTo("That was done before; the task is done.");
        assertThat(leat("fail", lease).exit()).isEqualTo(3);
        assertThat(json("peek", put.out().strip()).get("state").textValue()).isEqualTo("done");
    }

    @Test
    void tasksOfSeveralTypesAreListed() { // R14
        for (String type : List.of("mail", "fax", "letter")) {
            leat("put", "q", type, "--type", type);
        }

        assertThat(json("list", "q", "--type", "mail", "--type", "fax").findValuesAsText("type"))
                .containsExactly("mail", "fax");
    }

    @Test
    void queuesAreMadePausedAndCounted() {
        assertThat(json("queue", "create", "q", "--capacity", "5")
                        .get("options")
                        .get("capacity")
                        .intValue())
                .isEqualTo(5);
        leat("put", "q", "a");
        leat("put", "q", "b", "--delay", "1h");

        assertThat(leat("queue", "pause", "q").out().strip()).isEqualTo("q is paused.");

        assertThat(leat("take", "q", "--wait", "50ms").exit()).isEqualTo(3);
        assertThat(json("list", "q")).hasSize(2);
        assertThat(json("stats", "q").get(0).get("scheduled").intValue()).isEqualTo(1);
        assertThat(behind.queue("q").info().orElseThrow().paused()).isTrue();
        assertThat(leat("queue", "drop", "q", "--yes").exit()).isZero();
        assertThat(behind.queues()).isEmpty();
    }

    @Test
    void housekeepingIsDoneByTheServer() {
        assertThat(leat("housekeep").out().strip()).isEqualTo("0 due, 0 lost, 0 expired, 0 purged");
    }

    @Test
    void anEquivalentTaskIsTheAnswer() {
        String[] put = {"put", "q", "7", "--external-key", "order 7", "--unless-equivalent"};
        String first = leat(put).out().strip();

        assertThat(leat(put).out().strip()).isEqualTo(first + " (was there, ready)");
    }

    @Test
    void whatIsMissingHasTheSameExitCodesAsElsewhere() {
        Cli.Ran queue = leat("stats", "nowhere");
        assertThat(queue.exit()).isEqualTo(1);
        assertThat(queue.err().lines())
                .containsExactly(
                        "leat: No queue named 'nowhere'.",
                        "'leat queue list' shows the queues, 'leat queue create NAME' makes one.");
        assertThat(leat("peek", "4711").exit()).isEqualTo(3);
        assertThat(leat("kick", "4711").exit()).isEqualTo(3);
        assertThat(leat("ack", "nonsense").exit()).isEqualTo(1);
        assertThat(leat("delete", "4711").exit()).isEqualTo(2);
    }

    @Test
    void aShellWorksOffAQueue() {
        String done = leat("put", "q", "good").out().strip();
        String failed = leat("put", "q", "bad").out().strip();
        Path seen = folder.resolve("seen");

        Cli.Ran ran = leatWithLog(
                "work",
                "q",
                "--drain",
                "--exec",
                "payload=$(cat); [ $payload = good ] || exit 3; echo $payload >> " + seen);

        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.err()).contains("Task " + failed + " of queue 'q' failed at attempt 1 of 10");
        assertThat(seen).hasContent("good");
        assertThat(json("peek", done).get("state").textValue()).isEqualTo("done");
        assertThat(json("peek", failed).get("errorCode").intValue()).isEqualTo(3);
    }

    @Test
    void manyAreReadFromLines() throws IOException {
        Path lines = folder.resolve("tasks.ndjson");
        Files.writeString(lines, "{\"payload\": 1}\n".repeat(2_500));

        assertThat(leat("put", "q", "--ndjson", lines.toString()).out().strip()).isEqualTo("2,500 put");
        assertThat(behind.queue("q").stats().live()).isEqualTo(2_500);
    }

    @Test
    void theDoctorReachesTheServerAndLooksAtItsClock() {
        leat("queue", "create", "q");

        Cli.Ran well = leat("doctor");
        assertThat(well.exit()).isZero();
        assertThat(well.out())
                .matches("✓ Leat server at \\Q" + url()
                        + "\\E answers within [\\d.]+ ms, its clock differs from this machine's by [\\d.]+ ms\\.\n"
                        + "✓ Leat server at \\Q" + url() + "\\E is well\\.\n");

        leat("put", "q", "x");
        assertThat(json("doctor").get(0).get("what").textValue())
                .isEqualTo("Queue q has 1 ready task and no consumer.");
    }

    @Test
    void theDoctorFindsThatTheServerCannotBeReached() throws IOException {
        String nobody = nobody();

        Cli.Ran ran = Cli.run("doctor", "--storage", nobody + "?patience=200ms");
        Cli.Ran json = Cli.run("doctor", "--json", "--storage", nobody + "?patience=200ms");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out()).startsWith("✗ The server at " + nobody + " cannot be reached: ");
        assertThat(json.exit()).isEqualTo(1);
        assertThat(parse(json.out()).get(0).get("level").textValue()).isEqualTo("trouble");
    }

    @ParameterizedTest
    @ValueSource(strings = {"put q x", "take q", "stats", "queue create q", "list", "doctor"})
    void aServerThatIsNotThereIsNamedWithinThePatience(String command) throws IOException {
        String nobody = nobody();
        List<String> all = new ArrayList<>(List.of(command.split(" ")));
        all.addAll(List.of("--storage", nobody + "?patience=200ms"));
        Instant before = Instant.now();

        Cli.Ran ran = Cli.run(all.toArray(new String[0]));

        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(5));
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out() + ran.err())
                .contains("The server at " + nobody + " cannot be reached: nobody listens there.")
                .doesNotContain("Exception", "\tat ");
    }

    @Test
    void aWorkerWhoseServerIsNotThereEnds() throws IOException {
        Cli.Ran ran = Cli.run("work", "q", "--exec", "true", "--storage", nobody() + "?patience=200ms");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).containsPattern("(?m)^leat: The server at .* nobody listens there");
    }

    /** With the log as users have it, and not as tests do. */
    @Test
    void aShortCommandSaysItInOneLineAndNamesTheStorage() throws Exception {
        String nobody = nobody();
        List<String> command = new ArrayList<>(Cli.command());
        command.add(1, "-Dlogback.configurationFile=logback.xml");
        command.addAll(List.of("stats", "--storage", nobody + "?patience=200ms"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("LEAT_LOG");

        Process process = builder.start();

        assertThat(new String(process.getInputStream().readAllBytes(), UTF_8))
                .isEqualTo("leat: The server at " + nobody + " cannot be reached: nobody listens there.\n"
                        + "The storage is " + nobody
                        + "?…, from --storage. See whether it can be used, or name another with --storage.\n");
        assertThat(process.waitFor()).isEqualTo(1);
    }
}
