package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.server.Client.Answer;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waiting for the end of tasks over HTTP. Covers R10, R11, R13. */
class OutcomeRestTest {
    private final AtomicInteger questions = new AtomicInteger();
    private volatile Set<?> lastAsked = Set.of();
    private volatile Runnable afterNextQuestion = () -> {};
    private Leat leat;
    private LeatServer server;
    private Client client;

    @BeforeEach
    void start() {
        leat = Leat.builder("").storage(watched()).open();
        leat.queue("q").create(QueueOptions.rsqueue());
        server = LeatServer.start(leat, ServerOptions.builder().port(0).build());
        client = new Client(server.port());
    }

    /** A storage that tells for which tasks it was asked last. */
    private Storage watched() {
        Storage real = Storages.open("memory:", StorageSettings.standard());
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("statuses")) {
                        questions.incrementAndGet();
                        lastAsked = (Set<?>) arguments[0];
                    }
                    try {
                        Object answer = method.invoke(real, arguments);
                        if (method.getName().equals("statuses")) {
                            Runnable then = afterNextQuestion;
                            afterNextQuestion = () -> {};
                            then.run();
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    private CompletableFuture<Answer> waiting(String path) {
        return client.start("GET", path, "");
    }

    private void awaitWaiter(long id) {
        await().until(() -> lastAsked.contains(id));
    }

    private TakenTask take() {
        return leat.take("q").orElseThrow();
    }

    @Test
    void aCallWaitsForTheResult() { // R10
        long id = leat.putAddressed("q", "page 7", "x").id();
        CompletableFuture<Answer> byAddress = waiting("/v1/queues/q/outcome?address=page%207&wait=20s");
        awaitWaiter(id);
        CompletableFuture<Answer> byId = waiting("/v1/tasks/" + id + "/outcome?wait=20s");
        String lease = take().lease().token();

        client.post(
                        "/v1/settle",
                        "{\"settles\": [{\"lease\": \"" + lease
                                + "\", \"outcome\": \"ack\", \"result\": {\"payload\": {\"pages\": 3}}}]}")
                .is(200);

        JsonNode outcome = Client.join(byId).is(200).body();
        assertThat(outcome.get("ok").booleanValue()).isTrue();
        assertThat(outcome.at("/result/payload/pages").intValue()).isEqualTo(3);
        assertThat(Client.join(byAddress).is(200).body()).isEqualTo(outcome);
    }

    @Test
    void aCallWaitsForTheError() { // R13
        long id = leat.put("q", "x");
        CompletableFuture<Answer> waiting = waiting("/v1/tasks/" + id + "/outcome?wait=20s");
        awaitWaiter(id);

        leat.settle(new Settle.Fail(take().lease(), "no such host", 503));

        JsonNode outcome = Client.join(waiting).is(200).body();
        assertThat(outcome.get("ended").booleanValue()).isTrue();
        assertThat(outcome.get("ok").booleanValue()).isFalse();
        assertThat(outcome.get("state").textValue()).isEqualTo("failed");
        assertThat(outcome.get("message").textValue()).isEqualTo("no such host");
        assertThat(outcome.get("errorCode").intValue()).isEqualTo(503);
    }

    @Test
    void aCallIsAnsweredByTheNextPart() { // R11
        long id = leat.put("q", "x");
        TakenTask taken = take();
        CompletableFuture<Answer> waiting = waiting("/v1/tasks/" + id + "/outcome?wait=20s&seen=1");
        awaitWaiter(id);

        client.post("/v1/chunk", "{\"lease\": \"" + taken.lease().token() + "\", \"number\": 1}")
                .is(200);
        assertThat(waiting).isNotDone();
        client.post("/v1/chunk", "{\"lease\": \"" + taken.lease().token() + "\", \"number\": 2}")
                .is(200);

        assertThat(Client.join(waiting).is(200).body().get("chunk").intValue()).isEqualTo(2);
    }

    @Test
    void manyCallsForOneTaskAreFewQuestions() {
        long id = leat.put("q", "x");
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            waiting.add(waiting("/v1/tasks/" + id + "/outcome?wait=20s"));
        }
        awaitWaiter(id);
        TakenTask taken = take();

        leat.ack(taken);

        waiting.forEach(
                each -> assertThat(Client.join(each).is(200).body().get("ok").booleanValue())
                        .isTrue());
        assertThat(questions.get()).isLessThan(200);
    }

    @Test
    void whoHangsUpIsNotWaitedForAnyMore() throws IOException {
        long gone = leat.put("q", "x");
        long patient = leat.put("q", "y");
        CompletableFuture<Answer> waiting = waiting("/v1/tasks/" + patient + "/outcome?wait=20s");
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("GET /v1/tasks/" + gone + "/outcome?wait=20s HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            awaitWaiter(gone);
        }

        await().until(() -> Set.of(patient).equals(lastAsked));
        assertThat(waiting).isNotDone();
    }

    @Test
    void aStopAnswersWhoWaits() {
        long id = leat.put("q", "x");
        CompletableFuture<Answer> waiting = waiting("/v1/tasks/" + id + "/outcome?wait=20s");
        awaitWaiter(id);

        long began = System.nanoTime();
        server.close();

        assertThat(Client.join(waiting).is(200).body().get("ended").booleanValue())
                .isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
    }

    /** The queue of a task that is not there cannot be checked, so nobody waits for one that appears. */
    @Test
    void whoMayNotSeeAQueueDoesNotMeetATaskThatIsPutThereMeanwhile(@TempDir Path folder) {
        TokenFile tokens = new TokenFile(folder.resolve("tokens.json"));
        String token = tokens.create("producer", Set.of(Role.PRODUCE), List.of("mine"), Optional.empty());
        long next = leat.put("q", "x") + 1;
        afterNextQuestion = () -> assertThat(leat.put("q", "secret")).isEqualTo(next);
        try (LeatServer guarded = LeatServer.start(
                leat, ServerOptions.builder().port(0).tokens(tokens.path()).build())) {
            Client producer = new Client(guarded.port()).with("Authorization", "Bearer " + token);

            producer.get("/v1/tasks/" + next + "/outcome?wait=100ms").is(404);
            producer.get("/v1/tasks/" + next + "/outcome?wait=100ms").is(403);
        }
    }

    @Test
    void whatCannotBeWaitedForIsNamed() {
        assertThat(client.get("/v1/queues/q/outcome?address=nobodys&wait=20s")
                        .is(404)
                        .code())
                .isEqualTo("task-not-found");
        assertThat(client.get("/v1/tasks/4711/outcome?wait=20s").is(404).code()).isEqualTo("task-not-found");
        assertThat(client.get("/v1/queues/nowhere/outcome?address=a").is(404).code())
                .isEqualTo("queue-not-found");
        assertThat(client.get("/v1/queues/q/outcome")
                        .is(400)
                        .body()
                        .get("field")
                        .textValue())
                .isEqualTo("address");
        assertThat(client.get("/v1/queues/q/outcome?address=a&wait=long")
                        .is(400)
                        .body()
                        .get("field")
                        .textValue())
                .isEqualTo("wait");
        long id = leat.put("q", "x");
        assertThat(client.get("/v1/tasks/" + id + "/outcome?seen=-1")
                        .is(400)
                        .body()
                        .get("field")
                        .textValue())
                .isEqualTo("seen");
        assertThat(client.get("/v1/tasks/" + id + "/outcome?sene=1").is(400).code())
                .isEqualTo("invalid");
    }
}
