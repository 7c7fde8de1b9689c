package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.server.Client.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens, roles and queue patterns, over real sockets. */
class AccessTest {
    @TempDir
    Path folder;

    private TokenFile tokens;
    private Leat leat;
    private LeatServer server;
    private final List<LeatServer> more = new ArrayList<>();

    @BeforeEach
    void start() {
        tokens = new TokenFile(folder.resolve("tokens.json"));
        tokens.create("boss", Set.of(Role.ADMIN), List.of(), Optional.empty());
        leat = Leat.open("sqlite:" + folder.resolve("jobs.db"));
        server = LeatServer.start(leat, options().build());
    }

    @AfterEach
    void stop() {
        more.forEach(LeatServer::close);
        server.close();
        leat.close();
    }

    private ServerOptions.Builder options() {
        return ServerOptions.builder().port(0).tokens(tokens.path());
    }

    private Client with(String token) {
        return new Client(server.port()).with("Authorization", "Bearer " + token);
    }

    /** Somebody new, with a server that was started later and so knows the token at once. */
    private Client holder(Set<Role> roles, String... queues) {
        int number = tokens.read().size();
        String token = tokens.create("t" + number, roles, List.of(queues), Optional.empty());
        LeatServer later = LeatServer.start(leat, options().build());
        more.add(later);
        return new Client(later.port()).with("Authorization", "Bearer " + token);
    }

    private long put(String queue) {
        return leat.put(queue, "x");
    }

    private Lease take(String queue) {
        put(queue);
        return leat.take(queue).map(TakenTask::lease).orElseThrow();
    }

    private static String settle(Lease lease) {
        return "{\"settles\": [{\"lease\": \"" + lease.token() + "\", \"outcome\": \"ack\"}]}";
    }

    private static String touch(Lease lease) {
        return "{\"touches\": [{\"lease\": \"" + lease.token() + "\", \"by\": 60}]}";
    }

    // Who is let in

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Bearer leat_wrong", "Basic dTpw", "leat_wrong"})
    void whoHasNoTokenOrAWrongOneIsToldToShowOne(String header) {
        Client client =
                header.isEmpty() ? new Client(server.port()) : new Client(server.port()).with("Authorization", header);

        Answer answer = client.post("/v1/queues/q/tasks", "{}");

        assertThat(answer.is(401).code()).isEqualTo("unauthorized");
        assertThat(answer.type()).isEqualTo("application/problem+json");
        assertThat(answer.header("WWW-Authenticate")).contains("Bearer");
        assertThat(answer.body().toString()).doesNotContain("leat_wrong");
        assertThat(leat.queue("q").info()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"GET, /v1/queues", "GET, /v1/none", "GET, /", "PATCH, /v1/queues/q", "POST, /health/live"})
    void nothingButHealthIsToldToStrangers(String method, String path) {
        assertThat(new Client(server.port()).send(method, path, "").is(401).code())
                .isEqualTo("unauthorized");
    }

    @Test
    void healthIsToldToStrangers() {
        new Client(server.port()).get("/health/live").is(200);
        new Client(server.port()).get("/health/ready").is(200);
    }

    /** It would fill the memory before anybody has looked at the token. */
    @Test
    void theBodyOfAStrangerIsNotWaitedFor() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.send("POST /v1/queues/q/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 1000000\r\n\r\n{");

