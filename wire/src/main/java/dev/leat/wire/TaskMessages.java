package dev.leat.wire;

import static dev.leat.wire.WireValues.need;
import static dev.leat.wire.WireValues.putDuration;
import static dev.leat.wire.WireValues.putText;
import static dev.leat.wire.WireValues.putTime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.Predecessor;
import dev.leat.PutResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.When;
import dev.leat.json.JsonFields;
import dev.leat.json.QueueJson;
import dev.leat.json.TaskJson;
import dev.leat.storage.Redriven;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Tasks to put, stored tasks, and queries for tasks. */
public final class TaskMessages {
    private TaskMessages() {}

    // Tasks to put

    public static ObjectNode of(NewTask task) {
        ObjectNode map = Cbor.map().put("queue", task.queue());
        task.priority().ifPresent(priority -> map.put("priority", priority));
        if (task.due() instanceof When.At at) {
            map.put("due", WireValues.micros(at.instant()));
        } else if (task.due() instanceof When.In in && !in.delay().isZero()) {
            map.put("delay", WireValues.seconds(in.delay()));
        }
        putDuration(map, "ttl", task.ttl());
        putDuration(map, "ttr", task.ttr());
        putText(map, "idempotencyKey", task.idempotencyKey());
        putText(map, "fingerprint", task.fingerprint());
        task.unlessEquivalent()
                .ifPresent(
                        equivalence -> map.set("unlessEquivalent", WireValues.list(equivalence.states(), Names::of)));
        putNames(map, task);
        for (Predecessor before : task.after()) {
            if (before instanceof Predecessor.InPut other) {
                map.withArray(other.until() == Predecessor.Until.DONE ? "afterInPut" : "afterEndInPut")
                        .add(other.position());
            }
        }
        putPayload(map, task.payload());
        return map;
    }

    /** The fields that a stored task keeps from its put. */
    private static void putNames(ObjectNode map, NewTask task) {
        putText(map, "key", task.key());
        putText(map, "address", task.address());
        task.group().ifPresent(group -> map.put("group", group));
        TaskJson.putPredecessors(map, task.after());
        putText(map, "type", task.type());
        putText(map, "tenant", task.tenant());
        putText(map, "businessGroup", task.businessGroup());
        putText(map, "origin", task.origin());
        putText(map, "destination", task.destination());
        putText(map, "externalKey", task.externalKey());
        putAll(map, task.tags(), task.trace());
        task.deadOf().ifPresent(id -> map.put("deadOf", id));
        if (task.isPublication()) {
            map.put("publication", true);
        }
        task.publicationId().ifPresent(id -> map.put("publicationId", id));
        putText(map, "subscriber", task.subscriber());
    }

    private static void putAll(ObjectNode map, Map<String, Long> tags, Map<String, String> trace) {
        if (!tags.isEmpty()) {
            ObjectNode inner = map.putObject("tags");
            tags.forEach(inner::put);
        }
        if (!trace.isEmpty()) {
            ObjectNode inner = map.putObject("trace");
            trace.forEach(inner::put);
        }
    }

    static void putPayload(ObjectNode map, Payload payload) {
        if (payload.size() > 0) {
            map.put("payload", payload.bytes());
        }
        if (!payload.contentType().equals(Payload.BINARY)) {
            map.put("contentType", payload.contentType());
        }
    }

    public static NewTask newTask(JsonNode described) {
        JsonFields fields = JsonFields.of("task", described);
        NewTask.Builder task = NewTask.to(WireValues.text(fields, "queue"));
        fields.integer("priority").ifPresent(task::priority);
        fields.duration("delay").ifPresent(task::delay);
        WireValues.time(fields, "due").map(When::at).ifPresent(task::due);
        fields.duration("ttl").ifPresent(task::ttl);
        fields.duration("ttr").ifPresent(task::ttr);
        Optional<String> fingerprint = fields.text("fingerprint");
        fields.text("idempotencyKey")
                .ifPresent(key -> fingerprint.ifPresentOrElse(
                        print -> task.idempotencyKey(key, print), () -> task.idempotencyKey(key)));
        TaskJson.readUnlessEquivalent(fields, task);
        TaskJson.readNames(fields, task);
        readPositions(fields, "afterInPut", Predecessor.Until.DONE, task);
        readPositions(fields, "afterEndInPut", Predecessor.Until.ENDED, task);
        payload(fields).ifPresent(task::payload);
        NewTask read = copyOrNot(fields, task.build());
        fields.end();
        return read;
    }

