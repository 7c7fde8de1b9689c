package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.topic.Subscription;
import dev.leat.wire.Cbor;
import dev.leat.wire.WireValues;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The WebSocket, as {@code docs/websocket.md} has it. Covers O23, O37. */
@Tag("jvm")
class SocketTest {
    private static final String Q = "q";

    @TempDir
    Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private Leat leat;
    private LeatServer server;

    @BeforeEach
    void open() {
        leat = Leat.open("memory:");
        leat.queue(Q).ensure();
        serve(ServerOptions.builder());
    }

    private void serve(ServerOptions.Builder options) {
        server = LeatServer.start(leat, options.port(0).build());
        opened.add(server);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        leat.close();
    }

    private RawSocket connect() throws InterruptedException {
        return greeted(RawSocket.open(server.port()));
    }

    private RawSocket greeted(RawSocket socket) throws InterruptedException {
        opened.add(0, socket);
        assertThat(socket.next().has("hello")).isTrue();
        return socket;
    }

    private static ObjectNode ofQueue() {
        return Cbor.map().put("queue", Q);
    }

    private static ObjectNode aPut(int tasks) {
        ObjectNode map = Cbor.map();
        for (int i = 0; i < tasks; i++) {
            map.withArray("tasks").add(ofQueue());
        }
        return map;
    }

    private static String code(JsonNode answer) {
        return answer.path("error").path("code").textValue();
    }

    private long count(TaskState state) {
        return leat.queue(Q).stats().count(state);
    }

    // Work

    @Test
    void aTaskIsPutTakenAndSettled() throws Exception {
        RawSocket socket = connect();

        JsonNode put = socket.ask("put", aPut(1)).get("result").get(0);
        JsonNode taken = socket.ask("take", ofQueue()).get("result").get(0);
        ObjectNode settle = Cbor.map();
        settle.withArray("settles").addObject().put("outcome", "ack").set("lease", taken.get("lease"));
        JsonNode settled = socket.ask("settle", settle).get("result").get(0);

        assertThat(taken.get("task")).isEqualTo(put.get("task"));
        assertThat(settled.get("state").textValue()).isEqualTo("done");
    }

    @Test
    void aTakeWaitsAndOthersAreAnsweredMeanwhile() throws Exception {
        RawSocket socket = connect();
        long take = socket.send("take", ofQueue().put("wait", 30));

        socket.ask("now", Cbor.map());
        leat.put(Q, "a");

        JsonNode answer = socket.next();
        assertThat(answer.get("id").longValue()).isEqualTo(take);
        assertThat(answer.get("result")).hasSize(1);
    }

    @Test
    void whatWasTakenForSomebodyWhoVanishedComesBack() throws Exception {
        RawSocket socket = connect();
        String session = socket.ask("open-session", Cbor.map().put("name", "me"))
                .get("result")
                .textValue();
        leat.put(Q, "a");
        socket.ask("take", ofQueue().put("session", session));
        assertThat(count(TaskState.TAKEN)).isEqualTo(1);

        socket.vanish();

        await().until(() -> count(TaskState.READY) == 1);
    }

    @Test
    void whatCouldNotBeSentComesBackAtOnce() throws Exception {
        CountDownLatch isTaken = new CountDownLatch(1);
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        leat.put(Q, "a");
        leat.onTaskChange(event -> {
            if (event.kind() == TaskEvent.Kind.TAKE) {
                isTaken.countDown();
                goesOn.join();
            }
        });
        ObjectNode lock = Cbor.map().put("name", "end of the connection").put("lease", 60);
        RawSocket gone = connect();
        gone.ask("acquire", lock.deepCopy());
        gone.send("take", ofQueue().put("detached", true));
        assertThat(isTaken.await(20, TimeUnit.SECONDS)).isTrue();

        gone.vanish();
        RawSocket other = connect();
        await().until(() -> !other.ask("acquire", lock.deepCopy()).get("result").isNull());
        goesOn.complete(null);

        await().until(() -> count(TaskState.READY) == 1);
    }

    @Test
    void theNextConnectionOfAClientWaitsForWhatItsLastOneIsDoing() throws Exception {
        CountDownLatch isWorkedOn = new CountDownLatch(1);
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        leat.onTaskChange(event -> {
            isWorkedOn.countDown();
            goesOn.join();
        });
        RawSocket last = greeted(RawSocket.open(server.port(), "?client=me"));
        last.send("put", aPut(1));
        assertThat(isWorkedOn.await(20, TimeUnit.SECONDS)).isTrue();

        RawSocket next = RawSocket.open(server.port(), "?client=me");
        opened.add(0, next);

        assertThat(last.closed.get(20, TimeUnit.SECONDS)).isEqualTo(1001);
        assertThat(next.poll()).as("not greeted before the put is done").isNull();
        goesOn.complete(null);
        assertThat(next.next().has("hello")).isTrue();
        assertThat(count(TaskState.READY)).isEqualTo(1);
    }

