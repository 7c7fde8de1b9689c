package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.DeadLetters;
import dev.leat.Leat;
import dev.leat.TakeRequest;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.AccessDeniedException;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.topic.Webhook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscriptions with URLs, and dead letters, over real sockets, on a file. */
class SubscriptionRestTest {
    private static final Webhook WEBHOOK = Webhook.to("https://shop.example.com/hooks?token=s3cret")
            .method("PUT")
            .header("Authorization", "Bearer s3cret")
            .secret("whsec_s3crets3crets3crets3crets3crets3")
            .timeout(Duration.ofSeconds(5));
    private static final String JSON = """
            {"topic": "orders", "webhook": {"url": "https://shop.example.com/hooks?token=s3cret", "method": "PUT",
             "headers": {"Authorization": "Bearer s3cret"}, "secrets": ["whsec_s3crets3crets3crets3crets3crets3"], "timeout": 5}}
            """;

    @TempDir
    Path folder;

    private Path audit;
    private TokenFile tokens;
    private Leat leat;
    private LeatServer server;
    private Client admin;

    @BeforeEach
    void start() {
        audit = folder.resolve("audit.ndjson");
        tokens = new TokenFile(folder.resolve("tokens.json"));
        leat = Leat.open("sqlite:" + folder.resolve("jobs.db"));
        String token = token("boss", Role.ADMIN);
        token("consumer", Role.CONSUME);
        server = LeatServer.start(
                leat,
                ServerOptions.builder()
                        .port(0)
                        .tokens(tokens.path())
                        .auditLog(audit)
                        .build());
        admin = new Client(server.port()).with("Authorization", "Bearer " + token);
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    private String token(String name, Role role, String... queues) {
        return tokens.create(name, Set.of(role), List.of(queues), Optional.empty());
    }

    /** Somebody with a token of his own, on a server that was started later and so knows it at once. */
    private Leat remote(Role role, String... queues) {
        String token = token(role.text() + "-of-some", role, queues);
        server.close();
        server = LeatServer.start(
                leat, ServerOptions.builder().port(0).tokens(tokens.path()).build());
        return Leat.open("http://127.0.0.1:" + server.port() + "?token=" + token);
    }

    private void assertNoSecrets(Object said) {
        assertThat(said.toString()).doesNotContain("s3cret");
    }

    // URLs

    @Test
    void aWebhookIsPutAndShownWithoutItsSecrets() throws IOException {
        JsonNode put = admin.send("PUT", "/v1/subscriptions/shop", JSON).is(200).body();

        assertThat(leat.subscriptions().find("shop").orElseThrow().webhook()).contains(WEBHOOK);
        assertThat(put.get("webhook"))
                .hasToString("{\"url\":\"https://shop.example.com/hooks?…\",\"method\":\"PUT\","
                        + "\"headers\":{\"Authorization\":\"…\"},\"secrets\":[\"whsec_…\"],\"timeout\":5.0}");
        assertThat(admin.get("/v1/subscriptions/shop").is(200).body()).isEqualTo(put);
        assertThat(admin.get("/v1/subscriptions")
                        .is(200)
                        .body()
                        .get("subscriptions")
                        .get(0))
                .isEqualTo(put);
        assertNoSecrets(
                admin.post("/v1/subscriptions/shop/disable", "{}").is(200).body());
        assertNoSecrets(admin.post("/v1/subscriptions/shop/enable", "").is(200).body());
        assertThat(leat.subscriptions().find("shop").orElseThrow().webhook()).contains(WEBHOOK);
        assertThat(Files.readString(audit))
                .contains("PUT /v1/subscriptions/shop")
                .doesNotContain("s3cret");
    }

    @Test
    void whatIsShownCannotBePutBack() {
        JsonNode shown =
                admin.send("PUT", "/v1/subscriptions/shop", JSON).is(200).body();
        String back = "{\"topic\": \"orders\", \"webhook\": " + shown.get("webhook") + "}";

        admin.send("PUT", "/v1/subscriptions/shop", back).is(400);

        assertThat(leat.subscriptions().find("shop").orElseThrow().webhook()).contains(WEBHOOK);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"s3cret\"",
                "{\"url\": \"s3cret\"}",
                "{\"url\": [\"s3cret\"]}",
                "{\"url\": \"https://a.test\", \"secrets\": \"s3cret\"}",
                "{\"url\": \"https://a.test\", \"secrets\": [\"s3cret\"]}",
                "{\"url\": \"https://a.test\", \"headers\": \"s3cret\"}",
                "{\"url\": \"https://a.test\", \"headers\": {\"A\": [\"s3cret\"]}}",
                "{\"url\": \"https://a.test\", \"headers\": {\"A\": \"s3cret\\n\"}}",
                "{\"url\": \"https://a.test\", \"secrets\": [{\"s3cret\": 1}]}"
            })
    void aMistakeIsNamedWithoutSecrets(String webhook) throws IOException {
        Client.Answer answer =
                admin.send("PUT", "/v1/subscriptions/shop", "{\"topic\": \"orders\", \"webhook\": " + webhook + "}");

        assertNoSecrets(answer.is(400).body());
        assertThat(Files.readString(audit)).doesNotContain("s3cret");
        assertThat(leat.subscriptions().find("shop")).isEmpty();
    }

