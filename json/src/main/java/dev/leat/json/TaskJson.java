package dev.leat.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Attempt;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.Predecessor;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Tasks as JSON, in the one form that HTTP, the command line and webhooks share.
 *
 * <p>A JSON payload is the value itself. Text is a string beside its {@code contentType}; any other payload is base64
 * beside its {@code contentType} and {@code "encoding": "base64"}. Times are ISO 8601, and durations are seconds;
 * durations in the form of {@link DurationText} are read too. Empty fields are left out.
 */
public final class TaskJson {
    private static final String BASE64 = "base64";

    private TaskJson() {}

    // Reading

    /** Reads a task for {@code queue}; an error names the unknown or wrong field. */
    public static NewTask newTask(String queue, JsonNode described) {
        return newTask(queue, JsonFields.of("task", described));
    }

    /** The same for JSON with a field {@code queue}. */
    public static NewTask newTask(JsonNode described) {
        JsonFields fields = JsonFields.of("task", described);
        return newTask(
                fields.text("queue").orElseThrow(() -> new InvalidRequestException("queue", "is missing")), fields);
    }

    private static NewTask newTask(String queue, JsonFields fields) {
        NewTask.Builder task = NewTask.to(queue).payload(payload(fields));
        fields.integer("priority").ifPresent(task::priority);
        fields.duration("delay").ifPresent(task::delay);
        fields.instant("due").map(When::at).ifPresent(task::due);
        fields.duration("ttl").ifPresent(task::ttl);
        fields.duration("ttr").ifPresent(task::ttr);
        fields.text("idempotencyKey").ifPresent(task::idempotencyKey);
        readUnlessEquivalent(fields, task);
        readNames(fields, task);
        fields.end();
        return task.build();
    }

    /** Reads {@code true}, or the states in which an equivalent task prevents the put. */
    public static void readUnlessEquivalent(JsonFields fields, NewTask.Builder task) {
        Optional<JsonNode> value = fields.any("unlessEquivalent");
        if (value.isPresent() && value.get().isArray()) {
            Set<TaskState> states = EnumSet.noneOf(TaskState.class);
            fields.texts("unlessEquivalent").orElseThrow().forEach(name -> states.add(state("unlessEquivalent", name)));
            task.unlessEquivalent(states);
        } else {
            fields.flag("unlessEquivalent").filter(is -> is).ifPresent(is -> task.unlessEquivalent());
        }
    }

    /** Finds a state by its name; an error lists all names. */
    public static TaskState state(String field, String name) {
        return Arrays.stream(TaskState.values())
                .filter(state -> name(state).equals(name))
                .findFirst()
                .orElseThrow(() -> new InvalidRequestException(
                        field,
                        "must be of "
                                + Arrays.stream(TaskState.values())
                                        .map(TaskJson::name)
                                        .toList()
                                + ", was '" + name + "'"));
    }

    /** Writes the names and labels of a task, which all forms share. */
    public static void readNames(JsonFields fields, NewTask.Builder task) {
        fields.text("key").ifPresent(task::key);
        fields.text("address").ifPresent(task::address);
        fields.number("group").ifPresent(task::group);
        readPredecessors(fields, task);
        fields.text("type").ifPresent(task::type);
        fields.text("tenant").ifPresent(task::tenant);
        fields.text("businessGroup").ifPresent(task::businessGroup);
        fields.text("origin").ifPresent(task::origin);
        fields.text("destination").ifPresent(task::destination);
        fields.text("externalKey").ifPresent(task::externalKey);
        fields.flag("publication").filter(is -> is).ifPresent(is -> task.publication());
        fields.object("tags").ifPresent(tags -> tags.names()
                .forEach(name -> tags.number(name).ifPresent(value -> task.tag(name, value))));
        fields.object("trace").ifPresent(trace -> trace.names()
                .forEach(name -> trace.text(name).ifPresent(value -> task.trace(name, value))));
    }

    private static void readPredecessors(JsonFields fields, NewTask.Builder task) {
        fields.numbers("after").ifPresent(ids -> ids.forEach(task::after));
        fields.numbers("afterEnd").ifPresent(ids -> ids.forEach(task::afterEnd));
    }