    private static void readPositions(JsonFields fields, String field, Predecessor.Until until, NewTask.Builder task) {
        fields.numbers(field)
                .ifPresent(positions -> positions.forEach(
                        position -> task.after(new Predecessor.InPut(Math.toIntExact(position), until))));
    }

    static Optional<Payload> payload(JsonFields fields) {
        Optional<byte[]> bytes = fields.bytes("payload");
        Optional<String> contentType = fields.text("contentType");
        if (bytes.isEmpty() && contentType.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Payload.of(bytes.orElseGet(() -> new byte[0]), contentType.orElse(Payload.BINARY)));
    }

    // Stored tasks

    public static ObjectNode of(Task task) {
        ObjectNode map = Cbor.map()
                .put("task", task.id())
                .put("queue", task.queue())
                .put("state", WireValues.name(task.state()))
                .put("priority", task.priority())
                .put("created", WireValues.micros(task.created()))
                .put("due", WireValues.micros(task.due()));
        putTime(map, "previousDue", task.previousDue());
        putTime(map, "expires", task.expires());
        putTime(map, "finished", task.finished());
        putDuration(map, "ttr", task.ttr());
        putCount(map, "attempts", task.attempts());
        putCount(map, "failures", task.failures());
        putCount(map, "losses", task.losses());
        putCount(map, "releases", task.releases());
        if (task.cancelRequested()) {
            map.put("cancelRequested", true);
        }
        putText(map, "payloadHash", task.payloadHash());
        putText(map, "message", task.message());
        putCount(map, "errorCode", task.failureCode());
        task.result().ifPresent(result -> putPayload(map.putObject("result"), result));
        putNames(map, task.given());
        putPayload(map, task.payload());
        return map;
    }

    private static void putCount(ObjectNode map, String field, int count) {
        if (count != 0) {
            map.put(field, count);
        }
    }

    public static Task task(JsonNode described) {
        JsonFields fields = JsonFields.of("task", described);
        Task task = task(fields);
        fields.end();
        return task;
    }

    private static NewTask copyOrNot(JsonFields fields, NewTask task) {
        Optional<Long> publication = fields.number("publicationId");
        Optional<String> subscriber = fields.text("subscriber");
        return publication.isPresent() && subscriber.isPresent()
                ? task.copyOf(publication.get(), subscriber.get())
                : task;
    }

    private static Task task(JsonFields fields) {
        NewTask.Builder names = NewTask.to(WireValues.text(fields, "queue"));
        TaskJson.readNames(fields, names);
        payload(fields).ifPresent(names::payload);
        int priority = need("priority", fields.integer("priority"));
        Optional<Long> deadOf = fields.number("deadOf");
        NewTask given = copyOrNot(fields, names.build());
        return Task.of(
                        need("task", fields.number("task")),
                        deadOf.isPresent() ? given.deadRun(deadOf.get(), priority) : given,
                        WireValues.oneOf(fields, "state", TaskState.class),
                        need("created", WireValues.time(fields, "created")),
                        need("due", WireValues.time(fields, "due")))
                .priority(priority)
                .previousDue(WireValues.time(fields, "previousDue").orElse(null))
                .expires(WireValues.time(fields, "expires").orElse(null))
                .finished(WireValues.time(fields, "finished").orElse(null))
                .ttr(fields.duration("ttr").orElse(null))
                .counts(
                        count(fields, "attempts"),
                        count(fields, "failures"),
                        count(fields, "losses"),
                        count(fields, "releases"))
                .cancelRequested(fields.flag("cancelRequested").orElse(false))
                .payloadHash(fields.text("payloadHash").orElse(null))
                .message(fields.text("message").orElse(null))
                .failureCode(count(fields, "errorCode"))
                .result(fields.object("result")
                        .map(result -> payload(result).orElse(Payload.empty()))
                        .orElse(null))
                .build();
    }

