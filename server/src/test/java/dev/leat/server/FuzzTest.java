package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.TestLength;
import dev.leat.wire.Cbor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bodies and messages of which at least half are mutations of right ones. Whatever comes, the server refuses it as the caller's
 * mistake or does it, and afterwards every task that it accepted is there once and nobody holds one.
 *
 * <p>{@code -Dleat.fuzz=100000} makes it long; {@code -Dleat.fuzz.seed=…} repeats a run.
 */
class FuzzTest {
    private static final int CALLS = TestLength.of("leat.fuzz", 2_500, 100_000);
    private static final long SEED = Long.getLong("leat.fuzz.seed", System.nanoTime());
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> QUEUES = List.of("a", "b");

    @TempDir
    Path folder;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final HttpClient http = HttpClient.newHttpClient();
    private final Set<Long> accepted = new HashSet<>();
    private final Map<String, Integer> answers = new TreeMap<>();
    private final List<JsonNode> leases = new ArrayList<>();
    private final List<String> leaseTokens = new ArrayList<>();
    private Leat leat;
    private LeatServer server;
    private RawSocket socket;

    @BeforeEach
    void open() throws Exception {
        leat = Leat.open("sqlite:" + folder.resolve("leat.db"));
        QUEUES.forEach(queue -> leat.queue(queue).create(QueueOptions.standard()));
        server = LeatServer.start(leat, ServerOptions.builder().port(0).build());
        connect();
    }

    private void connect() throws Exception {
        socket = RawSocket.open(server.port());
        socket.next();
    }

    @AfterEach
    void close() {
        socket.close();
        server.close();
        leat.close();
    }

    @Test
    void noBodyMakesTheServerFailAndNothingIsLost() throws Exception {
        for (int i = 0; i < CALLS / 2; i++) {
            rest();
        }
        judge();
    }

    @Test
    void noMessageMakesTheServerFailAndNothingIsLost() throws Exception {
        for (int i = 0; i < CALLS / 2; i++) {
            message();
        }
        judge();
    }

    // REST

