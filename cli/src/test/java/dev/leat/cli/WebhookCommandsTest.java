package dev.leat.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Subscriptions with URLs, {@code leat webhooks} and dead letters, with a real receiver. */
class WebhookCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final List<Process> started = new ArrayList<>();
    private HttpServer receiver;
    private Leat behind;
    private volatile int status = 200;

    @BeforeEach
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            received.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        receiver.start();
        behind = Leat.open(storage());
        behind.queue("orders")
                .create(QueueOptions.builder()
                        .retention(Retention.standard().donePayload(Retention.DonePayload.KEEP))
                        .build());
    }

    @AfterEach
    void stop() {
        started.forEach(Process::destroyForcibly);
        receiver.stop(0);
        behind.close();
    }

    private String storage() {
        return "sqlite:" + folder.resolve("jobs.db");
    }

    private String url(String path) {
        return "http://127.0.0.1:" + receiver.getAddress().getPort() + path;
    }

    private Cli.Ran leat(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--storage", storage()));
        return Cli.run(all.toArray(new String[0]));
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        Cli.Ran ran = leat(all.toArray(new String[0]));
        assertThat(ran.exit()).as("%s%s", ran.out(), ran.err()).isZero();
        try {
            return JSON.readTree(ran.out());
        } catch (JsonProcessingException e) {
            throw new AssertionError(ran.out(), e);
        }
    }

    private void subscribe(String id, String path) {
        behind.subscriptions().put(Subscription.to("orders", id).webhook(Webhook.to(url(path))));
    }

    /** A copy that waits for this subscription. */
    private long published(String id, String order) {
        behind.publish("orders", order);
        behind.ack(behind.take("orders").orElseThrow());
        List<Task> waiting = behind.list(TaskQuery.of("orders").subscriber(id).state(TaskState.READY));
        return waiting.get(waiting.size() - 1).id();
    }

    // Subscriptions

    @Test
    void aUrlIsPutAndShownWithoutItsSecrets() {
        String[] put = {
            "subscription",
            "put",
            "shop",
            "orders",
            "--url",
            "https://shop.example.com/hooks?token=s3cret",
            "--method",
            "put",
            "--header",
            "Authorization=Bearer s3cret=",
            "--header",
            "X-Key=s3cret",
            "--secret",
            "whsec_s3crets3crets3crets3crets3crets3",
            "--timeout",
            "5s"
        };

        Cli.Ran ran = leat(put);

        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(behind.subscriptions().find("shop").orElseThrow().webhook())
                .contains(Webhook.to("https://shop.example.com/hooks?token=s3cret")
                        .method("PUT")
                        .header("Authorization", "Bearer s3cret=")
                        .header("X-Key", "s3cret")
                        .secret("whsec_s3crets3crets3crets3crets3crets3")
                        .timeout(Duration.ofSeconds(5)));
        assertThat(ran.out())
                .isEqualTo("shop gets what is published to orders as tasks of orders, sent by PUT"
                        + " https://shop.example.com/hooks?….\n");
        assertThat(leat("subscription", "show", "shop").out()).isEqualTo(ran.out());
        assertThat(leat("subscription", "list").out()).contains("PUT https://shop.example.com/hooks?…");
        for (String command : List.of("show shop", "list", "disable shop", "enable shop")) {
            List<String> all = new ArrayList<>(List.of("subscription"));
            all.addAll(List.of(command.split(" ")));
            assertThat(leat(all.toArray(new String[0])).out()).doesNotContain("s3cret");
            assertThat(json(all.toArray(new String[0])).toString())
                    .contains("\"secrets\":[\"whsec_…\"]")
                    .doesNotContain("s3cret");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --secret whsec_s3cret                                | 2 | need a --url
            --url ftp://shop.example.com                         | 1 | url must begin with http://
            --url http://127.1/                                  | 1 | url must write an IPv4 address as four decimal numbers
            --url https://a.test --secret s3cret                 | 1 | values of --secret must be whsec_…
            --url https://a.test --header Host=s3cret            | 1 | values of --header must not set Host
            --url https://a.test --timeout 1h                    | 1 | timeout must be from 1 ms to 10 minutes
            """)
    void aMistakeIsFoundWhenItIsPut(String options, int exit, String message) {
        List<String> all = new ArrayList<>(List.of("subscription", "put", "shop", "orders"));
        all.addAll(List.of(options.split(" ")));

        Cli.Ran ran = leat(all.toArray(new String[0]));

        assertThat(ran.exit()).isEqualTo(exit);
        assertThat(ran.err()).contains(message).doesNotContain("s3cret", "Exception");
        assertThat(behind.subscriptions().find("shop")).isEmpty();
    }

    @Test
    void theLogTellsWhatBecameOfEach() {
        subscribe("shop", "/");
        long first = published("shop", "order 1");
        behind.bury(first, "no good");
        long second = published("shop", "order 2");

        JsonNode log = json("subscription", "log", "shop");

        assertThat(log).hasSize(2);
        assertThat(log.get(0).get("state").textValue()).isEqualTo("buried");
        assertThat(leat("subscription", "log", "shop").out())
                .containsSubsequence("TASK", "PUBLICATION", "STATE", "ATTEMPTS", "PUT", "MESSAGE")
                .containsSubsequence(Long.toString(first), "BURIED", "no good")
                .containsSubsequence(Long.toString(second), "READY");
        assertThat(json("subscription", "log", "shop", "--after", Long.toString(first)))
                .hasSize(1);
        assertThat(json("subscription", "log", "shop", "--limit", "1")).hasSize(1);
    }

    @Test
    void oneOrASpanOfTimeIsPutAgain() {
        subscribe("shop", "/");
        long copy = published("shop", "order 1");
        behind.bury(copy, "no good");
        String before = Instant.now().minusSeconds(3_600).toString();

        JsonNode one = json("subscription", "replay", Long.toString(copy));

        assertThat(behind.peek(one.get("task").longValue())
                        .orElseThrow()
                        .payload()
                        .text())
                .isEqualTo("order 1");
        assertThat(leat("subscription", "replay", "shop", "--from", before).out())
                .isEqualTo("1 put again.\n");
        assertThat(json("subscription", "replay", "shop", "--from", before)
                        .get("replayed")
                        .intValue())
                .isEqualTo(1);
        assertThat(leat("subscription", "replay", "shop", "--from", before, "--until", before)
                        .exit())
                .isEqualTo(3);
        assertThat(leat("subscription", "replay", "shop").exit()).isEqualTo(2);
        assertThat(leat("subscription", "replay", "4711").exit()).isEqualTo(3);
    }

    @Test
    void aPingSaysWhatWasAnswered() {
        subscribe("shop", "/hook?token=s3cret");

        Cli.Ran well = leat("subscription", "ping", "shop", "--allow-network", "127.0.0.1");
        status = 500;
        Cli.Ran bad = leat("subscription", "ping", "shop", "--allow-network", "127.0.0.1");
        Cli.Ran refused = leat("subscription", "ping", "shop");

        assertThat(well.exit()).as(well.err()).isZero();
        assertThat(well.out()).matches("POST \\Q" + url("/hook") + "\\E\\?… answered 200 in \\d+ ms\\.\n");
        assertThat(bad.exit()).isEqualTo(1);
        assertThat(bad.err()).contains("answered 500").doesNotContain("s3cret");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err()).contains("is not called");
        assertThat(received)
                .containsExactly(
                        "POST /hook?token=s3cret {\"type\":\"ping\"}", "POST /hook?token=s3cret {\"type\":\"ping\"}");
    }

    // leat webhooks

    private Process webhooks(String... args) throws IOException {
        List<String> command = new ArrayList<>(Cli.command());
        command.addAll(List.of("webhooks", "--allow-network", "127.0.0.1", "--storage", storage()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .start();
        started.add(process);
        return process;
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    @Test
    void whatIsPublishedIsSentUntilSomebodyStopsIt() throws Exception { // N33
        subscribe("shop", "/first");
        Process webhooks = webhooks();
        await().atMost(Duration.ofSeconds(30)).until(() -> err().contains("Sends what comes to orders."));

        leat("put", "orders", "order 1", "--publish");

        await().atMost(Duration.ofSeconds(30)).until(() -> received.contains("POST /first order 1"));

        // A subscription that comes later, with a queue that nobody has served so far.
        behind.subscriptions()
                .put(Subscription.to("orders", "late").queue("late-hooks").webhook(Webhook.to(url("/late"))));
        leat("put", "orders", "order 2", "--publish");

        await().atMost(Duration.ofSeconds(30)).until(() -> received.contains("POST /late order 2"));
        await().atMost(Duration.ofSeconds(30)).until(() -> received.contains("POST /first order 2"));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> behind.stats().stream().allMatch(queue -> queue.live() == 0));

        webhooks.toHandle().destroy();

        assertThat(webhooks.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(err()).endsWith("Stopped.\n").doesNotContain("Exception", "WARN");
        assertThat(received).hasSize(3);
    }

    @Test
    void onlyTheQueuesThatAreNamedAreServed() throws Exception {
        behind.subscriptions()
                .put(Subscription.to("orders", "shop").queue("hooks").webhook(Webhook.to(url("/shop"))));
        subscribe("other", "/other");
        published("other", "order 1");

        webhooks("hooks");

        await().atMost(Duration.ofSeconds(30)).until(() -> received.contains("POST /shop order 1"));
        assertThat(behind.queue("orders").stats().count(TaskState.READY)).isEqualTo(1);
        assertThat(err()).isEqualTo("Sends what comes to hooks.\n");
    }

    @Test
    void whatHasNoUrlIsLeftToOthers() throws IOException {
        subscribe("shop", "/hook");
        behind.subscriptions().put(Subscription.to("orders", "billing"));
        webhooks();
        long plain = behind.put("orders", "plain");
        behind.publish("orders", "order 1");

        await().atMost(Duration.ofSeconds(30)).until(() -> received.equals(List.of("POST /hook order 1")));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> behind.peek(plain).orElseThrow().previousDue().isPresent());
        await().atMost(Duration.ofSeconds(30))
                .until(() -> copy("billing").previousDue().isPresent());
        assertThat(copy("billing").failures()).isZero();
        assertThat(behind.attempts(copy("billing").id())).isEmpty();
        assertThat(behind.attempts(plain)).isEmpty();
        assertThat(received).hasSize(1);
    }

    private Task copy(String subscriber) {
        return behind.list(TaskQuery.of("orders").subscriber(subscriber)).get(0);
    }

    // Dead letters

    @Test
    void deadLettersAreCountedAndRunAgainForWhoSaysYes() {
        long timeout = behind.put("orders", "a");
        behind.bury(timeout, "timed out at 100%");
        long refused = behind.put("orders", "b", task -> task.tenant("acme"));
        behind.bury(refused, "refused");

        assertThat(leat("dead", "count").out()).isEqualTo("2\n");
        assertThat(json("dead", "count", "orders", "--message", "100%")
                        .get("count")
                        .intValue())
                .isEqualTo(1);
        assertThat(json("list", "orders", "--state", "BURIED", "--message", "100%"))
                .hasSize(1);

        Cli.Ran unasked = leat("dead", "redrive", "orders");
        assertThat(unasked.exit()).isEqualTo(2);
        assertThat(unasked.err()).contains("say --yes");
        assertThat(leat("dead", "count").out()).isEqualTo("2\n");

        Cli.Ran some = leat("dead", "redrive", "orders", "--tenant", "acme", "--yes");
        assertThat(some.out()).isEqualTo("1 of 1 run again.\n");
        assertThat(behind.peek(refused).orElseThrow().state()).isEqualTo(TaskState.READY);
        assertThat(behind.peek(timeout).orElseThrow().state()).isEqualTo(TaskState.BURIED);

        assertThat(json("dead", "redrive", "--yes").get("redriven").intValue()).isEqualTo(1);
        assertThat(leat("dead", "redrive", "--yes").exit()).isEqualTo(3);
        assertThat(leat("dead", "redrive").exit()).isEqualTo(3);
    }
}
