package dev.leat.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Attempt;
import dev.leat.Leat;
import dev.leat.Payload;
import dev.leat.TakeRequest;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.AccessDeniedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.Storage;
import dev.leat.storagetests.InterceptedStorage;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.topic.Webhook;
import dev.leat.worker.Worker;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From a publication to the receiver, through a worker. Covers N11, N31 to N35. */
abstract class WebhookHandlerContract {
    private static final String TOPIC = "orders";
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER_SECRET = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    private static final String OK = answer("200 OK", "");
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final WebhookSender.Builder sending = WebhookSender.builder().allowNetwork("127.0.0.1");
    protected Leat leat;

    abstract Leat openLeat() throws Exception;

    private static String answer(String status, String body, String... headers) {
        return "HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n"
                + List.of(headers).stream().map(header -> header + "\r\n").collect(Collectors.joining()) + "\r\n"
                + body;
    }

    /** Whatever fails is tried again at once, and what is done keeps its payload. */
    @BeforeEach
    void open() throws Exception {
        leat = openLeat();
        leat.queue(TOPIC)
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard().maxFailures(3).backoff(Backoff.none()))
                        .retention(Retention.standard().donePayload(Retention.DonePayload.KEEP))
                        .build());
    }

    /** Servers and the sender go first: a delivery that runs must not hold up the worker's stop. */
    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        leat.close();
    }

    private ScriptedServer server(ScriptedServer.Script script) throws IOException {
        ScriptedServer server = ScriptedServer.start(script);
        opened.add(server);
        return server;
    }

    private ScriptedServer answering(String answer) throws IOException {
        return server(connection -> {
            connection.readRequest();
            connection.send(answer);
        });
    }

    private void subscribe(String id, String url) {
        subscribe(id, Webhook.to(url));
    }

    private void subscribe(String id, Webhook webhook) {
        leat.subscriptions().put(Subscription.to(TOPIC, id).webhook(webhook));
    }

    private Worker.Builder worker() {
        WebhookSender sender = sending.build();
        opened.add(sender);
        return leat.worker().otherSubscribers(TOPIC, byte[].class, new WebhookHandler(sender));
    }

    /** Puts the copies without a worker, so that something can happen before they are delivered. */
    private void publishNow(int orders) {
        for (int i = 1; i <= orders; i++) {
            leat.publish(TOPIC, "order " + i);
        }
        leat.take(TakeRequest.from(TOPIC).count(orders)).forEach(leat::ack);
    }

    private List<Task> copies(String subscriber) {
        return leat.list(
                TaskQuery.of(TOPIC).states(EnumSet.allOf(TaskState.class)).subscriber(subscriber));
    }

    private Task copy(String subscriber) {
        return copies(subscriber).get(0);
    }

    private Task awaitCopy(String subscriber, TaskState state) {
        await(subscriber + " to be " + state, () -> copies(subscriber).stream()
                .anyMatch(task -> task.state() == state));
        return copies(subscriber).stream()
                .filter(task -> task.state() == state)
                .findFirst()
                .orElseThrow();
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(LONG).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    private static void assertSigned(ScriptedServer.Request request, String secret) {
        HttpHeaders headers = HttpHeaders.of(
                request.headers().entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, entry -> List.of(entry.getValue()))),
                (name, value) -> true);
        assertThatCode(() ->
                        new com.standardwebhooks.Webhook(secret).verify(new String(request.body(), UTF_8), headers))
                .doesNotThrowAnyException();
    }

    private static List<String> ids(ScriptedServer server) {
        return server.requests().stream()
                .map(request -> request.header("webhook-id"))
                .toList();
    }

    // What is sent

    @Test
    void whatIsPublishedIsSentToTheUrlOfTheSubscription() throws IOException { // N11, N33, N34, N35
        ScriptedServer server = answering(answer("201 Created", "thank\nyou" + "x".repeat(600)));
        subscribe(
                "billing",
                Webhook.to(server.url("127.0.0.1", "/bills?a=s3cret"))
                        .method("PUT")
                        .header("Authorization", "Bearer abc")
                        .secret(SECRET)
                        .secret(OTHER_SECRET));
        worker().start();

        leat.publish(TOPIC, "", task -> task.payload(Payload.of("{\"ü\":1}".getBytes(UTF_8), Payload.JSON)));

        Task done = awaitCopy("billing", TaskState.DONE);
        assertThat(done.message())
                .contains("PUT http://127.0.0.1:" + server.port() + "/bills?a=… answered 201: thank you"
                        + "x".repeat(491));
        ScriptedServer.Request request = server.requests().get(0);
        assertThat(request.line()).isEqualTo("PUT /bills?a=s3cret HTTP/1.1");
        assertThat(new String(request.body(), UTF_8)).isEqualTo("{\"ü\":1}");
        assertThat(request.header("Content-Type")).isEqualTo("application/json");
        assertThat(request.header("Authorization")).isEqualTo("Bearer abc");
        assertSigned(request, SECRET);
        assertSigned(request, OTHER_SECRET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "DELETE", "PATCH"})
    void theMethodIsThatOfTheSubscription(String method) throws IOException { // N34
        ScriptedServer server = answering(OK);
        subscribe(
                "billing",
                Webhook.to(server.url("127.0.0.1", "/bills")).method(method).header("X-Shop", "7"));
        worker().start();

        leat.publish(TOPIC, "order 1");

        Task done = awaitCopy("billing", TaskState.DONE);
        assertThat(done.message().orElseThrow()).startsWith(method + " http://127.0.0.1:");
        ScriptedServer.Request request = server.requests().get(0);
        assertThat(request.line()).isEqualTo(method + " /bills HTTP/1.1");
        assertThat(request.header("X-Shop")).isEqualTo("7");
    }

    @Test
    void anotherMethodIsRefusedAndFromPlainSqlNothingIsSent() throws IOException { // N34
        ScriptedServer server = answering(OK);
        Webhook fetch = Webhook.to(server.url()).method("FETCH");
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> subscribe("billing", fetch))
                .withMessageContaining("method must be GET, POST, PUT, DELETE or PATCH, was 'FETCH'");
        leat.storage().subscriptions().put(Subscription.to(TOPIC, "billing").webhook(fetch)); // as plain SQL does
        worker().start();

        leat.publish(TOPIC, "order 1");

        Task buried = awaitCopy("billing", TaskState.BURIED);
        assertThat(buried.message().orElseThrow()).contains("method must be GET, POST, PUT, DELETE or PATCH");
        assertThat(server.connections()).isZero();
    }

    @Test
    void theMessageIdIsTheSameOverRetriesAndReplays() throws IOException {
        AtomicInteger calls = new AtomicInteger();
        ScriptedServer server = server(connection -> {
            connection.readRequest();
            connection.send(calls.incrementAndGet() == 1 ? answer("500 No", "") : OK);
        });
        subscribe("billing", server.url());
        worker().start();
        leat.publish(TOPIC, "order 1");
        long done = awaitCopy("billing", TaskState.DONE).id();

        long again = leat.subscriptions().replay(done);

        await("the replay", () -> leat.peek(again).orElseThrow().state() == TaskState.DONE);
        assertThat(ids(server)).hasSize(3).containsOnly(ids(server).get(0));
        assertThat(server.requests())
                .extracting(request -> new String(request.body(), UTF_8))
                .containsOnly("order 1");
    }

    @Test
    void subscriptionsAndPublicationsHaveMessageIdsOfTheirOwn() throws IOException {
        ScriptedServer server = answering(OK);
        subscribe("billing", server.url());
        subscribe("shipping", server.url());
        worker().start();

        leat.publish(TOPIC, "order 1");
        leat.publish(TOPIC, "order 2");

        await("all to be sent", () -> ids(server).size() == 4);
        assertThat(ids(server)).doesNotHaveDuplicates();
    }

    @Test
    void subscriptionsOfTheSameMomentHaveMessageIdsOfTheirOwn() throws IOException {
        subscribe("billing", answering(OK).url());
        publishNow(1);
        Instant moment = leat.storage().now();

        assertThat(WebhookHandler.messageId(
                        copy("billing"), Subscription.to(TOPIC, "billing").created(moment)))
                .isNotEqualTo(WebhookHandler.messageId(
                        copy("billing"), Subscription.to(TOPIC, "shipping").created(moment)));
    }

    @Test
    void theSameNumbersInAnotherDatabaseAreOtherMessages() throws Exception {
        ScriptedServer server = answering(OK);
        subscribe("billing", server.url());
        publishNow(1);
        Task here = copy("billing");
        try (Leat other = Leat.open("memory:")) {
            other.queue(TOPIC).ensure();
            Subscription there = other.subscriptions().put(Subscription.to(TOPIC, "billing"));

            assertThat(WebhookHandler.messageId(here, there))
                    .isNotEqualTo(WebhookHandler.messageId(
                            here, leat.subscriptions().find("billing").orElseThrow()));
        }
    }

    @Test
    void theUrlAndTheSecretsAreThoseAtTheDelivery() throws IOException {
        ScriptedServer before = answering(OK);
        ScriptedServer after = answering(OK);
        subscribe("billing", Webhook.to(before.url()).secret(OTHER_SECRET));
        publishNow(1);
        subscribe("billing", Webhook.to(after.url()).secret(SECRET));

        worker().start();

        awaitCopy("billing", TaskState.DONE);
        assertThat(before.connections()).isZero();
        assertSigned(after.requests().get(0), SECRET);
    }

    @Test
    void aSubscriptionWithAHandlerIsNotSent() throws IOException { // N31
        ScriptedServer server = answering(OK);
        ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
        subscribe("billing", server.url());
        subscribe("shipping", server.url());
        worker().subscriber(TOPIC, "shipping", String.class, (order, task) -> handled.add(order))
                .start();

        leat.publish(TOPIC, "order 1");

        awaitCopy("billing", TaskState.DONE);
        awaitCopy("shipping", TaskState.DONE);
        assertThat(server.connections()).isEqualTo(1);
        assertThat(handled).containsExactly("order 1");
    }

    // What fails

    @Test
    void aFailureSaysWhatWasAnsweredAndIsTriedAgainAsTheQueueSays() throws IOException { // N35
        ScriptedServer server = answering(answer("500 No", "x".repeat(600)));
        subscribe("billing", server.url());
        worker().start();

        leat.publish(TOPIC, "order 1");

        Task buried = awaitCopy("billing", TaskState.BURIED);
        assertThat(buried.failures()).isEqualTo(3);
        assertThat(buried.errorCode()).isEqualTo(500);
        assertThat(buried.message().orElseThrow())
                .startsWith("POST " + server.url() + " answered 500: " + "x".repeat(499))
                .doesNotContain("x".repeat(501));
        assertThat(server.connections()).isEqualTo(3);
    }

    @Test
    void goneDisablesTheSubscriptionAndCancelsWhatWaitsForIt() throws IOException {
        ScriptedServer gone = answering(answer("410 Gone", "we moved"));
        ScriptedServer well = answering(OK);
        subscribe("billing", gone.url());
        subscribe("shipping", well.url());
        publishNow(5);

        worker().start();

        String why = "POST " + gone.url() + " answered 410: we moved";
        await("all of it to be canceled", () -> copies("billing").stream()
                .allMatch(task -> task.state() == TaskState.CANCELED));
        assertThat(copies("billing")).hasSize(5).allMatch(task -> task.message().equals(Optional.of(why)));
        assertThat(gone.connections()).isEqualTo(1);
        Subscription billing = leat.subscriptions().find("billing").orElseThrow();
        assertThat(billing.isActive()).isFalse();
        assertThat(billing.whyDisabled()).contains(why);
        assertThat(billing.webhook()).isPresent();
        await("the other to get all", () -> copies("shipping").stream()
                .allMatch(task -> task.state() == TaskState.DONE));
        assertThat(leat.subscriptions().find("shipping").orElseThrow().isActive())
                .isTrue();
        assertThat(copies("shipping")).hasSize(5);
    }

    @Test
    void goneFromTheOldUrlOfAReceiverThatHasMovedDisablesNothing() throws IOException {
        ScriptedServer after = answering(OK);
        ScriptedServer before = server(connection -> {
            connection.readRequest();
            subscribe("billing", after.url());
            connection.send(answer("410 Gone", ""));
        });
        subscribe("billing", before.url());
        worker().start();

        leat.publish(TOPIC, "order 1");

        Task done = awaitCopy("billing", TaskState.DONE);
        assertThat(done.failures()).isEqualTo(1);
        assertThat(leat.subscriptions().find("billing").orElseThrow().isActive())
                .isTrue();
    }

    @Test
    void whoMayNotDisableASubscriptionThatIsGoneCancelsItsCopies() throws IOException {
        ScriptedServer gone = answering(answer("410 Gone", "we moved"));
        subscribe("billing", gone.url());
        publishNow(2);
        WebhookSender sender = sending.build();
        opened.add(sender);

        try (Leat consumer =
                Leat.builder("").storage(withoutAdmin(leat.storage())).open()) {
            consumer.worker()
                    .otherSubscribers(TOPIC, byte[].class, new WebhookHandler(sender))
                    .start();

            await("both to be canceled", () -> copies("billing").stream()
                    .allMatch(task -> task.state() == TaskState.CANCELED));
        }

        assertThat(copies("billing")).hasSize(2).allMatch(task -> task.failures() == 0);
        assertThat(copy("billing").message()).contains("POST " + gone.url() + " answered 410: we moved");
        assertThat(leat.subscriptions().find("billing").orElseThrow().isActive())
                .isTrue();
    }

    /** As a server is for a token with the role {@code consume}. */
    private static Storage withoutAdmin(Storage storage) {
        return InterceptedStorage.of(storage, (name, arguments, call) -> {
            if (name.equals("subscriptions.disable")) {
                throw new AccessDeniedException("'disable-subscription' needs one of the roles [admin]");
            }
            return name.equals("close") ? null : call.make();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"429 Too Many Requests", "503 Service Unavailable"})
    void whoAsksForTimeIsNotCalledBefore(String status) throws IOException {
        ScriptedServer server = answering(answer(status, "", "Retry-After: 120"));
        subscribe("billing", server.url());
        worker().start();
        Instant before = leat.storage().now();

        leat.publish(TOPIC, "order 1");

        Task task = awaitCopy("billing", TaskState.SCHEDULED);
        assertThat(task.due())
                .isBetween(before.plusSeconds(120), leat.storage().now().plusSeconds(120));
        assertThat(task.failures()).isEqualTo(1);
        assertThat(task.message()).contains("POST " + server.url() + " answered " + status.substring(0, 3));
    }

    @Test
    void whoAsksForLessTimeThanTheQueueGivesGetsTheQueues() throws IOException {
        leat.queue(TOPIC)
                .configure(QueueOptions.builder()
                        .retry(RetryPolicy.standard().backoff(Backoff.fixed(Duration.ofMinutes(5))))
                        .build());
        ScriptedServer server = answering(answer("429 Too Many Requests", "", "Retry-After: 0"));
        subscribe("billing", server.url());
        worker().start();
        Instant before = leat.storage().now();

        leat.publish(TOPIC, "order 1");

        Task task = awaitCopy("billing", TaskState.SCHEDULED);
        assertThat(task.due()).isAfterOrEqualTo(before.plus(Duration.ofMinutes(5)));
    }

    @Test
    void whatIsHeldBackCostsNoAttempt() throws IOException {
        sending.pause(1, Backoff.fixed(Duration.ofHours(1)));
        ScriptedServer server = answering(answer("500 No", ""));
        subscribe("billing", server.url());
        worker().start();
        Instant before = leat.storage().now();

        leat.publish(TOPIC, "order 1");

        Task task = awaitCopy("billing", TaskState.SCHEDULED);
        assertThat(task.failures()).isEqualTo(1);
        assertThat(task.releases()).isEqualTo(1);
        assertThat(task.due()).isAfter(before.plus(Duration.ofMinutes(59)));
        assertThat(leat.attempts(task.id()))
                .extracting(Attempt::outcome)
                .containsExactly(Attempt.Outcome.FAILED, Attempt.Outcome.RELEASED);
        assertThat(server.connections()).isEqualTo(1);
    }

    @Test
    void oneDeadReceiverDoesNotHoldUpTheOthers() throws IOException {
        sending.concurrency(1);
        ScriptedServer dead = server(ScriptedServer.Connection::untilClientLeaves);
        ScriptedServer well = answering(OK);
        subscribe("a-dead", Webhook.to(dead.url()).timeout(Duration.ofMinutes(10)));
        subscribe("well", well.url());
        publishNow(20);

        worker().concurrency(2).start();

        await("the other to get all", () -> copies("well").stream().allMatch(task -> task.state() == TaskState.DONE));
        assertThat(copies("well")).hasSize(20);
        assertThat(copies("a-dead")).hasSize(20).allMatch(task -> task.failures() == 0);
        assertThat(dead.connections()).isEqualTo(1);
    }

    @Test
    void aRefusedAddressBuriesTheTask() {
        subscribe("billing", "http://169.254.169.254/latest");
        worker().start();

        leat.publish(TOPIC, "order 1");

        Task buried = awaitCopy("billing", TaskState.BURIED);
        assertThat(buried.message().orElseThrow()).startsWith("POST http://169.254.169.254/latest is not called: ");
        assertThat(buried.failures()).isZero();
    }

    // What is not there

    @Test
    void aSubscriptionWithoutUrlAndHandlerFailsAndIsTriedAgain() { // N32
        leat.subscriptions().put(Subscription.to(TOPIC, "billing"));
        worker().start();

        leat.publish(TOPIC, "order 1");

        Task buried = awaitCopy("billing", TaskState.BURIED);
        assertThat(buried.failures()).isEqualTo(3);
        assertThat(buried.message().orElseThrow()).contains("'billing' has neither a handler nor a URL");
    }

    @Test
    void whatWaitsForADroppedSubscriptionIsCanceled() throws IOException {
        ScriptedServer server = answering(OK);
        subscribe("billing", server.url());
        publishNow(1);
        leat.storage().subscriptions().drop("billing"); // as plain SQL does: without a look at what waits

        worker().start();

        Task canceled = awaitCopy("billing", TaskState.CANCELED);
        assertThat(canceled.message()).contains("the subscription is gone or disabled");
        assertThat(server.connections()).isZero();
    }

    @Test
    void aWebhookThatIsNoneBuriesItsTasksAndCanBeLookedAt() throws IOException {
        ScriptedServer well = answering(OK);
        Webhook none = new Webhook(
                "ftp://s3cret", "FETCH", Map.of("", "s3cret"), List.of("s3cret"), Optional.of(Duration.ofDays(1)));
        leat.storage().subscriptions().put(Subscription.to(TOPIC, "broken").webhook(none));
        subscribe("well", well.url());
        worker().start();

        leat.publish(TOPIC, "order 1");

        Task buried = awaitCopy("broken", TaskState.BURIED);
        assertThat(buried.message())
                .contains("This cannot be sent for subscription 'broken': url must begin with http:// or https://,"
                        + " and be ASCII without blanks");
        awaitCopy("well", TaskState.DONE);
        assertThat(leat.subscriptions().list(SubscriptionQuery.all()))
                .extracting(Subscription::id)
                .containsExactly("broken", "well");
        subscribe("broken", well.url());
        leat.deadLetters().redrive(TaskQuery.of(TOPIC));
        awaitCopy("broken", TaskState.DONE);
    }

    @Test
    void aContentTypeThatIsNoHeaderBuriesTheTask() throws IOException {
        ScriptedServer server = answering(OK);
        subscribe("billing", server.url());
        worker().start();

        leat.publish(TOPIC, "", task -> task.payload(Payload.of(new byte[1], "text/plain\r\nX-Evil: 1")));

        Task buried = awaitCopy("billing", TaskState.BURIED);
        assertThat(buried.message().orElseThrow()).contains("contentType must be ASCII without line breaks");
        assertThat(server.connections()).isZero();
    }

    @Test
    void aTaskThatIsNoCopyFailsAndSaysSo() {
        leat.worker()
                .handle(TOPIC, byte[].class, new WebhookHandler(sending.build()))
                .start();

        long id = leat.put(TOPIC, "plain");

        await("it to be buried", () -> leat.peek(id).orElseThrow().state() == TaskState.BURIED);
        assertThat(leat.peek(id).orElseThrow().message().orElseThrow())
                .contains(id + " is no copy of a publication, and has no URL to go to");
        assertThat(leat.take(TakeRequest.from(TOPIC))).isEmpty();
    }
}