    @Test
    void aWaitingTakeOfSomebodyWhoVanishedSwallowsNothing() throws Exception {
        RawSocket gone = connect();
        gone.send("take", ofQueue().put("wait", 30));
        gone.ask("now", Cbor.map());
        gone.vanish();
        RawSocket patient = connect();
        await().until(() -> leat.queue(Q).stats().consumers() == 0);

        patient.send("take", ofQueue().put("wait", 30));
        leat.put(Q, "a");

        assertThat(patient.next().get("result")).hasSize(1);
    }

    @Test
    void putsOfOneMessageEachGetTheirOwnAnswer() throws Exception {
        RawSocket socket = connect();
        ObjectNode right = aPut(2).put("id", 1).put("op", "put");
        ObjectNode unknown = Cbor.map().put("id", 2).put("op", "put");
        unknown.withArray("tasks").addObject().put("queue", "nobody");
        ObjectNode alsoRight = aPut(1).put("id", 3).put("op", "put");

        socket.send(Cbor.write(List.of(right, unknown, alsoRight)));

        List<JsonNode> answers = new ArrayList<>(List.of(socket.next(), socket.next(), socket.next()));
        answers.sort((a, b) -> Long.compare(a.get("id").longValue(), b.get("id").longValue()));
        assertThat(answers.get(0).get("result")).hasSize(2);
        assertThat(code(answers.get(1))).isEqualTo("queue-not-found");
        assertThat(answers.get(2).get("result")).hasSize(1);
        assertThat(count(TaskState.READY)).isEqualTo(3);
    }

    @Test
    void itsChangesAreHeardByTheServersListeners() throws Exception {
        ConcurrentLinkedQueue<TaskEvent.Kind> heard = new ConcurrentLinkedQueue<>();
        leat.onTaskChange(event -> heard.add(event.kind()));

        aTaskIsPutTakenAndSettled();

        assertThat(heard).containsExactly(TaskEvent.Kind.PUT, TaskEvent.Kind.TAKE, TaskEvent.Kind.ACK);
    }

    // Bad messages

    @Test
    void aWrongRequestIsRefusedByItsNumberAndTheConnectionGoesOn() throws Exception {
        RawSocket socket = connect();

        assertThat(code(socket.ask("fly", Cbor.map()))).isEqualTo("invalid");
        assertThat(code(socket.ask("take", Cbor.map().put("queue", "nobody")))).isEqualTo("queue-not-found");
        JsonNode unknown = socket.ask("take", ofQueue().put("cuont", 1));
        assertThat(unknown.get("error").get("field").textValue()).isEqualTo("cuont");
        assertThat(socket.ask("now", Cbor.map()).has("result")).isTrue();
    }

    @Test
    void aMessageThatIsNoneEndsTheConnection() throws Exception {
        List<byte[]> messages = List.of(
                "hello".getBytes(StandardCharsets.UTF_8),
                Cbor.write(List.of(JsonNodeFactory.instance.textNode("x"))),
                Cbor.write(List.of(Cbor.map().put("op", "now"))),
                new byte[] {(byte) 0x9f, (byte) 0x9f});
        for (byte[] message : messages) {
            RawSocket socket = connect();
            socket.send(message);
            assertThat(socket.closed.get(20, TimeUnit.SECONDS)).isEqualTo(1003);
        }
    }

    @Test
    void textEndsTheConnection() throws Exception {
        RawSocket socket = connect();

        socket.sendText("{\"id\": 1}");

        assertThat(socket.closed.get(20, TimeUnit.SECONDS)).isEqualTo(1003);
    }

    @Test
    void aMessageOverTheLimitEndsTheConnection() throws Exception {
        serve(ServerOptions.builder().largestBody(10_000));
        RawSocket socket = connect();

        socket.send(new byte[20_000]);

        await().until(socket.closed::isDone);
    }

    // Connections

    @Test
    void aNewerConnectionOfAClientEndsTheOlder() throws Exception {
        RawSocket older = greeted(RawSocket.open(server.port(), "?client=me"));

        RawSocket newer = greeted(RawSocket.open(server.port(), "?client=me"));

        assertThat(older.closed.get(20, TimeUnit.SECONDS)).isEqualTo(1001);
        assertThat(newer.ask("now", Cbor.map()).has("result")).isTrue();
    }