    private static int count(JsonFields fields, String field) {
        return fields.integer(field).orElse(0);
    }

    public static ObjectNode of(TakenTask taken) {
        ObjectNode map = of(taken.task());
        map.set("lease", WireValues.of(taken.lease()));
        putTime(map, "leaseUntil", taken.leaseUntil());
        return map;
    }

    public static TakenTask taken(JsonNode described) {
        JsonFields fields = JsonFields.of("task", described);
        TakenTask taken = new TakenTask(task(fields), WireValues.lease(fields), WireValues.time(fields, "leaseUntil"));
        fields.end();
        return taken;
    }

    // Queries

    /** Adds the query to the other fields of the map. */
    public static void put(ObjectNode map, TakeRequest request) {
        map.put("queue", request.queue()).put("count", request.count());
        request.types().ifPresent(types -> types.forEach(map.putArray("types")::add));
        if (request.maxPriority() != Integer.MAX_VALUE) {
            map.put("maxPriority", request.maxPriority());
        }
        map.set("order", QueueJson.of(request.order()));
        putText(map, "session", request.session());
        putDuration(map, "ttr", request.ttr());
        if (request.isDetached()) {
            map.put("detached", true);
        }
    }

    public static TakeRequest takeRequest(JsonFields fields) {
        TakeRequest request = TakeRequest.from(WireValues.text(fields, "queue"));
        request = fields.integer("count").map(request::count).orElse(request);
        request = fields.texts("types").map(HashSet::new).map(request::types).orElse(request);
        request = fields.integer("maxPriority").map(request::maxPriority).orElse(request);
        request = fields.any("order")
                .filter(order -> !order.isNull())
                .map(QueueJson::order)
                .map(request::order)
                .orElse(request);
        request = fields.duration("ttr").map(request::ttr).orElse(request);
        request = fields.text("session").map(request::session).orElse(request);
        return fields.flag("detached").orElse(false) ? request.detached() : request;
    }

    public static void put(ObjectNode map, TaskQuery query) {
        putText(map, "queue", query.queue());
        map.set("states", WireValues.list(query.states(), Names::of));
        query.types().ifPresent(types -> map.set("types", WireValues.list(types, TextNode::valueOf)));
        putText(map, "tenant", query.tenant());
        putText(map, "key", query.key());
        putText(map, "address", query.address());
        putText(map, "subscriber", query.subscriber());
        putText(map, "message", query.message());
        query.group().ifPresent(group -> map.put("group", group));
        map.put("after", query.after()).put("limit", query.limit());
    }

    public static TaskQuery query(JsonFields fields) {
        TaskQuery query = TaskQuery.live();
        query = fields.text("queue").map(query::queue).orElse(query);
        query = query.states(states(fields).orElse(TaskState.live()));
        query = fields.texts("types").map(HashSet::new).map(query::types).orElse(query);
        query = fields.text("tenant").map(query::tenant).orElse(query);
        query = fields.text("key").map(query::key).orElse(query);
        query = fields.text("address").map(query::address).orElse(query);
        query = fields.text("subscriber").map(query::subscriber).orElse(query);
        query = fields.text("message").map(query::message).orElse(query);
        query = fields.number("group").map(query::group).orElse(query);
        query = fields.number("after").map(query::after).orElse(query);
        return fields.integer("limit").map(query::limit).orElse(query);
    }

    private static Optional<Set<TaskState>> states(JsonFields fields) {
        return fields.array("states").map(values -> {
            Set<TaskState> states = EnumSet.noneOf(TaskState.class);
            states.addAll(WireValues.list("states", values, value -> Names.read("state", value, TaskState.class)));
            return states;
        });
    }

    public static void put(ObjectNode map, Equivalence equivalence) {
        map.set("to", of(equivalence.task()));
        map.set("states", WireValues.list(equivalence.states(), Names::of));
    }

    public static Equivalence equivalence(JsonFields fields) {
        NewTask task = newTask(need("to", fields.any("to")));
        return states(fields).map(states -> new Equivalence(task, states)).orElseGet(() -> Equivalence.to(task));
    }

