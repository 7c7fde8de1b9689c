package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.queue.QueueOptions;
import dev.leat.server.Client.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** REST v1, over real sockets, on a file. */
class RestTest {
    private static ServerOptions.Builder options() {
        return ServerOptions.builder().port(0).largestBody(100_000);
    }

    /** A call of a method, as in advice for Java programs. */
    private static final String JAVA = "[a-z]\\([^)]*\\)|leat\\.|Exception";

    @TempDir
    Path folder;

    private Leat leat;
    private LeatServer server;
    private Client client;

    @BeforeEach
    void start() {
        leat = Leat.builder("sqlite:" + folder.resolve("jobs.db"))
                .heartbeat(Duration.ofMillis(100), Duration.ofSeconds(10))
                .open();
        server = LeatServer.start(leat, options().build());
        client = new Client(server.port());
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    private long put(String json) {
        return client.post("/v1/queues/q/tasks", json)
                .is(201)
                .body()
                .get("ids")
                .get(0)
                .longValue();
    }

    private JsonNode take(String json) {
        return client.post("/v1/queues/q/take", json).is(200).body().get("tasks");
    }

    private String takeLease() {
        return take("{}").get(0).get("lease").textValue();
    }

    private Answer settle(String lease, String rest) {
        return client.post("/v1/settle", "{\"settles\": [{\"lease\": \"" + lease + "\", " + rest + "}]}")
                .is(200);
    }

    // Tasks

    @Test
    void aTaskIsPutTakenAndAcknowledged() {
        long id = put("{\"payload\": {\"to\": \"ada\"}, \"priority\": 3, \"key\": \"k\", \"tags\": {\"n\": 1}}");

        JsonNode task = take("{\"count\": 5}").get(0);
        assertThat(task.get("id").longValue()).isEqualTo(id);
        assertThat(task.get("payload").get("to").textValue()).isEqualTo("ada");
        assertThat(task.get("leaseUntil").textValue()).isNotEmpty();

        JsonNode result = settle(task.get("lease").textValue(), "\"outcome\": \"ack\"")
                .body()
                .get("results")
                .get(0);
        assertThat(result.get("result").textValue()).isEqualTo("done");
        assertThat(result.get("state").textValue()).isEqualTo("done");
        assertThat(client.get("/v1/tasks/" + id).is(200).body().get("state").textValue())
                .isEqualTo("done");
        assertThat(settle(task.get("lease").textValue(), "\"outcome\": \"ack\"")
                        .body()
                        .findValuesAsText("result"))
                .containsExactly("already");
        assertThat(settle(task.get("lease").textValue(), "\"outcome\": \"fail\"")
                        .body()
                        .findValuesAsText("result"))
                .containsExactly("gone");
    }

    @Test
    void manyTasksArePutTogetherOrNotAtAll() {
        Answer put = client.post(
                "/v1/queues/q/tasks", "{\"tasks\": [{\"payload\": 1}, {\"payload\": 2, \"delay\": \"1h\"}]}");
        assertThat(put.is(201).body().get("ids")).hasSize(2);

        Answer refused =
                client.post("/v1/queues/q/tasks", "{\"tasks\": [{\"payload\": 1}, {\"payload\": 2, \"prio\": 1}]}");
        assertThat(refused.is(400).body().get("field").textValue()).isEqualTo("tasks[1].prio");
        assertThat(leat.queue("q").stats().live()).isEqualTo(2);
    }

    @Test
    void anEquivalentTaskIsReported() {
        String order = "{\"payload\": 1, \"externalKey\": \"order 7\", \"unlessEquivalent\": true}";
        long id = put(order);

        JsonNode body = client.post("/v1/queues/q/tasks", order).is(201).body();

        assertThat(body.get("ids").get(0).longValue()).isEqualTo(id);
        assertThat(body.get("existing").get(0).longValue()).isEqualTo(id);
        assertThat(leat.queue("q").stats().live()).isOne();
    }

    @Test
    void anAddressThatIsTakenIsReported() {
        long id = put("{\"address\": \"one\"}");

        JsonNode body = client.post("/v1/queues/q/tasks", "{\"address\": \"one\"}")
                .is(201)
                .body();

        assertThat(body.get("existing").get(0).longValue()).isEqualTo(id);
    }

    // Puts that are sent again

    @Test
    void aPutThatIsSentAgainWithItsKeyIsAnsweredAsTheFirst() {
        Client keyed = client.with("Idempotency-Key", "order-17");
        JsonNode first = keyed.post("/v1/queues/q/tasks", "{\"payload\": 1, \"key\": \"k\"}")
                .is(201)
                .body();

        JsonNode again = keyed.post("/v1/queues/q/tasks", "{ \"key\": \"k\", \"payload\": 1}")
                .is(201)
                .body();
        JsonNode byField = client.post(
                        "/v1/queues/q/tasks", "{\"payload\": 1, \"key\": \"k\", \"idempotencyKey\": \"order-17\"}")
                .is(201)
                .body();

        assertThat(first.has("existing")).isFalse();
        assertThat(again.get("ids")).isEqualTo(first.get("ids"));
        assertThat(again.get("existing")).isEqualTo(first.get("ids"));
        assertThat(byField).isEqualTo(again);
        assertThat(leat.queue("q").stats().live()).isOne();
    }

    @Test
    void aKeyThatIsUsedForAnotherBodyIsRefused() {
        Client keyed = client.with("Idempotency-Key", "\"order-17\"");
        keyed.post("/v1/queues/q/tasks", "{\"payload\": 1}").is(201);

        for (String other : List.of("{\"payload\": 2}", "{\"tasks\": [{\"payload\": 1}, {\"payload\": 2}]}")) {
            Answer refused = keyed.post("/v1/queues/q/tasks", other).is(409);

            assertThat(refused.code()).isEqualTo("idempotency-key-reused");
            assertThat(refused.type()).isEqualTo("application/problem+json");
            assertThat(refused.body().get("detail").textValue()).contains("order-17");
        }
        Answer byField = client.post("/v1/queues/q/tasks", "{\"payload\": 2, \"idempotencyKey\": \"order-17\"}");
        assertThat(byField.is(409).code()).isEqualTo("idempotency-key-reused");
        assertThat(leat.queue("q").stats().live()).isOne();
    }

    @Test
    void severalTasksShareTheKeyOfTheirPut() {
        Client keyed = client.with("Idempotency-Key", "k");
        String three = "{\"tasks\": [{\"payload\": 1}, {\"payload\": 1}, {\"payload\": 3}]}";
        JsonNode first = keyed.post("/v1/queues/q/tasks", three).is(201).body();

        assertThat(first.get("ids")).hasSize(3);
        assertThat(keyed.post("/v1/queues/q/tasks", three).is(201).body().get("existing"))
                .isEqualTo(first.get("ids"));
        keyed.post("/v1/queues/q/tasks", "{\"tasks\": [{\"payload\": 1}, {\"payload\": 1}]}")
                .is(409);
        assertThat(leat.queue("q").stats().live()).isEqualTo(3);
    }

    @Test
    void aHeaderAndAFieldThatDifferAreRefused() {
        Client keyed = client.with("Idempotency-Key", "a");

        Answer one = keyed.post("/v1/queues/q/tasks", "{\"idempotencyKey\": \"b\"}");
        Answer several = keyed.post("/v1/queues/q/tasks", "{\"tasks\": [{}, {\"idempotencyKey\": \"b\"}]}");

        assertThat(one.is(400).body().get("field").textValue()).isEqualTo("idempotencyKey");
        assertThat(several.is(400).body().get("field").textValue()).isEqualTo("tasks[1].idempotencyKey");
        client.with("Idempotency-Key", " ").post("/v1/queues/q/tasks", "{}").is(400);
        assertThat(leat.queues()).isEmpty();
    }

    @Test
    void theKeysOfSeveralTasksEqualNoKeyOfACaller() {
        client.with("Idempotency-Key", "order-17")
                .post("/v1/queues/q/tasks", "{\"tasks\": [{\"payload\": 1}, {\"payload\": 2}]}")
                .is(201);

        Answer other = client.with("Idempotency-Key", "order-17#1").post("/v1/queues/q/tasks", "{\"payload\": 3}");

        assertThat(other.is(201).body().has("existing")).isFalse();
    }

    @Test
    void aKeyOfTheGreatestLengthServesForSeveralTasks() {
        client.with("Idempotency-Key", "k".repeat(500))
                .post("/v1/queues/q/tasks", "{\"tasks\": [{}, {}]}")
                .is(201);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "outcome": "fail", "message": "so it is", "code": 7 | scheduled
            "outcome": "retry", "delay": "1h"                   | scheduled
            "outcome": "release"                                | ready
            "outcome": "bury", "message": "so it is"            | buried
            """)
    void everyOutcomeIsSettled(String outcome, String state) {
        long id = put("{}");

        JsonNode results = settle(takeLease(), outcome).body();

        assertThat(results.findValuesAsText("state")).containsExactly(state);
        assertThat(client.get("/v1/tasks/" + id).body().get("state").textValue())
                .isEqualTo(state);
    }

    @Test
    void aTouchExtendsALease() {
        put("{\"ttr\": \"1m\"}");
        String lease = takeLease();

        JsonNode body = client.post("/v1/touch", "{\"touches\": [{\"lease\": \"" + lease + "\", \"by\": \"1h\"}]}")
                .is(200)
                .body();

        assertThat(body.findValuesAsText("result")).containsExactly("extended");
        assertThat(body.findValue("leaseUntil").textValue()).isNotEmpty();
    }

    @Test
    void aTakeWaitsForATask() {
        client.send("PUT", "/v1/queues/q", "{}").is(201);
        CompletableFuture<Answer> waiting = client.start("POST", "/v1/queues/q/take", "{\"wait\": 20}");
        await().until(() -> consumers() == 1);

        long id = put("{\"payload\": 1}");

        assertThat(Client.join(waiting)
                        .is(200)
                        .body()
                        .get("tasks")
                        .get(0)
                        .get("id")
                        .longValue())
                .isEqualTo(id);
    }

    @Test
    void aTakeWaitsForAQueueThatDoesNotExistYetAndTheLogSaysSoOnce() {
        try (StandardError err = new StandardError()) {
            String warning = "A take waits for queue 'q', which does not exist";
            CompletableFuture<Answer> waiting = client.start("POST", "/v1/queues/q/take", "{\"wait\": 20}");
            await().until(() -> err.text().contains(warning));
            assertThat(take("{\"wait\": \"1ms\"}")).isEmpty();
            assertThat(leat.queues()).isEmpty();

            long id = put("{\"payload\": 1}");

            assertThat(Client.join(waiting).is(200).body().at("/tasks/0/id").longValue())
                    .isEqualTo(id);
            assertThat(err.text()).containsOnlyOnce(warning);
        }
    }

    @Test
    void aTakeThatWaitsInVainIsAnsweredWithNothing() {
        client.send("PUT", "/v1/queues/q", "{}").is(201);

        assertThat(take("{\"wait\": \"50ms\"}")).isEmpty();
    }

    @Test
    void aFailedAttemptShowsTheExceptionOfTheHandlerAndNoneWhereThereIsOnlyAMessage() {
        long id = leat.put("q", "x");
        leat.retry(leat.take("q").orElseThrow(), When.in(Duration.ZERO), "not yet");
        leat.fail(leat.take("q").orElseThrow(), new IllegalStateException("boom"));

        JsonNode attempts = client.get("/v1/tasks/" + id).is(200).body().get("unsuccessful");

        assertThat(attempts.get(0).has("exception")).isFalse();
        assertThat(attempts.get(0).has("stackTrace")).isFalse();
        assertThat(attempts.get(1).get("exception").textValue()).isEqualTo("java.lang.IllegalStateException");
        assertThat(attempts.get(1).get("stackTrace").textValue())
                .startsWith("java.lang.IllegalStateException: boom\n\tat " + RestTest.class.getName());
    }

    @Test
    void whoHangsUpGetsNoTask() throws IOException {
        client.send("PUT", "/v1/queues/q", "{}").is(201);
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            OutputStream out = socket.getOutputStream();
            String body = "{\"wait\": 20}";
            out.write(
                    ("POST /v1/queues/q/take HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                                    + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            await().until(() -> consumers() == 1);
        }
        await().until(() -> consumers() == 0);

        long id = put("{}");

        assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.READY);
        assertThat(take("{}")).hasSize(1);
    }

    /** How many takes wait, as the last heartbeat has told. */
    private int consumers() {
        return leat.queue("q").stats().consumers();
    }

    @Test
    void aSessionHoldsItsTasksUntilItIsClosed() {
        long id = put("{}");
        JsonNode opened = client.post("/v1/sessions", "{\"name\": \"shell\", \"deadAfter\": \"1m\"}")
                .is(201)
                .body();
        String session = opened.get("session").textValue();

        JsonNode task = take("{\"session\": \"" + session + "\"}").get(0);
        assertThat(task.has("leaseUntil")).isFalse();
        client.post("/v1/tasks/" + id + "/cancel", "{\"message\": \"stop\"}").is(200);
        JsonNode heartbeat = client.post("/v1/sessions/" + session + "/heartbeat", "{\"waiting\": {\"q\": 1}}")
                .is(200)
                .body();
        assertThat(heartbeat.get("cancelRequested").get(0)).isEqualTo(task.get("lease"));

        client.send("DELETE", "/v1/sessions/" + session, "").is(204);
        assertThat(client.post("/v1/sessions/" + session + "/heartbeat", "")
                        .is(410)
                        .code())
                .isEqualTo("session-ended");
    }

    // Operators

    @Test
    void tasksAreListedPageByPage() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(put("{\"tenant\": \"t\"}"));
        }
        client.send("DELETE", "/v1/tasks/" + ids.get(0), "").is(200);
        client.post("/v1/tasks/" + ids.get(1) + "/bury", "{\"message\": \"look\"}")
                .is(200);

        JsonNode first =
                client.get("/v1/tasks?queue=q&tenant=t&limit=2").is(200).body();
        JsonNode second = client.get(
                        "/v1/tasks?queue=q&limit=3&after=" + first.get("next").longValue())
                .is(200)
                .body();

        assertThat(first.get("tasks").findValuesAsText("id")).containsExactly(ids.get(1) + "", ids.get(2) + "");
        assertThat(second.get("tasks").findValuesAsText("id")).containsExactly(ids.get(3) + "", ids.get(4) + "");
        assertThat(second.has("next")).isFalse();
        assertThat(client.get("/v1/tasks?state=buried,canceled").body().get("tasks"))
                .hasSize(2);
        assertThat(client.post("/v1/tasks/" + ids.get(1) + "/kick", "")
                        .is(200)
                        .body()
                        .get("state")
                        .textValue())
                .isEqualTo("ready");
    }

    @Test
    void tasksOfSeveralTypesAreListed() { // R14
        long mail = put("{\"type\": \"mail\"}");
        long fax = put("{\"type\": \"fax\"}");
        put("{\"type\": \"letter\"}");

        JsonNode some =
                client.get("/v1/tasks?queue=q&type=mail&type=fax").is(200).body();

        assertThat(some.get("tasks").findValuesAsText("id")).containsExactly(mail + "", fax + "");
    }

    @Test
    void aQueueIsConfiguredPausedAndDropped() {
        JsonNode made = client.send("PUT", "/v1/queues/q", "{\"ttr\": \"90s\", \"maxFailures\": 3}")
                .is(201)
                .body();
        assertThat(made.get("options").get("ttr").doubleValue()).isEqualTo(90);
        assertThat(made.get("setBy").textValue()).isEqualTo("operator");
        client.send("PUT", "/v1/queues/q", "{\"ttr\": 5}").is(200);

        put("{}");
        client.post("/v1/queues/q/pause", "").is(204);
        assertThat(take("{}")).isEmpty();
        client.post("/v1/queues/q/resume", "").is(204);
        takeLease();
        assertThat(client.send("DELETE", "/v1/queues/q", "").is(409).code()).isEqualTo("queue-in-use");
        assertThat(client.post("/v1/queues/q/release-all", "")
                        .body()
                        .get("released")
                        .intValue())
                .isEqualTo(1);
        settle(takeLease(), "\"outcome\": \"bury\"");
        assertThat(client.post("/v1/queues/q/kick", "{\"count\": 5}")
                        .body()
                        .get("kicked")
                        .intValue())
                .isEqualTo(1);
        assertThat(client.get("/v1/queues/q").body().get("stats").get("ready").intValue())
                .isEqualTo(1);
        assertThat(client.get("/v1/stats")
                        .body()
                        .get("queues")
                        .get(0)
                        .get("ready")
                        .intValue())
                .isEqualTo(1);
        assertThat(client.post("/v1/queues/q/truncate", "")
                        .body()
                        .get("deleted")
                        .intValue())
                .isEqualTo(1);
        client.send("DELETE", "/v1/queues/q", "").is(204);
        assertThat(client.get("/v1/queues").body().get("queues")).isEmpty();
    }

    // Refusals

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POST   | /v1/queues/q/tasks      | {"payload": 1, "colour": 2}           | 400 | invalid         | colour
            POST   | /v1/queues/q/tasks      | {"payload": 1, "ttl": "long"}         | 400 | invalid         | ttl
            POST   | /v1/queues/q/tasks      | [1]                                   | 400 | invalid         | task
            POST   | /v1/queues/q/tasks      | {"payload"                            | 400 | invalid         | body
            POST   | /v1/queues/q/tasks      | ``                                    | 400 | invalid         | body
            POST   | /v1/queues/a%20b/tasks  | {}                                    | 400 | invalid         | queue
            POST   | /v1/queues/q/take       | {"cuont": 1}                          | 400 | invalid         | cuont
            POST   | /v1/queues/q/take       | {"count": 0}                          | 400 | invalid         | count
            POST   | /v1/queues/q/take       | {"order": "best"}                     | 400 | invalid         | order
            POST   | /v1/queues/q/take       | {"count": 2000000000}                 | 400 | invalid         | count
            POST   | /v1/queues/q/take       | {"wait": "-PT5S"}                     | 400 | invalid         | wait
            POST   | /v1/queues/q/take       | {"session": "#"}                      | 400 | invalid         | session
            POST   | /v1/queues/none/take    | {}                                    | 404 | queue-not-found |
            POST   | /v1/queues/none/pause   | ``                                    | 404 | queue-not-found |
            POST   | /v1/settle              | {"settles": [{"lease": "x"}]}         | 400 | invalid         | settles[0].lease
            POST   | /v1/settle              | {"settles": [{"outcome": "ack"}]}     | 400 | invalid         | settles[0].lease
            POST   | /v1/settle              | {"settles": 1}                        | 400 | invalid         | settles
            POST   | /v1/touch               | {"touches": [{"lease": "x"}]}         | 400 | invalid         | touches[0].lease
            GET    | /v1/tasks/4711          | ``                                    | 404 | task-not-found  |
            GET    | /v1/tasks/x             | ``                                    | 400 | invalid         | id
            GET    | /v1/tasks?colour=red    | ``                                    | 400 | invalid         | colour
            GET    | /v1/tasks?state=good    | ``                                    | 400 | invalid         | state
            GET    | /v1/tasks?limit=x       | ``                                    | 400 | invalid         | limit
            GET    | /v1/tasks?limit=9999999999 | ``                                 | 400 | invalid         | limit
            GET    | /v1/tasks?queue=a&queue=b | ``                                  | 400 | invalid         | queue
            DELETE | /v1/tasks/4711          | ``                                    | 404 | task-not-found  |
            GET    | /v2/tasks               | ``                                    | 404 | not-found       |
            PATCH  | /v1/queues/q            | ``                                    | 405 | method-not-allowed |
            PUT    | /v1/queues/q            | {"capacity": -1}                      | 400 | invalid         | capacity
            POST   | /v1/sessions            | {}                                    | 400 | invalid         | name
            POST   | /v1/sessions/eA/heartbeat | {"waiting": {"a b": 1}}             | 400 | invalid         | queue
            POST   | /v1/sessions/eA/heartbeat | {"waiting": {"q": -1}}              | 400 | invalid         | waiting
            """)
    void whatIsWrongIsNamed(String method, String path, String body, int status, String code, String field) {
        put("{}");

        Answer answer = client.send(method, path, body == null ? "" : body);

        assertThat(answer.is(status).code()).isEqualTo(code);
        assertThat(answer.type()).isEqualTo("application/problem+json");
        assertThat(answer.body().get("status").intValue()).isEqualTo(status);
        assertThat(answer.body().get("detail").textValue()).isNotEmpty().doesNotContainPattern(JAVA);
        assertThat(answer.body().path("field").asText(null)).isEqualTo(field);
        assertThat(leat.queue("q").stats().live()).isEqualTo(1);
    }

    @Test
    void aRefusalSaysWhatToCallNext() {
        client.send("PUT", "/v1/queues/small", "{\"capacity\": 1}").is(201);
        client.post("/v1/queues/small/tasks", "{}").is(201);
        String session = client.post("/v1/sessions", "{\"name\": \"s\"}")
                .is(201)
                .body()
                .get("session")
                .textValue();
        client.send("DELETE", "/v1/sessions/" + session, "").is(204);

        assertThat(detail(client.post("/v1/queues/none/take", "{}")))
                .isEqualTo("No queue named 'none'. POST /v1/queues/{queue}/tasks makes it with the first task,"
                        + " PUT /v1/queues/{queue} without.");
        assertThat(detail(client.post("/v1/queues/small/tasks", "{}")))
                .isEqualTo(
                        "Queue 'small' is full (capacity 1). Send it again later, or raise its capacity."
                                + " PUT /v1/queues/{queue} replaces all options: send those of GET with a larger \"capacity\".");
        assertThat(detail(client.post("/v1/queues/small/take", "{\"types\": [\"a\"]}")))
                .isEqualTo("types are not filtered by queue 'small'. PUT /v1/queues/{queue} replaces all"
                        + " options: send those of GET with \"typeFilter\": \"on\".");
        assertThat(detail(client.post("/v1/queues/small/take", "{\"order\": \"newest\"}")))
                .isEqualTo("order 'newest' is not declared by queue 'small'. PUT /v1/queues/{queue} replaces"
                        + " all options: send those of GET with the order added to \"orders\".");
        assertThat(detail(client.post("/v1/queues/small/take", "{\"session\": \"" + session + "\"}")))
                .endsWith(" has ended. POST /v1/sessions opens a new one.");
    }

    private static String detail(Answer refused) {
        return refused.body().get("detail").textValue();
    }

    @Test
    void theOptionsOfAGetCanBeSentWithOneOfThemChanged() {
        client.send("PUT", "/v1/queues/small", "{\"capacity\": 1, \"ttl\": \"1h\"}")
                .is(201);
        ObjectNode options =
                (ObjectNode) client.get("/v1/queues/small").is(200).body().get("options");

        client.send("PUT", "/v1/queues/small", options.put("capacity", 2).toString())
                .is(200);

        QueueOptions changed = leat.queue("small").info().orElseThrow().options();
        assertThat(changed.capacity()).isEqualTo(2);
        assertThat(changed.ttl()).contains(Duration.ofHours(1));
    }

    @Test
    void aRequestThatIsTooLargeIsRefused() {
        Answer answer = client.post("/v1/queues/q/tasks", "{\"payload\": \"" + "x".repeat(100_000) + "\"}");

        assertThat(answer.is(413).code()).isEqualTo("too-large");
        assertThat(leat.queue("q").info()).isEmpty();
    }

    /** What a page of another site can send without the browser asking first. */
    @Test
    void pagesOfOtherSitesAreKeptOut() {
        put("{}");
        HttpRequest text = HttpRequest.newBuilder(client.uri("/v1/queues/q/tasks"))
                .POST(HttpRequest.BodyPublishers.ofString("{\"payload\": 1}"))
                .header("Content-Type", "text/plain")
                .build();
        HttpRequest empty = HttpRequest.newBuilder(client.uri("/v1/queues/q/truncate"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .header("Origin", "https://evil.example")
                .build();

        assertThat(client.send(text).is(415).code()).isEqualTo("not-json");
        assertThat(client.send(empty).is(403).code()).isEqualTo("cross-site");
        assertThat(leat.queue("q").stats().live()).isEqualTo(1);
    }

    /** In clear text; with a certificate HTTP/2 is spoken. */
    @Test
    void whoOffersHttp2IsAnsweredInHttp1() {
        HttpRequest upgradable = HttpRequest.newBuilder(client.uri("/v1/queues"))
                .version(java.net.http.HttpClient.Version.HTTP_2)
                .build();

        client.send(upgradable).is(200);
    }

    @Test
    void whatWasPutDeepCanBeTaken() {
        put("{\"payload\": " + "[".repeat(490) + "]".repeat(490) + "}");

        assertThat(take("{\"wait\": 1}")).hasSize(1);
    }

    @Test
    void whenTooManyCallsWaitTheRestIsRefused() throws Exception {
        try (LeatServer small = LeatServer.start(
                leat, options().storageThreads(1).waitingCalls(0).build())) {
            Client impatient = new Client(small.port());
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                answers.add(impatient.start("POST", "/v1/queues/q/tasks", "{}"));
            }
            List<Answer> all = answers.stream().map(Client::join).toList();

            assertThat(all).extracting(Answer::status).containsOnly(201, 503).contains(503);
            assertThat(leat.queue("q").stats().live())
                    .isEqualTo(all.stream()
                            .filter(answer -> answer.status() == 201)
                            .count());
        }
    }

    @Test
    void aNameThatOnlyLeadsToThisMachineIsRefused() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.getOutputStream()
                    .write("GET /v1/queues HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 421 ")
                    .contains("wrong-host");
        }
    }