    @Test
    void aServerThatStopsSaysSoAndAnswersThoseWhoWait() throws Exception {
        RawSocket socket = connect();
        long take = socket.send("take", ofQueue().put("wait", 30));
        socket.ask("now", Cbor.map());

        server.close();

        List<JsonNode> last = List.of(socket.next(), socket.next());
        assertThat(last).anyMatch(map -> map.path("notice").asText().equals("stopping"));
        assertThat(last)
                .anyMatch(map ->
                        map.path("id").longValue() == take && map.get("result").isEmpty());
        assertThat(socket.closed.get(20, TimeUnit.SECONDS)).isIn(1000, 1001);
    }

    @Test
    void aServerThatStopsAnswersWhatItHasRead() throws Exception {
        CountDownLatch isWorkedOn = new CountDownLatch(1);
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        leat.onTaskChange(event -> {
            isWorkedOn.countDown();
            goesOn.join();
        });
        RawSocket socket = connect();
        long put = socket.send("put", aPut(1));
        assertThat(isWorkedOn.await(20, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
        assertThat(socket.next().path("notice").asText()).isEqualTo("stopping");
        assertThatThrownBy(() -> stopped.get(300, TimeUnit.MILLISECONDS))
                .as("it waits for what it works on")
                .isInstanceOf(TimeoutException.class);
        goesOn.complete(null);

        JsonNode answer = socket.next();
        assertThat(answer.get("id").longValue()).isEqualTo(put);
        assertThat(answer.get("result")).hasSize(1);
        stopped.get(20, TimeUnit.SECONDS);
    }

    @Test
    void aWishToCancelIsNewsForTheSessionsConnection() throws Exception {
        RawSocket socket = connect();
        String session = socket.ask("open-session", Cbor.map().put("name", "me"))
                .get("result")
                .textValue();
        long task = leat.put(Q, "a");
        JsonNode lease = socket.ask("take", ofQueue().put("session", session))
                .get("result")
                .get(0)
                .get("lease");

        leat.cancel(task, "not needed");

        assertThat(socket.next().get("notice").textValue()).isEqualTo("session_news");
        JsonNode reply = socket.ask("heartbeat", Cbor.map().put("session", session));
        assertThat(reply.get("result").get("cancelRequested")).containsExactly(lease);
    }

    /** Reads nothing, and so answers no ping. */
    @Test
    void aSilentConnectionIsClosedAndItsTasksComeBack() throws Exception {
        serve(ServerOptions.builder().heartbeat(Duration.ofMillis(50)).missableHeartbeats(2));
        try (Socket mute = new Socket("127.0.0.1", server.port())) {
            mute.getOutputStream()
                    .write(("GET /v1/consume HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                                    + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                    + "Sec-WebSocket-Version: 13\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            assertThat(readToTheEnd(mute)).isPositive();
        }
    }

    private static int readToTheEnd(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        InputStream in = socket.getInputStream();
        return in.readAllBytes().length;
    }

    @Test
    void pongsKeepAConnectionThatSaysNothingElse() throws Exception {
        serve(ServerOptions.builder().heartbeat(Duration.ofMillis(50)).missableHeartbeats(2));
        RawSocket quiet = connect();
        RawSocket clock = connect();

        for (int i = 0; i < 20; i++) {
            clock.ask("take", ofQueue().put("wait", 0.05));
        }

        assertThat(quiet.closed).isNotDone();
    }

    // Those who wait for tasks

    private static ObjectNode standings(long... tasks) {
        ObjectNode map = Cbor.map();
        for (long task : tasks) {
            map.withArray("tasks").add(task);
        }
        return map;
    }

    @Test
    void whoHasAskedForATaskIsToldOfItsEndOnce() throws Exception {
        long id = leat.put(Q, "a");
        RawSocket asks = connect();
        RawSocket listens = greeted(RawSocket.open(server.port(), "?listen=true"));

        JsonNode standing = asks.ask("standings", standings(id)).get("result").get(0);
        assertThat(standing.get("standing").textValue()).isEqualTo("lives");
        leat.delete(id);

        JsonNode told = asks.next();
        assertThat(told.get("notice").textValue()).isEqualTo("task_news");
        assertThat(told.get("task").longValue()).isEqualTo(id);
        leat.queue(Q).pause();
        JsonNode other = listens.next();
        while (other.path("notice").textValue().equals("timer_moved")) {
            other = listens.next();
        }
        assertThat(other.get("notice").textValue()).as("what others hear").isEqualTo("paused");
        JsonNode ended = asks.ask("standings", standings(id)).get("result").get(0);
        assertThat(ended.get("outcome").get("state").textValue()).isEqualTo("canceled");
    }

    @Test
    void tooManyTasksAreRefused() throws Exception {
        JsonNode refused =
                connect().ask("standings", standings(LongStream.range(1, 20_000).toArray()));

        assertThat(refused.get("error").get("field").textValue()).isEqualTo("tasks");
    }

    // Tokens

    private String token(TokenFile file, String name, Set<Role> roles, List<String> queues) {
        return file.create(name, roles, queues, Optional.empty());
    }

    @Test
    void aTokenIsAskedForAndItsRolesAndQueuesHold() throws Exception {
        TokenFile file = new TokenFile(folder.resolve("tokens.json"));
        String producer = token(file, "producer", Set.of(Role.PRODUCE), List.of());
        String limited = token(file, "limited", Set.of(Role.CONSUME, Role.OPERATE), List.of("q"));
        leat.queue("other").ensure();
        long elsewhere = leat.put("other", "a");
        serve(ServerOptions.builder().tokens(folder.resolve("tokens.json")));

        RawSocket one = greeted(RawSocket.with(server.port(), producer));
        assertThat(one.ask("put", aPut(1)).has("result")).isTrue();
        assertThat(code(one.ask("take", ofQueue()))).isEqualTo("forbidden");
        assertThat(code(one.ask("truncate", ofQueue()))).isEqualTo("forbidden");
        RawSocket two = greeted(RawSocket.with(server.port(), limited));
        assertThat(two.ask("take", ofQueue()).get("result")).hasSize(1);
        assertThat(code(two.ask("put", aPut(1)))).isEqualTo("forbidden");
        JsonNode unknown = two.ask("take", ofQueue().put("touches", "x"));
        assertThat(unknown.get("error").get("field").textValue()).isEqualTo("touches");
        assertThat(code(two.ask("take", Cbor.map().put("queue", "other")))).isEqualTo("forbidden");
        assertThat(code(two.ask("peek", Cbor.map().put("task", elsewhere)))).isEqualTo("forbidden");
        assertThat(code(two.ask("standings", standings(elsewhere)))).isEqualTo("forbidden");
        Lease lease = leat.take("other").orElseThrow().lease();
        ObjectNode chunk = Cbor.map().put("number", 1).set("lease", WireValues.of(lease));
        assertThat(code(two.ask("chunk", chunk))).isEqualTo("forbidden");
        assertThat(code(two.ask("stats", Cbor.map()))).isEqualTo("forbidden");
        assertThat(code(two.ask("list", Cbor.map()))).isEqualTo("forbidden");
    }

    /** What is sent in a subscription's name is signed with its secrets. */
    @Test
    void copiesOfPublicationsAreNotForEveryProducerToPut() throws Exception {
        leat.subscriptions().put(Subscription.to("orders", "bank"));
        TokenFile file = new TokenFile(folder.resolve("tokens.json"));
        String producer = token(file, "producer", Set.of(Role.PRODUCE), List.of());
        String limited = token(file, "limited", Set.of(Role.PRODUCE, Role.OPERATE), List.of("q"));
        String operator = token(file, "operator", Set.of(Role.PRODUCE, Role.OPERATE), List.of());
        serve(ServerOptions.builder().tokens(folder.resolve("tokens.json")));
        ObjectNode copy = Cbor.map();
        copy.withArray("tasks").add(ofQueue().put("publicationId", 1).put("subscriber", "bank"));
        ObjectNode group = Cbor.map().put("name", "g");
        group.set("end", ofQueue().put("publicationId", 1).put("subscriber", "bank"));

        RawSocket one = greeted(RawSocket.with(server.port(), producer));
        assertThat(code(one.ask("put", copy.deepCopy()))).isEqualTo("forbidden");
        assertThat(code(one.ask("create-group", group))).isEqualTo("forbidden");
        RawSocket two = greeted(RawSocket.with(server.port(), limited));
        assertThat(code(two.ask("put", copy.deepCopy()))).isEqualTo("forbidden");
        assertThat(count(TaskState.READY)).isZero();
        RawSocket three = greeted(RawSocket.with(server.port(), operator));
        assertThat(three.ask("put", copy.deepCopy()).has("result")).isTrue();
    }

    @Test
    void aRevokedTokenEndsItsConnections() throws Exception {
        TokenFile file = new TokenFile(folder.resolve("tokens.json"));
        String token = token(file, "consumer", Set.of(Role.CONSUME), List.of());
        serve(ServerOptions.builder().tokens(folder.resolve("tokens.json")).heartbeat(Duration.ofMillis(50)));
        RawSocket socket = greeted(RawSocket.with(server.port(), token));

        file.revoke("consumer");

        assertThat(socket.closed.get(20, TimeUnit.SECONDS)).isEqualTo(1008);
    }
}
