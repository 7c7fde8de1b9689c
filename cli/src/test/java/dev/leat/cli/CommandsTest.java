package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.Leat;
import dev.leat.cli.command.StorageCommand;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.StorageSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Every command, on a file of its own. */
class CommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private Cli.Ran leat(String... args) {
        return leatWith("", args);
    }

    private Cli.Ran leatWith(String input, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--storage");
        all.add("sqlite:" + folder.resolve("jobs.db"));
        return Cli.runWith(input, all.toArray(new String[0]));
    }

    /** What a command prints with --json, if it succeeds. */
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

    private long put(String... more) {
        List<String> all = new ArrayList<>(List.of("put", "q"));
        all.addAll(List.of(more));
        return json(all.toArray(new String[0])).get("id").longValue();
    }

    private String takeLease() {
        return json("take", "q").get(0).get("lease").textValue();
    }

    private String state(long id) {
        return json("peek", String.valueOf(id)).get("state").textValue();
    }

    // Put

    @Test
    void aPutPrintsTheIdAndPeekShowsTheTask() {
        Cli.Ran put = leat(
                "put",
                "q",
                "hello",
                "--priority",
                "-5",
                "--key",
                "k",
                "--type",
                "mail",
                "--tenant",
                "t",
                "--ttr",
                "2m");

        assertThat(put.exit()).isZero();
        JsonNode task = json("peek", put.out().strip());
        assertThat(json("show", put.out().strip())).isEqualTo(task);
        assertThat(task.get("payload").textValue()).isEqualTo("hello");
        assertThat(task.get("contentType").textValue()).startsWith("text/plain");
        assertThat(task.get("priority").intValue()).isEqualTo(-5);
        assertThat(task.get("key").textValue()).isEqualTo("k");
        assertThat(task.get("type").textValue()).isEqualTo("mail");
        assertThat(task.get("tenant").textValue()).isEqualTo("t");
        assertThat(task.get("ttr").doubleValue()).isEqualTo(120);
        assertThat(task.get("state").textValue()).isEqualTo("ready");
    }

    @Test
    void aJsonObjectIsPutAsJson() {
        JsonNode task = json("peek", String.valueOf(put("{\"to\": \"ada\", \"n\": 1.50}")));

        assertThat(task.get("payload").get("to").textValue()).isEqualTo("ada");
        assertThat(task.has("contentType")).isFalse();
    }

    @Test
    void nothingIsPutBesideAnEquivalentTask() {
        String[] order = {
            "7", "--external-key", "order 7", "--origin", "shop", "--destination", "post", "--business-group", "b"
        };
        String[] unless = Stream.concat(Arrays.stream(order), Stream.of("--unless-equivalent"))
                .toArray(String[]::new);
        long first = put(unless);

        Cli.Ran second =
                leat(Stream.concat(Stream.of("put", "q"), Arrays.stream(unless)).toArray(String[]::new));
        assertThat(second.out().strip()).isEqualTo(first + " (was there, ready)");
        assertThat(put(order)).isGreaterThan(first);
        assertThat(leat("put", "q", "8", "--unless-equivalent").err())
                .contains("--external-key is needed to look for equivalent tasks");
    }

    @Test
    void aPayloadComesFromAFileOrStandardInput() throws IOException {
        Path file = Files.write(folder.resolve("picture"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0});

        JsonNode picture = json("peek", String.valueOf(put("@" + file, "--content-type", "image/png")));
        assertThat(picture.get("payload").textValue()).isEqualTo("iVBORwA=");
        assertThat(picture.get("encoding").textValue()).isEqualTo("base64");

        Cli.Ran piped = leatWith("from the pipe", "put", "q", "-");
        assertThat(json("peek", piped.out().strip()).get("payload").textValue()).isEqualTo("from the pipe");
    }

    @Test
    void aTakenAddressIsReported() {
        long first = put("a", "--address", "one");

        assertThat(leat("put", "q", "b", "--address", "one").out().strip()).isEqualTo(first + " (was there, ready)");
    }

    @Test
    void linesOfJsonAreTasks() {
        String lines = """
                {"payload": {"n": 1}, "priority": 3, "delay": "1h", "tags": {"size": 7}}

                {"payload": "aGk=", "encoding": "base64", "contentType": "application/x-thing"}
                """;

        Cli.Ran ran = leatWith(lines, "put", "q", "--ndjson", "-");

        assertThat(ran.out().strip()).as(ran.err()).isEqualTo("2 put");
        JsonNode tasks = json("list", "q");
        assertThat(tasks).hasSize(2);
        assertThat(tasks.get(0).get("state").textValue()).isEqualTo("scheduled");
        assertThat(tasks.get(0).get("tags").get("size").intValue()).isEqualTo(7);
        assertThat(tasks.get(1).get("payload").textValue()).isEqualTo("aGk=");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"payload": 1, "prio": 3}          | prio is not a field of a task
            {"payload": 1, "priority": "high"} | priority must be a whole number of 32 bits, was "high"
            {"payload": 1, "delay": "soon"}    | delay must be a duration such as 1.5s, 2m or a number of seconds, was 'soon'
            {"payload": 1, "delay": 1e999999999} | delay must be a duration
            {"payload": 1                      | is not valid JSON
            [1]                                | task must be a JSON object, was an array
            {"payload": "!", "encoding": "base64"} | payload is not valid base64
            """)
    void aWrongLineIsNamedAndNothingOfItsBatchIsPut(String line, String words) {
        Cli.Ran ran = leatWith("{\"payload\": 0}\n" + line, "put", "q", "--ndjson", "-");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("line 2 is wrong: ").contains(words).contains("The first 0 tasks were put");
        assertThat(json("stats")).isEmpty();
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Cli.Ran ran = leat("put", "q", "@" + folder.resolve("nothing"));

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).startsWith("leat: no such file: ").contains("nothing");
    }

    // Take and settle

    @Test
    void aTakenTaskIsAcknowledgedByItsLease() {
        long id = put("x");

        String lease = takeLease();

        assertThat(leat("ack", lease).out().strip()).isEqualTo("The task is done.");
        assertThat(leat("ack", lease).out().strip()).isEqualTo("That was done before; the task is done.");
        Cli.Ran gone = leat("fail", lease);
        assertThat(gone.exit()).isEqualTo(3);
        assertThat(gone.out().strip()).isEqualTo("The lease is lost, nothing has changed.");
        assertThat(state(id)).isEqualTo("done");
    }

    @Test
    void aTakeOfNothingExitsWithThree() {
        assertThat(json("queue", "create", "q").get("name").textValue()).isEqualTo("q");

        Cli.Ran ran = leat("take", "q", "--wait", "50ms");

        assertThat(ran.exit()).isEqualTo(3);
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void eachStateIsKeptForItsOwnTime() {
        JsonNode kept = json(
                        "queue", "create", "q", "--keep", "2h", "--keep-state", "failed=30d", "--keep-state", "DONE=0")
                .get("options")
                .get("keep");

        assertThat(kept.get("done").longValue()).isZero();
        assertThat(kept.get("failed").longValue()).isEqualTo(2_592_000);
        assertThat(kept.get("expired").longValue()).isEqualTo(7_200);
        assertThat(kept.get("canceled").longValue()).isEqualTo(7_200);
        Cli.Ran wrong = leat("queue", "create", "other", "--keep-state", "ready=1d");
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("must be of [DONE, FAILED, EXPIRED, CANCELED], was 'ready'");
    }

    @Test
    void peekShowsTheStackTraceOfAFailedAttempt() {
        long id = put("x");
        try (Leat leat = Leat.open("sqlite:" + folder.resolve("jobs.db"))) {
            leat.fail(leat.take("q").orElseThrow(), new IllegalStateException("boom", new IOException("closed")));
        }

        assertThat(leat("peek", String.valueOf(id)).out())
                .containsPattern("attempt 1 +failed, .*: java.lang.IllegalStateException: boom\n"
                        + "  java.lang.IllegalStateException: boom\n"
                        + "  \tat dev.leat.cli.CommandsTest")
                .contains("\n  Caused by: java.io.IOException: closed\n");
        assertThat(json("peek", String.valueOf(id))
                        .at("/unsuccessful/0/exception")
                        .textValue())
                .isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void whatFailsIsTriedAgainAndWhatIsBuriedWaitsForAKick() {
        long id = put("x");

        assertThat(leat("retry", takeLease(), "--delay", "0", "--message", "not yet")
                        .out())
                .contains("ready");
        assertThat(leat("release", takeLease()).out()).contains("ready");
        assertThat(leat("bury", takeLease(), "--message", "look at me").out()).contains("buried");

        JsonNode task = json("peek", String.valueOf(id));
        assertThat(task.get("message").textValue()).isEqualTo("look at me");
        assertThat(task.get("unsuccessful").get(0).get("message").textValue()).isEqualTo("not yet");
        assertThat(leat("kick", "q").out().strip()).isEqualTo("1 kicked");
        assertThat(state(id)).isEqualTo("ready");
    }

    @Test
    void aKickOfNothingSaysWhy() {
        long id = put("x");

        Cli.Ran task = leat("kick", String.valueOf(id));
        assertThat(task.exit()).isEqualTo(3);
        assertThat(task.out().strip()).isEqualTo("0 kicked: task " + id + " is ready, not buried.");
        Cli.Ran queue = leat("kick", "q");
        assertThat(queue.exit()).isEqualTo(3);
        assertThat(queue.out().strip()).isEqualTo("0 kicked: queue 'q' has no buried tasks.");
        Cli.Ran json = leat("kick", "q", "--json");
        assertThat(json.exit()).isEqualTo(3);
        assertThat(parse(json.out()).get("reason").textValue()).isEqualTo("queue 'q' has no buried tasks");
        leat("bury", String.valueOf(put("y", "--address", "a")));
        put("z", "--address", "a");
        Cli.Ran taken = leat("kick", "q");
        assertThat(taken.exit()).isEqualTo(3);
        assertThat(taken.out().strip())
                .isEqualTo("0 kicked: other live tasks have the addresses of the buried tasks of queue 'q'.");
        Cli.Ran nowhere = leat("kick", "nowhere");
        assertThat(nowhere.exit()).isEqualTo(1);
        assertThat(nowhere.err()).startsWith("leat: No queue named 'nowhere'.");
        Cli.Ran nothing = leat("kick", "4711");
        assertThat(nothing.exit()).isEqualTo(3);
        assertThat(nothing.err()).startsWith("leat: Task 4711 not found.");
    }

    @Test
    void deadLettersAreListedWithTheirErrors() {
        long first = put("x", "--type", "mail");
        leat("bury", takeLease(), "--message", "mailbox full\nand more");
        long second = put("y");
        leat("bury", String.valueOf(second), "--message", "not needed");
        put("z");

        List<String> lines = leat("dead", "list", "q").out().lines().toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).matches("QUEUE +ID +TYPE +LAST ATTEMPT +ATTEMPTS +ERROR");
        assertThat(lines.get(1)).matches("q +" + first + " +mail +\\S+Z +1 +mailbox full");
        assertThat(lines.get(2)).matches("q +" + second + " +0 +not needed");
        Cli.Ran page = leat("dead", "list", "--limit", "1");
        assertThat(page.err()).contains("--after " + first);
        assertThat(json("dead", "list", "--after", String.valueOf(first))).hasSize(1);
        assertThat(json("dead", "list", "--message", "mailbox").get(0).get("id").longValue())
                .isEqualTo(first);
    }

    @Test
    void aRedriveOfNothingSaysWhy() {
        long id = put("x");

        assertThat(leat("dead", "redrive").out().strip()).isEqualTo("0 redriven: no task is buried.");
        leat("bury", String.valueOf(id), "--message", "full");
        Cli.Ran none = leat("dead", "redrive", "q", "--message", "empty");
        assertThat(none.exit()).isEqualTo(3);
        assertThat(none.out().strip()).isEqualTo("0 redriven: no buried task of queue 'q' matches.");
        assertThat(leat("dead", "redrive", "nowhere").err()).startsWith("leat: No queue named 'nowhere'.");
        leat("kick", "q");
        leat("bury", String.valueOf(put("y", "--address", "a")));
        put("z", "--address", "a");
        Cli.Ran taken = leat("dead", "redrive", "q", "--yes");
        assertThat(taken.exit()).isEqualTo(3);
        assertThat(taken.out().strip())
                .isEqualTo("0 redriven: other live tasks have the addresses of the buried tasks of queue 'q'.");
    }

    @Test
    void aLeaseIsExtended() {
        put("x");
        String lease = takeLease();

        Cli.Ran ran = leat("touch", lease, "1h");

        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).startsWith("Held until ");
    }

    // Waiting

    @Test
    void whoAwaitsATaskGetsItsResult() {
        String id = String.valueOf(put("x", "--address", "a"));
        Cli.Ran tooEarly = leat("await", id, "--wait", "10ms");
        assertThat(tooEarly.exit()).isEqualTo(4);
        assertThat(tooEarly.out()).isEmpty();
        assertThat(leat("await", "q", "--address", "a", "--wait", "0", "--json").exit())
                .isEqualTo(4);

        String lease = takeLease();
        assertThat(leat("chunk", lease, "1").out().strip()).isEqualTo("Part 1 is there.");
        leat("ack", lease, "--result", "{\"pages\": 3}");

        assertThat(leat("await", id).out().strip()).isEqualTo("{\"pages\": 3}");
        JsonNode outcome = json("await", id);
        assertThat(outcome.get("ok").booleanValue()).isTrue();
        assertThat(outcome.at("/result/payload/pages").intValue()).isEqualTo(3);
        assertThat(leat("await", "q", "--address", "a").exit()).isEqualTo(3);
        assertThat(leat("chunk", lease, "2").exit()).isEqualTo(3);
    }

    @Test
    void whoAwaitsATaskGetsItsError() {
        leat("queue", "create", "q", "--max-failures", "1", "--exhausted", "fail");
        String id = String.valueOf(put("x"));
        leat("fail", takeLease(), "--message", "no such host", "--code", "503");

        Cli.Ran ran = leat("await", id);

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err().strip()).isEqualTo("The task is failed (code 503): no such host");
    }

    @Test
    void whatCannotBeAwaitedIsNamed() {
        put("x");
        assertThat(leat("await", "4711").exit()).isEqualTo(3);
        Cli.Ran wrong = leat("await", "q");
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("'q' is no task");
    }

    @Test
    void somethingElseThanALeaseIsRefused() {
        put("x");
        Cli.Ran ran = leat("ack", "nonsense");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("lease is not a lease token: 'nonsense'");
    }

    // Operators

    @Test
    void tasksAreBuriedCanceledAndDeletedByTheirIds() {
        long buried = put("a");
        long canceled = put("b");
        long deleted = put("c");

        assertThat(leat("bury", String.valueOf(buried)).out()).contains("buried");
        assertThat(leat("cancel", String.valueOf(canceled)).out()).contains("canceled");
        Cli.Ran unasked = leat("delete", String.valueOf(deleted));
        assertThat(unasked.exit()).isEqualTo(2);
        assertThat(unasked.err()).contains("say --yes");
        assertThat(leat("delete", String.valueOf(deleted), "--yes").exit()).isZero();

        assertThat(json("list", "--state", "buried,canceled")).hasSize(3);
        assertThat(leat("list", "q").out()).contains("buried").doesNotContain("canceled");
    }

    @Test
    void aListSaysWhenThereIsMore() {
        long first = put("a");
        put("b");

        assertThat(leat("list", "--limit", "1").err()).contains("--after " + first);
        assertThat(json("list", "--after", String.valueOf(first))).hasSize(1);
    }

    @Test
    void aQueueIsMadeShownPausedAndDropped() {
        leat(
                "queue",
                "create",
                "q",
                "--ttr",
                "90s",
                "--capacity",
                "5",
                "--tenants-in-turn",
                "--tenant-limit",
                "2",
                "--max-failures",
                "3",
                "--exhausted",
                "fail",
                "--keep",
                "7d");

        JsonNode queue = json("queue", "show", "q");
        assertThat(queue.get("setBy").textValue()).isEqualTo("operator");
        JsonNode options = queue.get("options");
        assertThat(options.get("ttr").doubleValue()).isEqualTo(90);
        assertThat(options.get("capacity").intValue()).isEqualTo(5);
        assertThat(options.get("tenants").textValue()).isEqualTo("in_turn");
        assertThat(options.get("tenantLimit").intValue()).isEqualTo(2);
        assertThat(options.get("maxFailures").intValue()).isEqualTo(3);
        assertThat(options.get("exhausted").textValue()).isEqualTo("fail");
        assertThat(options.get("keep").get("failed").doubleValue()).isEqualTo(7 * 86_400);
        assertThat(leat("queue", "show", "q").out())
                .startsWith("q, set by operator")
                .contains("  ttr          90s")
                .contains("  backoff      exponential, first 1s, most 10m, jitter ")
                .contains("  keep         done 7d, failed 7d, expired 7d, canceled 7d, payload false");

        put("x");
        leat("queue", "pause", "q");
        assertThat(leat("take", "q").exit()).isEqualTo(3);
        leat("queue", "resume", "q");
        takeLease();
        assertThat(leat("queue", "release-all", "q", "--yes").out().strip()).isEqualTo("1 released");
        assertThat(leat("queue", "truncate", "q", "--yes").out().strip()).isEqualTo("1 deleted");
        assertThat(leat("queue", "drop", "q").exit()).isEqualTo(2);
        assertThat(leat("queue", "drop", "q", "--yes").exit()).isZero();
        assertThat(json("queue", "list")).isEmpty();
    }

    @Test
    void statisticsAreATable() {
        put("x");
        put("y", "--delay", "1h");

        assertThat(leat("stats").out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "QUEUE WAITING SCHEDULED READY TAKEN BURIED DONE FAILED EXPIRED CANCELED CONSUMERS",
                        "q 0 1 1 0 0 0 0 0 0 0");
        assertThat(json("stats", "q").get(0).get("scheduled").intValue()).isEqualTo(1);
        assertThat(leat("stats", "q", "--tenants").out().lines().map(line -> line.replaceAll(" +", " ")))
                .first()
                .asString()
                .startsWith("TENANT GROUP WAITING SCHEDULED READY");
        assertThat(json("stats", "q", "--tenants").get(0).get("scheduled").intValue())
                .isEqualTo(1);
        assertThat(leat("stats", "--tenants").err()).contains("QUEUE is needed");
    }

    @Test
    void anUnknownQueueOrTaskIsNamed() {
        put("x");
        Cli.Ran queue = leat("stats", "nowhere");
        assertThat(queue.exit()).isEqualTo(1);
        assertThat(queue.err()).contains("No queue named 'nowhere'");

        Cli.Ran task = leat("peek", "4711");
        assertThat(task.exit()).isEqualTo(3);
        assertThat(task.err()).contains("There is no task 4711");
    }

    @Test
    void aStorageThatNobodyOpensIsExplained() {
        Cli.Ran ran = Cli.run("stats", "--storage", "oracle:thin");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).startsWith("leat: ").contains("oracle:thin");
    }

    @Test
    void theDoctorSaysWhatStandsStill() {
        json("queue", "create", "q");
        assertThat(leat("doctor").out()).startsWith("✓ sqlite answers within ").endsWith("✓ sqlite is well.\n");

        assertThat(leat("doctor", "--strict").exit()).isZero();

        put("x");
        long buried = put("y");
        leat("bury", String.valueOf(buried));
        Cli.Ran standing = leat("doctor");
        assertThat(standing.exit()).isZero();
        assertThat(standing.out())
                .contains("! Queue q has 1 ready task and no consumer. Start a worker: leat work q --exec COMMAND, or")
                .contains("! Queue q has 1 buried task. See why: leat dead list q; then let them run again: leat dead"
                        + " redrive q");

        leat("queue", "pause", "q");
        JsonNode findings = json("doctor");
        assertThat(findings.get(0).get("level").textValue()).isEqualTo("warning");
        assertThat(findings.get(0).get("what").textValue()).isEqualTo("Queue q is paused, with 1 ready task.");
        assertThat(findings.get(0).get("advice").textValue()).isEqualTo("Let it go on: leat queue resume q");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            queue pause q | Queue q is paused, with 0 ready tasks.
            put q x       | Queue q has 1 ready task and no consumer.
            bury 1        | Queue q has 1 buried task.
            """)
    void theStrictDoctorFailsForEachThatStandsStill(String command, String words) {
        json("queue", "create", "q");
        if (command.startsWith("bury")) {
            put("x");
        }
        assertThat(leat(command.split(" ")).exit()).isZero();

        Cli.Ran strict = leat("doctor", "--strict");

        assertThat(strict.exit()).isEqualTo(1);
        assertThat(strict.out()).contains("! " + words);
        assertThat(leat("doctor").exit()).isZero();
    }

    // Storages that are not there

    /** All commands on a storage that make one where there is none; any other refuses that. */
    private static final Set<String> CREATING = Set.of(
            "leat bench",
            "leat migrate",
            "leat put",
            "leat queue create",
            "leat schedule put",
            "leat server",
            "leat subscription put",
            "leat webhooks",
            "leat work",
            "leat worker");

    @Test
    void onlyCommandsThatBeginSomethingMakeAStorage() {
        Map<String, StorageSettings.IfMissing> found = new TreeMap<>();
        collect(Main.commandLine(), found);

        assertThat(found).hasSizeGreaterThan(40).containsKeys("leat list", "leat doctor", "leat dead redrive");
        assertThat(found).allSatisfy((command, ifMissing) -> assertThat(ifMissing)
                .isEqualTo(
                        CREATING.contains(command)
                                ? StorageSettings.IfMissing.CREATE
                                : StorageSettings.IfMissing.REFUSE));
    }

    private static void collect(CommandLine command, Map<String, StorageSettings.IfMissing> found) {
        if (command.getCommand() instanceof StorageCommand storage) {
            found.put(command.getCommandSpec().qualifiedName(), storage.ifMissing());
        }
        command.getSubcommands().values().forEach(sub -> collect(sub, found));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "list",
                "stats",
                "peek 1",
                "await 1",
                "doctor",
                "queue list",
                "queue pause q",
                "schedule list",
                "dead list",
                "dead redrive --yes",
                "subscription list",
                "kick q",
                "cancel 1",
                "delete 1 --yes",
                "take q",
                "housekeep"
            })
    void aFileThatIsNotLeatsIsRefusedByNameAndLeftAlone(String command) throws IOException {
        Path letter = Files.writeString(folder.resolve("letter.txt"), "Dear Ada");

        Cli.Ran missing = leat(command.split(" "));
        Cli.Ran text = Cli.run((command + " --storage sqlite:" + letter).split(" "));

        assertThat(missing.exit()).isEqualTo(1);
        assertThat(missing.out()).isEmpty();
        assertThat(missing.err().lines())
                .containsExactly(
                        "leat: " + folder.resolve("jobs.db") + " does not exist.",
                        "The storage is sqlite:" + folder.resolve("jobs.db")
                                + ", from --storage. Name another with --storage, or make it there with 'leat migrate'.");
        assertThat(text.exit()).isEqualTo(1);
        assertThat(text.err()).startsWith("leat: " + letter + " is not a SQLite database.");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(letter);
        }
        assertThat(letter).hasContent("Dear Ada");
    }

    @Test
    void theTablesAreMadeOnDemand() {
        assertThat(leat("migrate").out().strip()).isEqualTo("The tables on sqlite are up to date.");
    }

    // Work

    @Test
    void aShellWorksOffAQueue() throws IOException {
        Path seen = folder.resolve("seen");
        // The second attempt of a task must not begin before the test has looked.
        try (Leat leat = Leat.open("sqlite:" + folder.resolve("jobs.db"))) {
            leat.queue("q")
                    .create(QueueOptions.builder()
                            .retry(RetryPolicy.standard().backoff(Backoff.fixed(Duration.ofHours(1))))
                            .build());
        }
        long done = put("good", "--key", "k");
        long failed = put("bad");
        leat("queue", "create", "unused");

        Cli.Ran ran = leat("work", "q", "--drain", "--concurrency", "2", "--exec", """
                payload=$(cat)
                if [ "$payload" = bad ]; then echo first >&2; echo "it is bad" >&2; exit 3; fi
                echo "$LEAT_TASK_ID $LEAT_QUEUE $LEAT_ATTEMPT $LEAT_KEY $payload" >> %s
                """.formatted(seen));

        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(seen).hasContent(done + " q 1 k good");
        assertThat(state(done)).isEqualTo("done");
        JsonNode again = json("peek", String.valueOf(failed));
        assertThat(again.get("state").textValue()).isEqualTo("scheduled");
        assertThat(again.get("message").textValue()).isEqualTo("it is bad");
        assertThat(again.get("errorCode").intValue()).isEqualTo(3);
        assertThat(ran.err()).contains("first");
    }

    @Test
    void exitCode75GivesTheTaskBack() {
        long id = put("x");

        Cli.Ran ran = leat("work", "q", "--drain", "--exec", "[ $LEAT_ATTEMPT -gt 2 ] || exit 75");

        assertThat(ran.exit()).as(ran.err()).isZero();
        JsonNode task = json("peek", String.valueOf(id));
        assertThat(task.get("state").textValue()).isEqualTo("done");
        assertThat(task.get("releases").intValue()).isEqualTo(2);
        assertThat(task.get("failures").intValue()).isZero();
    }

    @Test
    void aCompletionScriptIsGenerated() {
        assertThat(Cli.run("generate-completion").out())
                .contains("complete -F")
                .contains("truncate")
                .contains("peek show");
    }

    // Backups

    @Test
    void aBackupIsPutInThePlaceOfAnotherStorage() {
        long id = put("hello");
        String backup = folder.resolve("backup.db").toString();
        String other = "sqlite:" + folder.resolve("other.db");

        assertThat(leat("backup", backup).out()).matches("[\\d,]+ bytes, 1 live tasks, \\d+\\.\\d s\n");
        JsonNode restored =
                parse(Cli.run("restore", backup, "--json", "--storage", other).out());
        assertThat(restored.get("liveTasks").longValue()).isEqualTo(1);
        assertThat(restored.get("bytes").longValue()).isPositive();
        assertThat(Cli.run("peek", String.valueOf(id), "--storage", other).out())
                .contains("hello");
    }

    @Test
    void aBackupThatWouldHarmOrIsNoneIsRefusedInOneLineAndAHint() {
        put("hello");
        String backup = folder.resolve("backup.db").toString();
        leat("backup", backup);

        assertRefused(leat("backup", backup), backup + " is already there.", "--force replaces it.");
        assertRefused(
                leat("restore", backup), folder.resolve("jobs.db") + " is already there.", "--force replaces it.");
        assertRefused(
                leat("restore", backup + ".gz", "--force"),
                "There is no file " + backup + ".gz that could be a backup.",
                "Name a FILE that 'leat backup' made.");
        assertRefused(
                Cli.run("backup", backup, "--storage", "jdbc:postgresql://db/jobs?password=secret"),
                "--storage must be sqlite:FILE to be copied as a file; for PostgreSQL use pg_dump and pg_restore",
                "Try 'leat backup --help'.");
        assertRefused(
                Cli.run("restore", backup, "--storage", "http://db:8770"),
                "--storage must be sqlite:FILE to be copied as a file; for a server run it where the file is, with the"
                        + " storage of that server",
                "Try 'leat restore --help'.");
        String missing = "sqlite:" + folder.resolve("missing.db");
        assertRefused(
                Cli.run("backup", backup, "--force", "--storage", missing),
                "There is no file " + folder.resolve("missing.db") + " that could be the storage.",
                "The storage is " + missing
                        + ", from --storage. See whether it can be used, or name another with --storage.");
        assertThat(leat("backup", backup, "--force").exit()).isZero();
        assertThat(leat("restore", backup, "--force").exit()).isZero();
    }

    private static void assertRefused(Cli.Ran ran, String problem, String hint) {
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err().lines()).containsExactly("leat: " + problem, hint);
    }
}
