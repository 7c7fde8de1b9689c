package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import dev.leat.Leat;
import dev.leat.server.Client.Answer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds real requests and answers against the schemas of {@code /openapi.json}, which leave no room for other fields. */
class DescribedAnswersTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final Set<String> called = new TreeSet<>();
    private Leat leat;
    private LeatServer server;
    private Client client;
    private JsonNode document;

    @BeforeEach
    void start() {
        leat = Leat.open("sqlite:" + folder.resolve("jobs.db"));
        server = LeatServer.start(leat, ServerOptions.builder().port(0).build());
        client = new Client(server.port());
        document = client.get("/openapi.json").is(200).body();
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    @Test
    void everyCallIsAnsweredAsDescribed() throws JsonProcessingException {
        takesAndSettles();
        outcomes();
        groups();
        subscriptions();
        schedules();
        sessions();
        queues();
        operators();
        call("GET", "/health/live", "").is(200);
        call("GET", "/health/ready", "").is(200);
        call("GET", "/openapi.json", "").is(200);

        assertThat(called).isEqualTo(operationsThatAnswerJsonOrNothing());
    }

    private void takesAndSettles() throws JsonProcessingException {
        call("POST", "/v1/queues/{queue}/tasks", """
                        {"payload": {"a": 1}, "priority": 3, "delay": "0s", "ttl": "1h", "ttr": 90, "key": "k", "address": "a", "type": "t",
                         "tenant": "n", "businessGroup": "b", "origin": "o", "destination": "d", "externalKey": "e",
                         "idempotencyKey": "i", "tags": {"n": 1}, "trace": {"traceparent": "00-0"}}
                        """, "q").is(201);
        call("POST", "/v1/queues/{queue}/tasks", """
                        {"tasks": [{"payload": "aGVsbG8=", "encoding": "base64", "contentType": "image/png"},
                                   {"payload": "hello", "contentType": "text/plain", "due": "2020-01-01T00:00:00Z"},
                                   {"address": "a"},
                                   {"payload": 7, "externalKey": "order 7", "unlessEquivalent": true},
                                   {"payload": 7, "externalKey": "order 7", "unlessEquivalent": ["ready", "taken"]}]}
                        """, "q").is(201);

        JsonNode first = take("{\"count\": 1, \"wait\": \"1s\", \"ttr\": \"1m\", \"order\": \"oldest\"}");
        call("POST", "/v1/touch", touches(lease(first))).is(200);
        call("POST", "/v1/touch", touches(lease(take("{}")))).is(200);
        call("POST", "/v1/settle", settles(lease(first), "fail", ", \"message\": \"no\", \"code\": 7"))
                .is(200);
        call("POST", "/v1/settle", settles(lease(first), "ack", "")).is(200);
        call("POST", "/v1/touch", touches(lease(first))).is(200);
        call("POST", "/v1/settle", settles(lease(take("{}")), "release", ", \"delay\": 0"))
                .is(200);
        call("GET", "/v1/tasks/{id}", "", first.get("id").asText()).is(200);
    }

    private void outcomes() throws JsonProcessingException {
        String put = "{\"address\": \"page 7\"}";
        String id = call("POST", "/v1/queues/{queue}/tasks", put, "pages")
                .body()
                .get("ids")
                .get(0)
                .asText();
        call("GET", "/v1/tasks/{id}/outcome", "", id).is(200);
        call("GET", "/v1/queues/{queue}/outcome?address=page%207&wait=10ms", "", "pages")
                .is(200);
        String lease = lease(call("POST", "/v1/queues/{queue}/take", "{}", "pages")
                .body()
                .get("tasks")
                .get(0));
        call("POST", "/v1/chunk", "{\"lease\": \"" + lease + "\", \"number\": 2}")
                .is(200);
        call("GET", "/v1/tasks/{id}/outcome?seen=1&wait=1m", "", id).is(200);
        call("GET", "/v1/queues/{queue}/outcome?address=page%207&seen=1", "", "pages")
                .is(200);
        call("POST", "/v1/settle", settles(lease, "ack", ", \"result\": {\"payload\": {\"pages\": 3}}"))
                .is(200);
        call("GET", "/v1/tasks/{id}/outcome?wait=1m", "", id).is(200);
        call("GET", "/v1/tasks/{id}", "", id).is(200);
        call("POST", "/v1/chunk", "{\"lease\": \"" + lease + "\", \"number\": 3}")
                .is(200);
        call("GET", "/v1/queues/{queue}/outcome?address=page%207&wait=1m", "", "pages")
                .is(404);
        call("GET", "/v1/queues/{queue}/outcome", "", "pages").is(400);
        call("GET", "/v1/tasks/{id}/outcome?wait=1m", "", "4711").is(404);
    }

    private void groups() throws JsonProcessingException {
        String spec = """
                {"name": "g", "onFailure": "continue", "end": {"queue": "after", "payload": {"a": 1}, "priority": 3, "delay": "1s"},
                 "abort": {"queue": "after", "payload": "aGk=", "encoding": "base64", "ttl": "1h", "ttr": 5}}
                """;
        String group =
                call("POST", "/v1/groups", spec).is(201).body().get("group").asText();
        call("GET", "/v1/groups/{group}", "", group).is(200);
        call("GET", "/v1/groups?name=g", "").is(200);
        call("GET", "/v1/groups", "").is(400);
        call("POST", "/v1/groups/{group}/start", "", group).is(200);
        assertThat(call("GET", "/v1/groups/{group}", "", group).body().has("closingTask"))
                .isTrue();
        call("POST", "/v1/groups/{group}/start", "", "4711").is(404);

        String other = call("POST", "/v1/groups", "{\"name\": \"g\"}")
                .is(201)
                .body()
                .get("group")
                .asText();
        call("POST", "/v1/groups/{group}/cancel", "{\"message\": \"no\"}", other)
                .is(200);
        call("POST", "/v1/groups/{group}/start", "", other).is(409);
        workflows();
    }

    private void workflows() throws JsonProcessingException {
        JsonNode started = call("POST", "/v1/workflows", """
                {"name": "w", "onFailure": "continue", "end": {"queue": "after"}, "abort": {"queue": "after"},
                 "tasks": [{"name": "a", "queue": "w", "payload": 1, "priority": 2},
                           {"name": "b", "queue": "w", "delay": "1s", "after": ["a"]},
                           {"name": "c", "queue": "w", "after": ["a"], "afterEnd": ["b"]}]}
                """).is(201).body();
        String last = started.get("tasks").get("c").asText();
        JsonNode task = call("GET", "/v1/tasks/{id}", "", last).is(200).body();
        assertThat(task.get("after")).hasSize(1);
        assertThat(task.get("afterEnd")).hasSize(1);
        call(
                        "POST",
                        "/v1/queues/{queue}/tasks",
                        """
                {"group": %s, "after": [%s], "afterEnd": [%s]}
                """.formatted(
                                        started.get("group").get("group"),
                                        started.get("tasks").get("a"),
                                        last),
                        "w")
                .is(201);
    }

    private void subscriptions() throws JsonProcessingException {
        String all = """
                {"topic": "news", "queue": "papers", "tenant": "t", "businessGroup": "b", "active": false, "whyDisabled": "no",
                "webhook": {"url": "https://h.test/", "method": "PUT", "headers": {"A": "b"}, "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], "timeout": "5s"}}
                """;
        call("PUT", "/v1/subscriptions/{subscription}", all, "ada").is(200);
        String noSecret = "{\"topic\": \"news\", \"webhook\": {\"url\": \"https://h.test/\", \"secrets\": [\"abc\"]}}";
        call("PUT", "/v1/subscriptions/{subscription}", noSecret, "ada").is(400);
        call("POST", "/v1/subscriptions/{subscription}/enable", "", "ada").is(200);
        call("GET", "/v1/subscriptions/{subscription}", "", "ada").is(200);
        call("GET", "/v1/subscriptions/{subscription}", "", "nobody").is(404);
        call("GET", "/v1/subscriptions?topic=news&limit=1", "").is(200);
        call("GET", "/v1/subscriptions", "").is(200);
        call("POST", "/v1/subscriptions/{subscription}/disable", "{\"message\": \"no\"}", "ada")
                .is(200);
        call("DELETE", "/v1/subscriptions/{subscription}", "", "ada").is(204);
    }

    private void schedules() throws JsonProcessingException {
        String all = """
                {"cron": "30 2 * * MON-FRI", "zone": "Europe/Berlin", "missed": "catch_up", "catchUp": 3, "overlap": "skip",
                "task": {"queue": "reports", "payload": {"a": 1}, "priority": -1, "delay": "5s", "ttl": "1h", "ttr": 30, "key": "k",
                "type": "t", "tenant": "acme", "businessGroup": "b", "origin": "o", "destination": "d", "externalKey": "e",
                "tags": {"n": 1}, "trace": {"a": "b"}, "publication": true}}
                """;
        call("PUT", "/v1/schedules/{schedule}", all, "nightly").is(200);
        call("POST", "/v1/schedules/{schedule}/trigger", "", "nightly").is(200);
        call("POST", "/v1/schedules/{schedule}/trigger", "", "nightly").is(200);
        call("POST", "/v1/schedules/{schedule}/pause", "", "nightly").is(200);
        call("POST", "/v1/schedules/{schedule}/resume", "", "nightly").is(200);
        call("GET", "/v1/schedules/{schedule}", "", "nightly").is(200);
        call("GET", "/v1/schedules/{schedule}", "", "none").is(404);
        call("GET", "/v1/schedules/{schedule}/next?count=3", "", "nightly").is(200);
        String every =
                "{\"every\": \"90s\", \"start\": \"2026-01-01T00:00:00Z\", \"missed\": \"skip\", \"tolerance\": 5, \"task\": {\"queue\": \"reports\"}}";
        call("PUT", "/v1/schedules/{schedule}", every, "often").is(200);
        String never = "{\"cron\": \"0 0 30 2 *\", \"task\": {\"queue\": \"reports\"}}";
        call("PUT", "/v1/schedules/{schedule}", never, "never").is(400);
        call("GET", "/v1/schedules?tenant=acme&queue=reports&limit=1", "").is(200);
        call("GET", "/v1/schedules", "").is(200);
        call("DELETE", "/v1/schedules/{schedule}", "", "often").is(204);
    }

    private void sessions() throws JsonProcessingException {
        String session = call("POST", "/v1/sessions", "{\"name\": \"s\", \"deadAfter\": \"1m\"}")
                .is(201)
                .body()
                .get("session")
                .textValue();
        JsonNode task = take("{\"session\": \"" + session + "\"}");
        call(
                        "POST",
                        "/v1/tasks/{id}/cancel",
                        "{\"message\": \"stop\"}",
                        task.get("id").asText())
                .is(200);
        call("GET", "/v1/tasks/{id}", "", task.get("id").asText()).is(200);
        Answer heartbeat = call("POST", "/v1/sessions/{session}/heartbeat", "{\"waiting\": {\"q\": 1}}", session);
        assertThat(heartbeat.is(200).body().get("cancelRequested")).hasSize(1);
        call("DELETE", "/v1/sessions/{session}", "", session).is(204);
        call("POST", "/v1/sessions/{session}/heartbeat", "", session).is(410);
    }

    private void queues() throws JsonProcessingException {
        String all = """
                {"priority": 1, "ttl": "1h", "ttr": "10m", "ttrDefault": "ttl", "capacity": 5, "lifetime": "durable", "maxFailures": 3,
                 "maxLosses": "unlimited", "charge": "together", "backoff": {"kind": "linear", "step": 300, "most": "1d"}, "anchor": "due",
                 "exhausted": "fail", "keep": {"done": 1, "failed": 2, "expired": 3, "canceled": 4, "payload": true}, "placeBy": "due_time",
                 "orders": ["oldest", "newest"], "typeFilter": "on", "tenants": "in_turn", "tenantLimit": 3, "number": 7}
                """;
        call("PUT", "/v1/queues/{queue}", all, "full").is(201);
        call("PUT", "/v1/queues/{queue}", "{\"backoff\": {\"kind\": \"fixed\", \"delay\": 5}}", "full")
                .is(200);
        call("PUT", "/v1/queues/{queue}", "", "full").is(200);
        call("GET", "/v1/queues", "").is(200);
        call("GET", "/v1/queues/{queue}", "", "full").is(200);
        call("POST", "/v1/queues/{queue}/tasks", "{\"tenant\": \"acme\"}", "full")
                .is(201);
        call("GET", "/v1/queues/{queue}/tenants", "", "full").is(200);
        call("POST", "/v1/queues/{queue}/pause", "", "full").is(204);
        call("POST", "/v1/queues/{queue}/resume", "", "full").is(204);
        call("DELETE", "/v1/queues/{queue}", "", "full").is(204);
        call("DELETE", "/v1/queues/{queue}", "", "full").is(404);
    }

    private void operators() throws JsonProcessingException {
        String id = call("POST", "/v1/queues/{queue}/tasks", "{}", "q")
                .body()
                .get("ids")
                .get(0)
                .asText();
        call("POST", "/v1/tasks/{id}/bury", "{\"message\": \"look\"}", id).is(200);
        call("POST", "/v1/tasks/{id}/kick", "", id).is(200);
        call("POST", "/v1/queues/{queue}/kick", "{\"count\": 5}", "q").is(200);
        call("POST", "/v1/queues/{queue}/redrive", "{\"message\": \"no\", \"dryRun\": true}", "q")
                .is(200);
        call("POST", "/v1/queues/{queue}/release-all", "", "q").is(200);
        call("DELETE", "/v1/tasks/{id}", "", id).is(200);
        call("GET", "/v1/tasks", "").is(200);
        call("GET", "/v1/stats", "").is(200);
        call("POST", "/v1/queues/{queue}/truncate", "", "q").is(200);
        call("GET", "/v1/tasks/{id}", "", "4711").is(404);
        call("GET", "/v1/tasks/{id}", "", "x").is(400);
    }

    private JsonNode take(String json) throws JsonProcessingException {
        return call("POST", "/v1/queues/{queue}/take", json, "q")
                .is(200)
                .body()
                .get("tasks")
                .get(0);
    }

    private static String lease(JsonNode task) {
        return task.get("lease").textValue();
    }

    private static String touches(String lease) {
        return "{\"touches\": [{\"lease\": \"" + lease + "\", \"by\": \"1m\"}]}";
    }

    private static String settles(String lease, String outcome, String more) {
        return "{\"settles\": [{\"lease\": \"" + lease + "\", \"outcome\": \"" + outcome + "\"" + more + "}]}";
    }

    // Holding against the description

    /** @param pathAndQuery as it is described, with a value for each variable */
    private Answer call(String method, String pathAndQuery, String body, String... values)
            throws JsonProcessingException {
        String path = pathAndQuery.replaceFirst("\\?.*", "");
        called.add(method + " " + path);
        JsonNode operation = document.get("paths").get(path).get(method.toLowerCase(Locale.ROOT));
        if (!body.isEmpty()) {
            JsonNode described = resolved(operation.get("requestBody"));
            assertFits(JSON.readTree(body), described.at("/content/application~1json/schema"), method + " " + path);
        }
        String filled = pathAndQuery;
        for (String value : values) {
            filled = filled.replaceFirst("\\{\\w+}", value);
        }
        Answer answer = client.send(method, filled, body);
        assertIsDescribed(answer, operation.get("responses"), method + " " + path + " answers " + answer.status());
        return answer;
    }

    private void assertIsDescribed(Answer answer, JsonNode responses, String what) throws JsonProcessingException {
        String status = Integer.toString(answer.status());
        JsonNode described = resolved(responses.has(status) ? responses.get(status) : responses.get("default"));
        if (described.has("content")) {
            assertThat(described.get("content").has(answer.type()))
                    .as("%s with %s", what, answer.type())
                    .isTrue();
            assertFits(
                    answer.body(), described.get("content").get(answer.type()).get("schema"), what);
        } else {
            assertThat(answer.body().isMissingNode()).as(what).isTrue();
        }
    }

    private void assertFits(JsonNode value, JsonNode schema, String what) throws JsonProcessingException {
        ObjectNode root = JSON.createObjectNode();
        root.putArray("allOf").add(schema);
        root.set("$defs", document.at("/components/schemas"));
        JsonNode selfContained = JSON.readTree(root.toString().replace("#/components/schemas/", "#/$defs/"));
        SchemaValidatorsConfig config =
                SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build();
        assertThat(JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                        .getSchema(selfContained, config)
                        .validate(value))
                .as("%s: %s", what, value)
                .isEmpty();
    }

    private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").textValue().substring(1)) : node;
    }

    private Set<String> operationsThatAnswerJsonOrNothing() {
        Set<String> operations = new TreeSet<>();
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    if (operation.getValue().has("responses")
                            && answersJsonOrNothing(operation.getValue().get("responses"))) {
                        operations.add(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
                    }
                }));
        return operations;
    }

    private boolean answersJsonOrNothing(JsonNode responses) {
        JsonNode good = resolved(responses.elements().next());
        return !good.has("content") || good.get("content").has("application/json");
    }
}