            assertThat(client.line()).startsWith("HTTP/1.1 401 ");
        }
    }

    @Test
    void theSchemeIsReadInAnyCase() {
        String token = tokens.create("late", Set.of(Role.PRODUCE), List.of(), Optional.empty());
        Client client = new Client(server.port()).with("Authorization", "bEARER  " + token);

        await().untilAsserted(() -> client.post("/v1/queues/q/tasks", "{}").is(201));
    }

    @Test
    void anExpiredTokenIsRefused() {
        String token = tokens.create("short", Set.of(Role.PRODUCE), List.of(), Optional.of(Duration.ofSeconds(3)));
        Client client = with(token);
        await().until(() -> client.post("/v1/queues/q/tasks", "{}").status() == 201);

        await().until(() -> client.post("/v1/queues/q/tasks", "{}").status() == 401);
    }

    // Roles

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PRODUCE | POST   | /v1/queues/q/tasks       | {}
            PRODUCE | GET    | /v1/tasks/1/outcome      |
            PRODUCE | GET    | /v1/queues/q/outcome?address=a |
            PRODUCE | POST   | /v1/groups               | {"name": "g"}
            PRODUCE | POST   | /v1/workflows            | {"name": "w", "tasks": [{"name": "a", "queue": "q"}]}
            PRODUCE | GET    | /v1/groups?name=g        |
            PRODUCE | GET    | /v1/groups/1             |
            PRODUCE | POST   | /v1/groups/1/start       |
            PRODUCE | POST   | /v1/groups/1/cancel      |
            CONSUME | POST   | /v1/queues/q/take        | {}
            CONSUME | POST   | /v1/queues/q/take        | {"wait": "10ms"}
            CONSUME | POST   | /v1/settle               | {"settles": []}
            CONSUME | POST   | /v1/touch                | {"touches": []}
            CONSUME | POST   | /v1/chunk                | {"lease": "x", "number": 1}
            CONSUME | POST   | /v1/sessions             | {"name": "s"}
            CONSUME | POST   | /v1/sessions/eA/heartbeat | {}
            CONSUME | DELETE | /v1/sessions/eA          |
            OPERATE | GET    | /v1/subscriptions        |
            OPERATE | GET    | /v1/subscriptions/s      |
            ADMIN   | PUT    | /v1/subscriptions/s      | {"topic": "q"}
            ADMIN   | POST   | /v1/subscriptions/s/disable | {}
            ADMIN   | POST   | /v1/subscriptions/s/enable |
            ADMIN   | DELETE | /v1/subscriptions/s      |
            OPERATE | GET    | /v1/schedules            |
            OPERATE | GET    | /v1/schedules/s          |
            OPERATE | GET    | /v1/schedules/s/next     |
            OPERATE | POST   | /v1/schedules/s/pause    |
            OPERATE | POST   | /v1/schedules/s/resume   |
            OPERATE | POST   | /v1/schedules/s/trigger  |
            ADMIN   | PUT    | /v1/schedules/s          | {"every": 60, "task": {"queue": "q"}}
            ADMIN   | DELETE | /v1/schedules/s          |
            OPERATE | GET    | /v1/queues               |
            OPERATE | GET    | /v1/queues/q             |
            OPERATE | GET    | /v1/stats                |
            OPERATE | GET    | /v1/tasks                |
            OPERATE | GET    | /v1/tasks/1              |
            OPERATE | POST   | /v1/queues/q/pause       |
            OPERATE | POST   | /v1/queues/q/resume      |
            OPERATE | POST   | /v1/queues/q/kick        |
            OPERATE | POST   | /v1/queues/q/redrive     |
            OPERATE | POST   | /v1/queues/q/release-all |
            OPERATE | POST   | /v1/tasks/1/bury         |
            OPERATE | POST   | /v1/tasks/1/kick         |
            OPERATE | POST   | /v1/tasks/1/cancel       |
            OPERATE | DELETE | /v1/tasks/1              |
            ADMIN   | PUT    | /v1/queues/q             | {}
            ADMIN   | POST   | /v1/queues/q/truncate    |
            ADMIN   | DELETE | /v1/queues/q             |
            """)
    void aRoleIsForItsOwnCallsOnly(Role needed, String method, String path, String body) {
        leat.queue("q").create(QueueOptions.standard());
        String json = body == null ? "" : body;
        Client others = holder(EnumSet.complementOf(EnumSet.of(needed, Role.ADMIN)));
        Client right = holder(Set.of(needed));
        Client admin = holder(Set.of(Role.ADMIN));

        Answer refused = others.send(method, path, json);
        assertThat(refused.is(403).code()).isEqualTo("forbidden");
        assertThat(refused.body().get("detail").textValue()).contains("needs the role " + needed.text());
        for (Client client : List.of(right, admin)) {
            assertThat(client.send(method, path, json).status()).isNotIn(401, 403, 405, 500);
        }
    }

    @Test
    void aRefusedCallChangesNothing() {
        long id = put("q");
        Client producer = holder(Set.of(Role.PRODUCE));

        producer.send("DELETE", "/v1/tasks/" + id, "").is(403);
        producer.post("/v1/queues/q/take", "{\"wait\": 1}").is(403);
        producer.post("/v1/queues/q/truncate", "").is(403);

        assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.READY);
    }

    @Test
    void aTokenMayHaveSeveralRoles() {
        Client both = holder(Set.of(Role.PRODUCE, Role.CONSUME));

        both.post("/v1/queues/q/tasks", "{}").is(201);
        assertThat(both.post("/v1/queues/q/take", "{}").is(200).body().get("tasks"))
                .hasSize(1);
        both.get("/v1/stats").is(403);
    }

    // Queues

    @ParameterizedTest
    @CsvSource({
        "emails, emails, 201",
        "emails, emails2, 403",
        "emails, Emails, 403",
        "billing.*, billing.eu, 201",
        "billing.*, billing.eu.late, 201",
        "billing.*, billing, 403",
        "billing.*, billingXeu, 403",
        "*-eu, mail-eu, 201",
        "*-eu, mail-us, 403",
        "*, anything, 201"
    })
    void aPatternNamesQueues(String pattern, String queue, int status) {
        holder(Set.of(Role.PRODUCE), pattern)
                .post("/v1/queues/" + queue + "/tasks", "{}")
                .is(status);
    }

    @Test
    void aQueueWrittenInAnotherWayIsTheSameQueue() {
        put("secret");

        holder(Set.of(Role.CONSUME), "mine")
                .post("/v1/queues/%73ecret/take", "{}")
                .is(403);
        holder(Set.of(Role.CONSUME), "mine")
                .post("/v1/queues/mine/../secret/take", "{}")
                .is(403);
    }

    @Test
    void whoMayPutIntoSomeQueuesMakesGroupsThatEndThereAndSeesNoOthers() {
        Client producer = holder(Set.of(Role.PRODUCE), "mine");
        long group = leat.createGroup(GroupSpec.named("other")).id();

        producer.post("/v1/groups", "{\"name\": \"a\", \"end\": {\"queue\": \"mine\"}}")
                .is(201);
        producer.post("/v1/groups", "{\"name\": \"b\", \"end\": {\"queue\": \"other\"}}")
                .is(403);
        producer.post("/v1/groups", "{\"name\": \"b\", \"abort\": {\"queue\": \"other\"}}")
                .is(403);
        producer.post("/v1/workflows", "{\"name\": \"c\", \"tasks\": [{\"name\": \"t\", \"queue\": \"mine\"}]}")
                .is(201);
        producer.post("/v1/workflows", "{\"name\": \"b\", \"tasks\": [{\"name\": \"t\", \"queue\": \"other\"}]}")
                .is(403);
        producer.get("/v1/groups/" + group).is(403);
        producer.get("/v1/groups?name=other").is(403);
        producer.post("/v1/groups/" + group + "/start", "").is(403);
        producer.post("/v1/groups/" + group + "/cancel", "").is(403);

        assertThat(leat.group("b")).isEmpty();
        assertThat(leat.queue("other").info()).isEmpty();
        assertThat(leat.group(group).info().state()).isEqualTo(GroupInfo.State.OPEN);
    }

    @ParameterizedTest
    @CsvSource({"GET, ''", "DELETE, ''", "POST, /bury", "POST, /cancel", "POST, /kick"})
    void aTaskIsOfItsQueue(String method, String rest) {
        long other = put("other");
        long mine = put("mine");
        leat.bury(mine, "so that it can be kicked");
        Client operator = holder(Set.of(Role.OPERATE), "mine");

        assertThat(operator.send(method, "/v1/tasks/" + other + rest, "")
                        .is(403)
                        .code())
                .isEqualTo("forbidden");
        operator.send(method, "/v1/tasks/" + mine + rest, "").is(200);
        operator.send(method, "/v1/tasks/4711" + rest, "").is(404);
        assertThat(leat.peek(other).orElseThrow().state()).isEqualTo(TaskState.READY);
    }

    /** Also when only its outcome is known any more. */
    @Test
    void anOutcomeIsOfTheQueueOfItsTask() {
        leat.queue("other")
                .declare(QueueOptions.builder().retention(Retention.none()).build());
        long lives = leat.putAddressed("other", "a", "x").id();
        Client producer = holder(Set.of(Role.PRODUCE), "mine");
        producer.get("/v1/tasks/" + lives + "/outcome").is(403);
        producer.get("/v1/queues/other/outcome?address=a").is(403);

        leat.ack(leat.take("other").orElseThrow());

        assertThat(leat.peek(lives)).isEmpty();
        producer.get("/v1/tasks/" + lives + "/outcome").is(403);
        producer.get("/v1/tasks/" + put("mine") + "/outcome").is(200);
    }

    @Test
    void aLeaseIsOfTheQueueOfItsTask() {
        Lease other = take("other");
        Lease mine = take("mine");
        Client consumer = holder(Set.of(Role.CONSUME), "mine");

        consumer.post("/v1/settle", settle(other)).is(403);
        consumer.post("/v1/touch", touch(other)).is(403);
        consumer.post("/v1/chunk", "{\"lease\": \"" + other.token() + "\", \"number\": 1}")
                .is(403);
        consumer.post("/v1/touch", touch(mine)).is(200);
        assertThat(consumer.post("/v1/settle", settle(mine)).is(200).body().findValuesAsText("result"))
                .containsExactly("done");
        assertThat(consumer.post("/v1/settle", settle(Lease.of(4711, 1)))
                        .is(200)
                        .body()
                        .findValuesAsText("result"))
                .containsExactly("gone");
        assertThat(leat.peek(other.taskId()).orElseThrow().state()).isEqualTo(TaskState.TAKEN);
    }

    /** One lease of another queue, and none is settled. */
    @Test
    void settlesAreRefusedTogether() {
        Lease other = take("other");
        Lease mine = take("mine");
        String both = "{\"settles\": [{\"lease\": \"" + mine.token() + "\", \"outcome\": \"ack\"}, {\"lease\": \""
                + other.token() + "\", \"outcome\": \"ack\"}]}";

        holder(Set.of(Role.CONSUME), "mine").post("/v1/settle", both).is(403);

        assertThat(leat.peek(mine.taskId()).orElseThrow().state()).isEqualTo(TaskState.TAKEN);
    }

    @Test
    void listsShowWhatATokenIsFor() {
        put("other");
        long mine = put("mine");
        Client operator = holder(Set.of(Role.OPERATE), "mine");

        assertThat(operator.get("/v1/queues").is(200).body().findValuesAsText("name"))
                .containsExactly("mine");
        assertThat(operator.get("/v1/stats").is(200).body().findValuesAsText("queue"))
                .containsExactly("mine");
        assertThat(operator.get("/v1/tasks?queue=mine").is(200).body().findValuesAsText("id"))
                .containsExactly(String.valueOf(mine));
        operator.get("/v1/tasks?queue=other").is(403);
        assertThat(operator.get("/v1/tasks").is(403).body().get("detail").textValue())
                .contains("name one of them");
    }

    @Test
    void aHeartbeatSpeaksOfItsOwnQueuesOnly() {
        Client consumer = holder(Set.of(Role.CONSUME), "mine");
        String session = consumer.post("/v1/sessions", "{\"name\": \"s\"}")
                .is(201)
                .body()
                .get("session")
                .textValue();

        consumer.post("/v1/sessions/" + session + "/heartbeat", "{\"waiting\": {\"mine\": 1}}")
                .is(200);
        consumer.post("/v1/sessions/" + session + "/heartbeat", "{\"waiting\": {\"other\": 1}}")
                .is(403);
    }

    // The file

    @Test
    void aTokenIsRotatedWhileTheServerRuns() {
        String first = tokens.create("shop-1", Set.of(Role.PRODUCE), List.of(), Optional.empty());
        await().until(() -> with(first).post("/v1/queues/q/tasks", "{}").status() == 201);

        String second = tokens.create("shop-2", Set.of(Role.PRODUCE), List.of(), Optional.empty());
        await().until(() -> with(second).post("/v1/queues/q/tasks", "{}").status() == 201);
        with(first).post("/v1/queues/q/tasks", "{}").is(201);

        tokens.revoke("shop-1");
        await().until(() -> with(first).post("/v1/queues/q/tasks", "{}").status() == 401);
        with(second).post("/v1/queues/q/tasks", "{}").is(201);
    }

    @Test
    void theFileNeverHasTheToken() throws IOException {
        String token =
                tokens.create("shop", Set.of(Role.PRODUCE), List.of("a", "b.*"), Optional.of(Duration.ofDays(1)));

        String text = Files.readString(tokens.path());
        assertThat(token).matches("leat_[A-Za-z0-9_-]{43}");
        assertThat(text).doesNotContain(token.substring("leat_".length()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tokens.path())))
                .isEqualTo("rw-------");
        TokenEntry entry = tokens.read().get(1);
        assertThat(entry.name()).isEqualTo("shop");
        assertThat(entry.roles()).containsExactly(Role.PRODUCE);
        assertThat(entry.queues()).containsExactly("a", "b.*");
        assertThat(entry.expires()).contains(entry.created().plus(Duration.ofDays(1)));
        assertThat(with(entry.hash()).get("/v1/stats").is(401).code()).isEqualTo("unauthorized");
    }

    /** Whoever owns it, and whoever else may read it, can still do so afterwards. */
    @Test
    void aFileThatIsThereKeepsItsPermissions() throws IOException {
        Files.setPosixFilePermissions(tokens.path(), PosixFilePermissions.fromString("rw-r-----"));

        tokens.create("a-long-name-that-makes-the-file-longer", Set.of(Role.PRODUCE), List.of(), Optional.empty());
        tokens.revoke("a-long-name-that-makes-the-file-longer");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tokens.path())))
                .isEqualTo("rw-r-----");
        assertThat(tokens.read()).extracting(TokenEntry::name).containsExactly("boss");
    }

    @Test
    void manyMayMakeTokensAtTheSameTime() {
        List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");

        names.parallelStream().forEach(name -> new TokenFile(tokens.path())
                .create(name, Set.of(Role.PRODUCE), List.of(), Optional.empty()));

        assertThat(tokens.read()).extracting(TokenEntry::name).containsAll(names);
    }

    @Test
    void aBrokenFileLeavesTheTokensGood() throws IOException {
        String token = tokens.create("shop", Set.of(Role.OPERATE), List.of(), Optional.empty());
        Client client = with(token);
        await().until(() -> client.get("/v1/stats").status() == 200);
        String right = Files.readString(tokens.path());

        try (StandardError error = new StandardError()) {
            Files.writeString(tokens.path(), right.substring(1));
            await().until(() -> error.text().contains("The 2 tokens from before stay good"));
            client.get("/v1/stats").is(200);
            Files.delete(tokens.path());
            await().until(() -> error.text().contains("There is no file of tokens at"));
            client.get("/v1/stats").is(200);
            assertThat(error.text()).doesNotContain(token);
        }

        Files.writeString(tokens.path(), "[]");
        await().until(() -> client.get("/v1/stats").status() == 401);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            `` | it must be JSON, was empty
            {} | it must be an array
            [{"hash": "HASH", "roles": ["admin"], "created": "2026-01-01T00:00:00Z"}]              | name is missing
            [{"name": "a b", "hash": "HASH", "roles": ["admin"], "created": "2026-01-01T00:00:00Z"}] | name must be 1 to 64 letters
            [{"name": "anonymous", "hash": "HASH", "roles": ["admin"], "created": "2026-01-01T00:00:00Z"}] | not 'anonymous'
            [{"name": "a", "hash": "12", "roles": ["admin"], "created": "2026-01-01T00:00:00Z"}]   | hash must be 64 hexadecimal digits
            [{"name": "a", "hash": "HASH", "roles": ["root"], "created": "2026-01-01T00:00:00Z"}]  | roles must be of [produce, consume, operate, admin], was 'root'
            [{"name": "a", "hash": "HASH", "roles": [], "created": "2026-01-01T00:00:00Z"}]        | roles must be at least one
            [{"name": "a", "hash": "HASH", "roles": ["admin"], "queues": ["a b"], "created": "2026-01-01T00:00:00Z"}] | queues must be 1 to 128 letters
            [{"name": "a", "hash": "HASH", "roles": ["admin"], "created": "2026-01-01T00:00:00Z", "expire": "2026-01-01T00:00:00Z"}] | expire is not a field of a token
            """)
    void aWrongFileIsExplainedAtTheStart(String content, String words) throws IOException {
        Files.writeString(tokens.path(), (content == null ? "" : content).replace("HASH", "ab".repeat(32)));

        assertThatThrownBy(() -> LeatServer.start(leat, options().build()))
                .isInstanceOf(LeatException.class)
                .hasMessageContaining("is wrong: ")
                .hasMessageContaining(words);
    }

    @Test
    void aMissingFileIsExplainedAtTheStart() {
        assertThatThrownBy(() -> LeatServer.start(
                        leat, options().tokens(folder.resolve("none.json")).build()))
                .isInstanceOf(LeatException.class)
                .hasMessageContaining("There is no file of tokens at ");
    }

    @Test
    void aNameIsTakenOnce() {
        assertThatThrownBy(() -> tokens.create("boss", Set.of(Role.PRODUCE), List.of(), Optional.empty()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("name is taken: 'boss'");
        assertThatThrownBy(() -> tokens.revoke("nobody"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("must be of [boss], was 'nobody'");
    }

    @Test
    void withTokensAnyAddressWillDo() {
        try (LeatServer open = LeatServer.start(leat, options().host("0.0.0.0").build())) {
            new Client(open.port()).get("/v1/stats").is(401);
        }
    }
}