    @Test
    void anotherAddressIsRefusedUnlessItIsMeant() {
        assertThatThrownBy(
                        () -> LeatServer.start(leat, options().host("0.0.0.0").build()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("host must be a loopback address, was '0.0.0.0'");

        LeatServer.start(
                        leat,
                        options()
                                .host("0.0.0.0")
                                .exposure(ServerOptions.Exposure.INSECURE)
                                .build())
                .close();
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        assertThatThrownBy(() ->
                        LeatServer.start(leat, options().port(server.port()).build()))
                .isInstanceOf(LeatException.class)
                .hasMessageContaining("Cannot listen on 127.0.0.1:" + server.port());
    }

    // Life

    @Test
    void itIsReadyWhileTheStorageIs() {
        assertThat(client.get("/health/live").is(200).body().get("status").textValue())
                .isEqualTo("live");
        assertThat(client.get("/health/ready").is(200).body().get("storage").textValue())
                .isEqualTo("sqlite");

        leat.close();

        client.get("/health/live").is(200);
        assertThat(client.get("/health/ready").is(503).code()).isEqualTo("storage-unavailable");
    }

    @Test
    void aStopAnswersWhoWaits() {
        client.send("PUT", "/v1/queues/q", "{}").is(201);
        CompletableFuture<Answer> waiting = client.start("POST", "/v1/queues/q/take", "{\"wait\": 20}");
        await().until(() -> consumers() == 1);

        long began = System.nanoTime();
        server.close();

        assertThat(Client.join(waiting).is(200).body().get("tasks")).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
    }
}