    /** Writes the ids of the tasks that this task waits for. */
    public static void putPredecessors(ObjectNode json, List<Predecessor> before) {
        for (Predecessor each : before) {
            if (each instanceof Predecessor.Known known) {
                json.withArray(known.until() == Predecessor.Until.DONE ? "after" : "afterEnd")
                        .add(known.task());
            }
        }
    }

    /** Reads the field {@code payload}, its content type and its encoding. */
    public static Payload payload(JsonFields fields) {
        Optional<JsonNode> value = fields.any("payload");
        Optional<String> contentType = fields.text("contentType");
        Optional<String> encoding = fields.text("encoding");
        if (value.isEmpty()) {
            return Payload.empty();
        }
        if (encoding.isPresent()) {
            return decoded(encoding.get(), fields.text("payload").orElse(""), contentType.orElse(Payload.BINARY));
        }
        if (contentType.isEmpty() || ContentTypes.isJson(contentType.get())) {
            return Payload.of(bytes(value.get()), contentType.orElse(Payload.JSON));
        }
        if (!ContentTypes.isText(contentType.get())) {
            throw new InvalidRequestException(
                    "encoding", "must be base64 for a payload of the type '" + contentType.get() + "'");
        }
        return Payload.of(fields.text("payload").orElse("").getBytes(StandardCharsets.UTF_8), contentType.get());
    }

    private static Payload decoded(String encoding, String text, String contentType) {
        if (!encoding.equals(BASE64)) {
            throw new InvalidRequestException("encoding", "must be base64, was '" + encoding + "'");
        }
        try {
            return Payload.of(Base64.getDecoder().decode(text), contentType);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("payload", "is not valid base64: " + e.getMessage(), e);
        }
    }

    // Writing