    private void rest() throws Exception {
        String queue = pick(QUEUES);
        int kind = leaseTokens.isEmpty() ? random.nextInt(2) : random.nextInt(4);
        String path =
                switch (kind) {
                    case 0 -> "/v1/queues/" + queue + "/tasks";
                    case 1 -> "/v1/queues/" + queue + "/take";
                    case 2 -> "/v1/settle";
                    default -> "/v1/touch";
                };
        ObjectNode right =
                switch (kind) {
                    case 0 -> newTask(NODES.objectNode());
                    case 1 -> NODES.objectNode().put("count", 1 + random.nextInt(3));
                    case 2 -> ended(leaseToken());
                    default -> touched(leaseToken());
                };
        byte[] body = JSON.writeValueAsBytes(mutate(right));
        HttpResponse<byte[]> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(damage(body)))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        count(Integer.toString(answer.statusCode()));
        assertThat(answer.statusCode())
                .as("seed %d: %s %s", SEED, path, new String(body, java.nio.charset.StandardCharsets.UTF_8))
                .isLessThan(500);
        if (answer.statusCode() < 300) {
            note(JSON.readTree(answer.body()));
        }
    }

    private void note(JsonNode body) {
        body.path("ids").forEach(id -> accepted.add(id.longValue()));
        body.path("tasks").forEach(task -> leaseTokens.add(task.get("lease").textValue()));
    }

    private JsonNode leaseToken() {
        return NODES.textNode(leaseTokens.remove(random.nextInt(leaseTokens.size())));
    }

    // The WebSocket

    private void message() throws Exception {
        String op = pick(List.of("put", "take", "settle", "touch", "peek", "list", "queue-stats", "heartbeat", "kick"));
        ObjectNode right = Cbor.map();
        switch (op) {
            case "put" -> right.withArray("tasks").add(newTask(Cbor.map().put("queue", pick(QUEUES))));
            case "take" -> right.put("queue", pick(QUEUES)).put("count", 1 + random.nextInt(3));
            case "settle" -> right = ended(lease());
            case "touch" -> right = touched(lease());
            case "peek", "kick" -> right.put("task", anyTask());
            case "list" -> right.put("queue", pick(QUEUES)).put("limit", 5);
            case "heartbeat" -> right.put("session", "nobody");
            default -> right.put("queue", pick(QUEUES));
        }
        right.put("id", 1L).put("op", op);
        byte[] bytes = damage(Cbor.write(List.of(mutate(right))));
        // A request of our own behind it: whatever the first was, this one is answered, or the connection has ended.
        try {
            socket.send(bytes);
            socket.send(Cbor.write(List.of(Cbor.map().put("id", -7L).put("op", "now"))));
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(IOException.class);
        }
        while (true) {
            JsonNode answer = answer();
            if (answer == null) {
                count("closed");
                connect();
                return;
            }
            if (answer.path("id").longValue() == -7) {
                return;
            }
            String code = answer.path("error").path("code").asText("done");
            count(code);
            assertThat(code).as("seed %d: %s", SEED, right).isNotIn("internal", "storage-unavailable");
            noteResults(answer.path("result"));
        }
    }

    /** Null when the connection has ended. */
    private JsonNode answer() throws InterruptedException {
        while (true) {
            JsonNode map = socket.poll();
            if (map != null || socket.closed.isDone()) {
                return map;
            }
        }
    }

    private void noteResults(JsonNode results) {
        for (JsonNode result : results) {
            if (result.has("lease")) {
                leases.add(result.get("lease"));
            } else if (result.has("created") && result.get("created").isBoolean() && result.has("task")) {
                accepted.add(result.get("task").longValue());
            }
        }
    }

    private JsonNode lease() {
        return leases.isEmpty() ? NODES.binaryNode(new byte[16]) : leases.remove(random.nextInt(leases.size()));
    }

    private long anyTask() {
        return accepted.isEmpty() ? 1 : accepted.iterator().next();
    }

    // What is right

    private ObjectNode newTask(ObjectNode task) {
        task.put("priority", random.nextInt(5));
        if (random.nextInt(4) == 0) {
            task.put("key", "key" + random.nextInt(3));
        }
        if (random.nextInt(6) == 0) {
            task.put("ttr", 30);
        }
        return task;
    }

    private ObjectNode ended(JsonNode lease) {
        ObjectNode map = NODES.objectNode();
        ObjectNode settle = map.withArray("settles").addObject();
        settle.put("outcome", pick(List.of("ack", "release", "ack", "fail"))).set("lease", lease);
        return map;
    }

    private static ObjectNode touched(JsonNode lease) {
        ObjectNode map = NODES.objectNode();
        map.withArray("touches").addObject().put("by", 10).set("lease", lease);
        return map;
    }

    // What is wrong

    /** Two of three stay right, each another one; of the others a value or a name is changed. */
    private ObjectNode mutate(ObjectNode right) {
        if (random.nextInt(3) != 0) {
            return right;
        }
        ObjectNode inner = right;
        for (JsonNode child : right) {
            if (child instanceof ArrayNode array && array.size() > 0 && array.get(0) instanceof ObjectNode object) {
                inner = random.nextBoolean() ? object : inner;
            }
        }
        List<String> names = new ArrayList<>();
        inner.fieldNames().forEachRemaining(names::add);
        names.remove("id");
        String name = names.isEmpty() ? "x" : pick(names);
        switch (random.nextInt(4)) {
            case 0 -> inner.remove(name);
            case 1 -> inner.put("un" + name, 1);
            case 2 -> inner.set(name, anyValue(0));
            default ->
                inner.put(pick(List.of("priority", "delay", "ttl", "count", "limit", "key", "group")), hugeNumber());
        }
        return right;
    }

    private JsonNode anyValue(int depth) {
        return switch (random.nextInt(depth > 3 ? 6 : 8)) {
            case 0 -> NODES.nullNode();
            case 1 -> NODES.booleanNode(random.nextBoolean());
            case 2 -> NODES.numberNode(hugeNumber());
            case 3 -> NODES.numberNode(random.nextDouble() * 1e30);
            case 4 -> NODES.textNode("\0" + Character.toString(random.nextInt(0x20, 0xd000)));
            case 5 -> NODES.binaryNode(new byte[random.nextInt(40)]);
            case 6 -> NODES.arrayNode().add(anyValue(depth + 1));
            default -> NODES.objectNode().set("x", anyValue(depth + 1));
        };
    }

    private long hugeNumber() {
        return pick(List.of(Long.MAX_VALUE, Long.MIN_VALUE, -1L, 0L, 1L << 31, random.nextLong()));
    }

    /** One in twenty is broken as bytes too. */
    private byte[] damage(byte[] bytes) {
        if (random.nextInt(20) != 0 || bytes.length == 0) {
            return bytes;
        }
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        return bytes;
    }

    private <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void count(String answer) {
        answers.merge(answer, 1, Integer::sum);
    }

    // Afterwards

    private void judge() {
        int right = answers.getOrDefault("done", 0) + answers.getOrDefault("200", 0) + answers.getOrDefault("201", 0);
        assertThat(right).as("reached the storage, of %s", answers).isGreaterThan(CALLS / 4);
        QUEUES.forEach(queue -> leat.queue(queue).releaseAll());
        assertThat(leat.stats())
                .allSatisfy(stats -> assertThat(stats.count(TaskState.TAKEN)).isZero());
        Set<Long> seen = new HashSet<>();
        QUEUES.forEach(queue -> drain(queue, seen));
        QUEUES.forEach(queue -> finished(queue, seen));
        assertThat(seen).as("seed %d: tasks that are there", SEED).containsAll(accepted);
    }

    private void drain(String queue, Set<Long> seen) {
        leat.queue(queue).kick(Integer.MAX_VALUE);
        for (List<TakenTask> taken = take(queue); !taken.isEmpty(); taken = take(queue)) {
            taken.forEach(task -> assertThat(seen.add(task.id()))
                    .as("task %d once", task.id())
                    .isTrue());
            leat.settle(taken.stream().map(task -> Settle.ack(task.lease())).toList());
        }
    }

    private List<TakenTask> take(String queue) {
        return leat.take(TakeRequest.from(queue).count(1_000));
    }

    /** Those that ended before, and those that wait for their time. */
    private void finished(String queue, Set<Long> seen) {
        TaskQuery query = TaskQuery.of(queue).states(Set.of(TaskState.values())).limit(TaskQuery.MAX_LIMIT);
        for (List<Task> page = leat.list(query); !page.isEmpty(); page = leat.list(query)) {
            page.forEach(task -> seen.add(task.id()));
            query = query.after(page.get(page.size() - 1).id());
        }
    }
}