    // Over the wire

    @Test
    void whoDeliversGetsTheSecrets() {
        leat.subscriptions().put(Subscription.to("orders", "shop").webhook(WEBHOOK));

        try (Leat remote = remote(Role.CONSUME)) {
            assertThat(remote.subscriptions().find("shop").orElseThrow().webhook())
                    .contains(WEBHOOK);
        }
    }

    @Test
    void whoOnlyLooksGetsNoSecrets() {
        leat.subscriptions().put(Subscription.to("orders", "shop").webhook(WEBHOOK));

        try (Leat remote = remote(Role.OPERATE)) {
            Webhook found =
                    remote.subscriptions().find("shop").orElseThrow().webhook().orElseThrow();
            Webhook listed = remote.subscriptions()
                    .list(SubscriptionQuery.all())
                    .get(0)
                    .webhook()
                    .orElseThrow();

            assertThat(found).isEqualTo(listed);
            assertThat(found.headers()).containsEntry("Authorization", "…");
            assertNoSecrets(found.url() + found.secrets());
        }
    }

    @Test
    void whoTakesFromSomeQueuesGetsNoSecretsOfOthers() {
        leat.subscriptions().put(Subscription.to("orders", "shop").queue("mine").webhook(WEBHOOK));
        leat.subscriptions()
                .put(Subscription.to("orders", "other").queue("others").webhook(WEBHOOK));

        try (Leat remote = remote(Role.CONSUME, "mine")) {
            assertThat(remote.subscriptions().find("shop")).isPresent();
            assertThatThrownBy(() -> remote.subscriptions().find("other"))
                    .isInstanceOf(AccessDeniedException.class)
                    .hasMessageContaining("not for 'others'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"it moved", "the subscription is gone or disabled"})
    void whoMayOnlyConsumeCancelsWhatNobodyWantsAnyMore(String why) {
        leat.subscriptions().put(Subscription.to("orders", "shop"));
        leat.publish("orders", "order 1");
        leat.take(TakeRequest.from("orders")).forEach(leat::ack);
        long copy = leat.list(TaskQuery.of("orders").subscriber("shop")).get(0).id();
        if (why.equals("it moved")) {
            leat.storage().subscriptions().disable("shop", why, Optional.empty());
        } else {
            leat.storage().subscriptions().drop("shop");
        }

        try (Leat remote = remote(Role.CONSUME, "orders")) {
            remote.worker()
                    .subscriber("orders", "shop", String.class, (order, task) -> task.ack("ran"))
                    .start();

            await().until(() -> leat.peek(copy).orElseThrow().state().isFinished());
        }

        assertThat(leat.peek(copy).orElseThrow().state()).isEqualTo(TaskState.CANCELED);
        assertThat(leat.peek(copy).orElseThrow().message()).contains(why);
    }

    @Test
    void aHolderCancelsItsTaskOverHttp() {
        long id = leat.put("q", "a");
        String lease = leat.take(TakeRequest.from("q")).get(0).lease().token();
        String cancel =
                "{\"settles\": [{\"lease\": \"" + lease + "\", \"outcome\": \"cancel\", \"message\": \"enough\"}]}";

        assertThat(admin.post("/v1/settle", cancel).is(200).body())
                .hasToString("{\"results\":[{\"result\":\"done\",\"state\":\"canceled\"}]}");

        assertThat(leat.peek(id).orElseThrow().message()).contains("enough");
    }

    // Dead letters

    @Test
    void whoOperatesSomeQueuesRedrivesThoseAlone() {
        for (String queue : List.of("mine", "others")) {
            leat.queue(queue).ensure();
            leat.bury(leat.put(queue, "a"), "no");
        }

        try (Leat remote = remote(Role.OPERATE, "mine")) {
            DeadLetters dead = remote.deadLetters();
            for (Runnable denied : List.<Runnable>of(
                    () -> dead.count(TaskQuery.live()),
                    () -> dead.count(TaskQuery.of("others")),
                    () -> dead.redrive(TaskQuery.live()),
                    () -> dead.redrive(TaskQuery.of("others")))) {
                assertThatThrownBy(denied::run).isInstanceOf(AccessDeniedException.class);
            }
            assertThat(dead.count(TaskQuery.of("mine"))).isEqualTo(1);
            assertThat(dead.redrive(TaskQuery.of("mine"))).isEqualTo(1);
        }

        assertThat(leat.deadLetters().count(TaskQuery.live())).isEqualTo(1);
    }

    @Test
    void whoConsumesRedrivesNothing() {
        leat.queue("q").ensure();

        try (Leat remote = remote(Role.CONSUME)) {
            assertThatThrownBy(() -> remote.deadLetters().count(TaskQuery.of("q")))
                    .isInstanceOf(AccessDeniedException.class);
            assertThatThrownBy(() -> remote.deadLetters().redrive(TaskQuery.of("q")))
                    .isInstanceOf(AccessDeniedException.class);
        }
    }

    @Test
    void thoseThatFitRunAgainAfterTheyWereCounted() {
        leat.queue("q").ensure();
        long timeout = leat.put("q", "a");
        leat.bury(timeout, "timed out at 100%");
        long other = leat.put("q", "b");
        leat.bury(other, "refused");
        String filter = "{\"message\": \"100%\", \"dryRun\": ";

        assertThat(admin.post("/v1/queues/q/redrive", filter + "true}").is(200).body())
                .hasToString("{\"found\":1,\"redriven\":0}");
        assertThat(leat.peek(timeout).orElseThrow().state()).isEqualTo(TaskState.BURIED);
        assertThat(admin.get("/v1/tasks?queue=q&state=buried&message=100%25")
                        .is(200)
                        .body()
                        .get("tasks"))
                .hasSize(1);

        assertThat(admin.post("/v1/queues/q/redrive", filter + "false}").is(200).body())
                .hasToString("{\"found\":1,\"redriven\":1}");

        assertThat(leat.peek(timeout).orElseThrow().state()).isEqualTo(TaskState.READY);
        assertThat(leat.peek(other).orElseThrow().state()).isEqualTo(TaskState.BURIED);
        admin.post("/v1/queues/q/redrive", "{\"massage\": \"100%\"}").is(400);
        admin.post("/v1/queues/none/redrive", "{}").is(404);
    }
}
