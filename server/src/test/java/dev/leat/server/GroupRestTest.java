package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.Leat;
import dev.leat.server.Client.Answer;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Groups over REST, over real sockets, on a file. */
class GroupRestTest {
    private static final String SPEC = """
            {"name": "import", "onFailure": "cancel_group",
             "end": {"queue": "after", "payload": "all is done", "priority": 3},
             "abort": {"queue": "after", "payload": "it was aborted"}}
            """;

    @TempDir
    Path folder;

    private Leat leat;
    private LeatServer server;
    private Client client;

    @BeforeEach
    void start() {
        leat = Leat.open("sqlite:" + folder.resolve("jobs.db"));
        server = LeatServer.start(leat, ServerOptions.builder().port(0).build());
        client = new Client(server.port());
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    private long create(String json) {
        return client.post("/v1/groups", json).is(201).body().get("group").longValue();
    }

    private void put(long group, int payload) {
        client.post("/v1/queues/q/tasks", "{\"payload\": " + payload + ", \"group\": " + group + "}")
                .is(201);
    }

    private JsonNode take(String queue) {
        return client.post("/v1/queues/" + queue + "/take", "{\"count\": 100}")
                .is(200)
                .body()
                .get("tasks");
    }

    private void settle(JsonNode task, String outcome) {
        client.post(
                        "/v1/settle",
                        "{\"settles\": [{\"lease\": " + task.get("lease") + ", \"outcome\": \"" + outcome + "\"}]}")
                .is(200);
    }

    private Answer get(long group) {
        return client.get("/v1/groups/" + group);
    }

    private String state(long group) {
        return get(group).is(200).body().get("state").textValue();
    }

    @Test
    void theEndTaskComesOnceWhenAllTasksAreDone() {
        long group = create(SPEC);
        put(group, 1);
        put(group, 2);
        put(group, 3);
        assertThat(take("q")).isEmpty();

        JsonNode started =
                client.post("/v1/groups/" + group + "/start", "").is(200).body();
        assertThat(started.get("state").textValue()).isEqualTo("started");
        assertThat(started.get("total").intValue()).isEqualTo(3);
        JsonNode tasks = take("q");
        assertThat(tasks).hasSize(3);
        settle(tasks.get(0), "ack");
        settle(tasks.get(1), "ack");
        assertThat(take("after")).isEmpty();
        settle(tasks.get(2), "ack");
        settle(tasks.get(2), "ack");

        JsonNode after = take("after");
        assertThat(after).hasSize(1);
        assertThat(after.get(0).get("payload").textValue()).isEqualTo("all is done");
        assertThat(after.get(0).get("priority").intValue()).isEqualTo(3);
        JsonNode ended = get(group).is(200).body();
        assertThat(ended.get("state").textValue()).isEqualTo("completed");
        assertThat(ended.get("done").intValue()).isEqualTo(3);
        assertThat(ended.get("closingTask")).isEqualTo(after.get(0).get("id"));
        settle(after.get(0), "ack");
        assertThat(client.get("/v1/tasks?queue=after&state=ready,done").body().get("tasks"))
                .hasSize(1);
    }

    @Test
    void aCancelPutsTheAbortTask() {
        long group = create(SPEC);
        put(group, 1);
        put(group, 2);

        JsonNode canceled = client.post("/v1/groups/" + group + "/cancel", "{\"message\": \"changed our minds\"}")
                .is(200)
                .body();

        assertThat(canceled.get("state").textValue()).isEqualTo("canceled");
        assertThat(canceled.get("canceled").intValue()).isEqualTo(2);
        assertThat(take("q")).isEmpty();
        JsonNode after = take("after");
        assertThat(after).hasSize(1);
        assertThat(after.get(0).get("payload").textValue()).isEqualTo("it was aborted");
        JsonNode dropped =
                client.get("/v1/tasks?queue=q&state=canceled").is(200).body().get("tasks");
        assertThat(StreamSupport.stream(dropped.spliterator(), false)
                        .map(task -> task.path("message").asText()))
                .containsOnly("group canceled: changed our minds")
                .hasSize(2);
    }

    @Test
    void aBuriedTaskCancelsAGroupThatWantsIt() {
        long group = create(SPEC);
        put(group, 1);
        put(group, 2);
        client.post("/v1/groups/" + group + "/start", "{}").is(200);

        settle(
                client.post("/v1/queues/q/take", "{}")
                        .is(200)
                        .body()
                        .get("tasks")
                        .get(0),
                "bury");

        assertThat(state(group)).isEqualTo("failed");
        assertThat(take("after").get(0).get("payload").textValue()).isEqualTo("it was aborted");
    }

    @Test
    void aGroupIsFoundByItsNameUntilItEnds() {
        long group = create("{\"name\": \"a name, with spaces\"}");

        JsonNode found =
                client.get("/v1/groups?name=a%20name,%20with%20spaces").is(200).body();
        assertThat(found).isEqualTo(get(group).body());
        assertThat(found.get("state").textValue()).isEqualTo("open");
        assertThat(client.post("/v1/groups", "{\"name\": \"a name, with spaces\"}")
                        .is(409)
                        .code())
                .isEqualTo("group-exists");

        client.post("/v1/groups/" + group + "/start", "").is(200);
        assertThat(client.get("/v1/groups?name=a%20name,%20with%20spaces")
                        .is(404)
                        .code())
                .isEqualTo("group-not-found");
        assertThat(create("{\"name\": \"a name, with spaces\"}")).isNotEqualTo(group);
    }

    @Test
    void aWorkflowIsPutAsAWholeAndRunsInItsOrder() {
        JsonNode started = client.post("/v1/workflows", """
                {"name": "w", "end": {"queue": "after", "payload": "it is over"},
                 "tasks": [{"name": "last", "queue": "q", "payload": 2, "after": ["first"]}, {"name": "first", "queue": "q", "payload": 1}]}
                """).is(201).body();
        long group = started.get("group").get("group").longValue();
        assertThat(started.get("group").get("open").longValue()).isEqualTo(2);

        JsonNode first = take("q");
        assertThat(first).hasSize(1);
        assertThat(first.get(0).get("id")).isEqualTo(started.get("tasks").get("first"));
        settle(first.get(0), "ack");
        JsonNode last = take("q");
        assertThat(last.get(0).get("id")).isEqualTo(started.get("tasks").get("last"));
        settle(last.get(0), "ack");

        assertThat(state(group)).isEqualTo("completed");
        assertThat(take("after").get(0).get("payload").textValue()).isEqualTo("it is over");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name                | {\"tasks\": [{\"name\": \"a\", \"queue\": \"q\"}]}",
                "workflow            | {\"name\": \"w\"}",
                "tasks[0].name       | {\"name\": \"w\", \"tasks\": [{\"queue\": \"q\"}]}",
                "tasks[0].queue      | {\"name\": \"w\", \"tasks\": [{\"name\": \"a\"}]}",
                "tasks[0].prio       | {\"name\": \"w\", \"tasks\": [{\"name\": \"a\", \"queue\": \"q\", \"prio\": 1}]}",
                "after               | {\"name\": \"w\", \"tasks\": [{\"name\": \"a\", \"queue\": \"q\", \"after\": [\"x\"]}]}",
                "after               | {\"name\": \"w\", \"tasks\": [{\"name\": \"a\", \"queue\": \"q\", \"after\": [\"a\"]}]}"
            })
    void aMistakeInAWorkflowIsNamedAndNothingIsPut(String field, String json) {
        JsonNode problem = client.post("/v1/workflows", json).is(400).body();

        assertThat(problem.get("field").textValue()).isEqualTo(field);
        assertThat(leat.group("w")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/v1/groups/4711",
        "GET,/v1/groups?name=x",
        "POST,/v1/groups/4711/start",
        "POST,/v1/groups/4711/cancel"
    })
    void anUnknownGroupIsNotFound(String method, String path) {
        assertThat(client.send(method, path, "").is(404).code()).isEqualTo("group-not-found");
    }

    @Test
    void aClosedGroupTakesNoTasksAndDoesNotStart() {
        long group = create("{\"name\": \"g\"}");
        client.post("/v1/groups/" + group + "/cancel", "").is(200);

        Answer put = client.post("/v1/queues/q/tasks", "{\"payload\": 1, \"group\": " + group + "}");
        assertThat(put.is(409).code()).isEqualTo("group-closed");
        Answer start = client.post("/v1/groups/" + group + "/start", "");
        assertThat(start.is(409).code()).isEqualTo("group-closed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                          | name
            {"name": 5}                                                 | name
            {"name": " "}                                               | name
            {"name": "g", "onFailure": "explode"}                       | onFailure
            {"name": "g", "ends": {}}                                   | ends
            {"name": "g", "end": 5}                                     | end.task
            {"name": "g", "end": {"payload": 1}}                        | end.queue
            {"name": "g", "end": {"queue": "no good"}}                  | end.queue
            {"name": "g", "abort": {"queue": "q", "prioritty": 1}}      | abort.prioritty
            {"name": "g", "abort": {"queue": "q", "priority": "high"}}  | abort.priority
            """)
    void aWrongFieldIsNamedAndNothingIsMade(String json, String field) {
        Answer answer = client.post("/v1/groups", json).is(400);

        assertThat(answer.code()).isEqualTo("invalid");
        assertThat(answer.body().get("field").textValue()).isEqualTo(field);
        client.get("/v1/groups?name=g").is(404);
        assertThat(leat.queues()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            GET  | /v1/groups               |                | name
            GET  | /v1/groups?name=g&nam=g  |                | nam
            GET  | /v1/groups/x             |                | group
            POST | /v1/groups/1/start       | {"now": true}  | now
            POST | /v1/groups/1/cancel      | {"message": 1} | message
            """)
    void soIsAWrongParameter(String method, String path, String json, String field) {
        create("{\"name\": \"g\"}");

        Answer answer = client.send(method, path, json == null ? "" : json).is(400);

        assertThat(answer.body().get("field").textValue()).isEqualTo(field);
    }
}