    /** Writes a stored task. */
    public static ObjectNode of(Task task) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", task.id()).put("queue", task.queue()).put("state", name(task.state()));
        json.put("priority", task.priority());
        put(json, "created", Optional.of(task.created()));
        put(json, "due", Optional.of(task.due()));
        put(json, "expires", task.expires());
        put(json, "finished", task.finished());
        task.ttr().ifPresent(ttr -> json.put("ttr", DurationText.seconds(ttr)));
        putNames(json, task.given());
        json.put("attempts", task.attempts()).put("failures", task.failures());
        json.put("losses", task.losses()).put("releases", task.releases());
        task.deadOf().ifPresent(id -> json.put("deadOf", id));
        if (task.isPublication()) {
            json.put("publication", true);
        }
        task.publicationId().ifPresent(id -> json.put("publicationId", id));
        putText(json, "subscriber", task.subscriber());
        if (task.cancelRequested()) {
            json.put("cancelRequested", true);
        }
        putText(json, "message", task.message());
        if (task.failureCode() != 0) {
            json.put("errorCode", task.failureCode());
        }
        putPayload(json, task.payload());
        task.result().ifPresent(result -> putPayload(json.putObject("result"), result));
        return json;
    }

    /** Writes a task to put, in the form that {@link #newTask(JsonNode)} reads. */
    public static ObjectNode of(NewTask task) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("queue", task.queue());
        task.priority().ifPresent(priority -> json.put("priority", priority));
        if (task.due() instanceof When.At at) {
            put(json, "due", Optional.of(at.instant()));
        } else if (task.due() instanceof When.In in && !in.delay().isZero()) {
            json.put("delay", DurationText.seconds(in.delay()));
        }
        task.ttl().ifPresent(ttl -> json.put("ttl", DurationText.seconds(ttl)));
        task.ttr().ifPresent(ttr -> json.put("ttr", DurationText.seconds(ttr)));
        putText(json, "idempotencyKey", task.idempotencyKey());
        putNames(json, task);
        if (task.isPublication()) {
            json.put("publication", true);
        }
        putPayload(json, task.payload());
        return json;
    }

    private static void putNames(ObjectNode json, NewTask task) {
        putText(json, "key", task.key());
        putText(json, "address", task.address());
        task.group().ifPresent(group -> json.put("group", group));
        putPredecessors(json, task.after());
        putText(json, "type", task.type());
        putText(json, "tenant", task.tenant());
        putText(json, "businessGroup", task.businessGroup());
        putText(json, "origin", task.origin());
        putText(json, "destination", task.destination());
        putText(json, "externalKey", task.externalKey());
        if (!task.tags().isEmpty()) {
            json.set("tags", JsonFields.MAPPER.valueToTree(task.tags()));
        }
        if (!task.trace().isEmpty()) {
            json.set("trace", JsonFields.MAPPER.valueToTree(task.trace()));
        }
    }

    /** Writes a taken task with its lease. */
    public static ObjectNode of(TakenTask taken) {
        ObjectNode json = of(taken.task());
        json.put("lease", taken.lease().token());
        put(json, "leaseUntil", taken.leaseUntil());
        return json;
    }

    /** Writes how a task ended. */
    public static ObjectNode of(Outcome outcome) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("task", outcome.taskId()).put("ended", true).put("ok", outcome.ok());
        json.put("state", name(outcome.state()));
        if (!outcome.message().isEmpty()) {
            json.put("message", outcome.message());
        }
        if (outcome.failureCode() != 0) {
            json.put("errorCode", outcome.failureCode());
        }
        outcome.result().ifPresent(result -> putPayload(json.putObject("result"), result));
        return json;
    }

    public static ObjectNode of(Attempt attempt) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("number", attempt.number())
                .put("outcome", attempt.outcome().name().toLowerCase(Locale.ROOT));
        put(json, "started", Optional.of(attempt.started()));
        put(json, "ended", Optional.of(attempt.ended()));
        json.put("message", attempt.message());
        putText(json, "session", attempt.session());
        put(json, "nextDue", attempt.nextDue());
        attempt.thrown()
                .ifPresent(thrown -> json.put("exception", thrown.exception()).put("stackTrace", thrown.stackTrace()));
        return json;
    }

    /** Writes the counts of a queue, by the names of the states. */
    public static ObjectNode of(QueueStats stats) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("queue", stats.queue());
        stats.number().ifPresent(number -> json.put("number", number));
        for (TaskState state : TaskState.values()) {
            json.put(name(state), stats.count(state));
        }
        return json.put("consumers", stats.consumers()).put("exact", stats.exact());
    }

    /** Writes the counts of a tenant, by the names of the states. */
    public static ObjectNode of(TenantStats stats) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        putText(json, "tenant", stats.tenant());
        putText(json, "businessGroup", stats.businessGroup());
        stats.counts().forEach((state, count) -> json.put(name(state), count));
        return json.put("exact", stats.exact());
    }

    /** The name of a state in JSON, on the command line and in messages. */
    public static String name(TaskState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static void put(ObjectNode json, String field, Optional<Instant> time) {
        time.ifPresent(instant -> json.put(field, instant.toString()));
    }

    private static void putText(ObjectNode json, String field, Optional<String> text) {
        text.ifPresent(value -> json.put(field, value));
    }

    /** A payload that is not valid for its content type is written as base64: a wrong payload must not hide its task. */
    private static void putPayload(ObjectNode json, Payload payload) {
        if (payload.size() == 0) {
            return;
        }
        if (ContentTypes.isJson(payload.contentType())) {
            try {
                json.set("payload", JsonFields.MAPPER.readTree(payload.bytes()));
                if (!payload.contentType().equals(Payload.JSON)) {
                    json.put("contentType", payload.contentType());
                }
                return;
            } catch (IOException e) {
                putBase64(json, payload);
                return;
            }
        }
        Optional<String> text = ContentTypes.isText(payload.contentType()) ? strictText(payload) : Optional.empty();
        if (text.isPresent()) {
            json.put("payload", text.get()).put("contentType", payload.contentType());
        } else {
            putBase64(json, payload);
        }
    }

    private static void putBase64(ObjectNode json, Payload payload) {
        json.put("payload", Base64.getEncoder().encodeToString(payload.bytes()));
        json.put("contentType", payload.contentType()).put("encoding", BASE64);
    }

    private static Optional<String> strictText(Payload payload) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload.bytes()))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static byte[] bytes(JsonNode value) {
        try {
            return JsonFields.MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new InvalidRequestException("payload", "cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }
}