    // Results and events

    public static ObjectNode of(PutResult result) {
        return Cbor.map()
                .put("task", result.id())
                .put("created", result.created())
                .put("state", WireValues.name(result.state()));
    }

    public static PutResult putResult(JsonNode described) {
        JsonFields fields = JsonFields.of("result", described);
        PutResult result = new PutResult(
                need("task", fields.number("task")),
                need("created", fields.flag("created")),
                WireValues.oneOf(fields, "state", TaskState.class));
        fields.end();
        return result;
    }

    public static ObjectNode of(TaskEvent event) {
        return Cbor.map()
                .put("kind", WireValues.name(event.kind()))
                .put("queue", event.queue())
                .put("task", event.taskId())
                .put("state", WireValues.name(event.state()));
    }

    public static ObjectNode of(Redriven redriven) {
        ObjectNode map = Cbor.map().set("kicked", WireValues.list(redriven.kicked(), TaskMessages::of));
        redriven.next().ifPresent(next -> map.put("next", next));
        return map;
    }

    public static Redriven redriven(JsonNode described) {
        JsonFields fields = JsonFields.of("redriven", described);
        Redriven redriven = new Redriven(
                WireValues.list(fields, "kicked", TaskMessages::event),
                fields.number("next").map(OptionalLong::of).orElse(OptionalLong.empty()));
        fields.end();
        return redriven;
    }

    public static TaskEvent event(JsonNode described) {
        JsonFields fields = JsonFields.of("event", described);
        TaskEvent event = new TaskEvent(
                WireValues.oneOf(fields, "kind", TaskEvent.Kind.class),
                WireValues.text(fields, "queue"),
                need("task", fields.number("task")),
                WireValues.oneOf(fields, "state", TaskState.class));
        fields.end();
        return event;
    }

    public static ObjectNode of(Attempt attempt) {
        ObjectNode map = Cbor.map()
                .put("number", attempt.number())
                .put("started", WireValues.micros(attempt.started()))
                .put("ended", WireValues.micros(attempt.ended()))
                .put("outcome", WireValues.name(attempt.outcome()))
                .put("message", attempt.message());
        putText(map, "session", attempt.session());
        putTime(map, "nextDue", attempt.nextDue());
        putThrown(map, attempt.thrown());
        return map;
    }

    static void putThrown(ObjectNode map, Optional<Thrown> thrown) {
        thrown.ifPresent(it -> map.put("exception", it.exception()).put("stackTrace", it.stackTrace()));
    }

    /** Ignores a stack trace without an exception class. */
    static Optional<Thrown> thrown(JsonFields fields) {
        String stackTrace = fields.text("stackTrace").orElse("");
        return fields.text("exception").map(exception -> new Thrown(exception, stackTrace));
    }

    public static Attempt attempt(JsonNode described) {
        JsonFields fields = JsonFields.of("attempt", described);
        Attempt attempt = new Attempt(
                need("number", fields.integer("number")),
                need("started", WireValues.time(fields, "started")),
                need("ended", WireValues.time(fields, "ended")),
                WireValues.oneOf(fields, "outcome", Attempt.Outcome.class),
                WireValues.text(fields, "message"),
                fields.text("session"),
                WireValues.time(fields, "nextDue"),
                thrown(fields));
        fields.end();
        return attempt;
    }

    public static ObjectNode of(Outcome outcome) {
        ObjectNode map = Cbor.map()
                .put("task", outcome.taskId())
                .put("state", WireValues.name(outcome.state()))
                .put("message", outcome.message())
                .put("errorCode", outcome.failureCode());
        outcome.result().ifPresent(result -> putPayload(map.putObject("result"), result));
        return map;
    }

    public static Outcome outcome(JsonNode described) {
        JsonFields fields = JsonFields.of("outcome", described);
        Outcome outcome = new Outcome(
                need("task", fields.number("task")),
                WireValues.oneOf(fields, "state", TaskState.class),
                WireValues.text(fields, "message"),
                need("errorCode", fields.integer("errorCode")),
                fields.object("result").map(result -> payload(result).orElse(Payload.empty())));
        fields.end();
        return outcome;
    }
}
