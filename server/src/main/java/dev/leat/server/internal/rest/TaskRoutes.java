package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.json.JsonFields;
import dev.leat.json.QueueJson;
import dev.leat.json.TaskJson;
import dev.leat.server.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls for tasks. */
final class TaskRoutes {
    private static final Logger log = LoggerFactory.getLogger(TaskRoutes.class);
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Set<String> FILTERS = Set.of(
            "queue", "state", "type", "tenant", "key", "address", "subscriber", "message", "group", "after", "limit");
    private static final int MOST_AT_ONCE = 10_000;
    private static final int MOST_TAKEN = 1_000;

    private final Leat leat;
    private final QueueAccess gate;
    private final Duration longestWait;

    TaskRoutes(Leat leat, QueueAccess gate, Duration longestWait) {
        this.leat = leat;
        this.gate = gate;
        this.longestWait = longestWait;
    }

    // Puts

    /** Puts one task, or {@code {"tasks": […]}}: all of them or none. */
    Reply put(RestCall call) {
        JsonNode body = call.json();
        List<NewTask> tasks = body.has("tasks")
                ? tasks(call, body)
                : List.of(RepeatablePut.one(TaskJson.newTask(call.path("queue"), body), body, call.idempotencyKey()));
        ArrayNode ids = JSON.arrayNode();
        ArrayNode existing = JSON.arrayNode();
        for (PutResult result : leat.putAll(tasks)) {
            ids.add(result.id());
            if (!result.created()) {
                existing.add(result.id());
            }
        }
        ObjectNode json = JSON.objectNode().set("ids", ids);
        return Reply.created(existing.isEmpty() ? json : json.set("existing", existing));
    }

    private static List<NewTask> tasks(RestCall call, JsonNode body) {
        JsonFields fields = JsonFields.of("put", body);
        List<JsonNode> described = atMost("tasks", fields.array("tasks").orElse(List.of()));
        fields.end();
        List<NewTask> tasks = new ArrayList<>();
        for (int i = 0; i < described.size(); i++) {
            tasks.add(task(call.path("queue"), described.get(i), i));
        }
        return RepeatablePut.all(tasks, described, call.idempotencyKey());
    }

    private static NewTask task(String queue, JsonNode described, int number) {
        try {
            return TaskJson.newTask(queue, described);
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("tasks[" + number + "]." + e.field(), e.problem(), e);
        }
    }

    private static <T> List<T> atMost(String field, List<T> values) {
        if (values.size() > MOST_AT_ONCE) {
            throw new InvalidRequestException(
                    field, "must be at most " + MOST_AT_ONCE + " at once, were " + values.size());
        }
        return values;
    }

    // Takes

    Route.Waiting<List<TakenTask>> take() {
        return new Route.Waiting<>(this::take, TaskRoutes::taken, taken(List.of()), this::givingBack);
    }

    /** Without a session, a lease ends after its time limit; the default is one minute. */
    private CompletableFuture<List<TakenTask>> take(RestCall call) {
        JsonFields fields = call.fields("take");
        TakeRequest request = TakeRequest.from(call.path("queue"));
        request = fields.integer("count")
                .map(TaskRoutes::count)
                .map(request::count)
                .orElse(request);
        request = fields.duration("ttr").map(request::ttr).orElse(request);
        request = fields.texts("types")
                .map(LinkedHashSet::new)
                .map(request::types)
                .orElse(request);
        request = fields.integer("maxPriority").map(request::maxPriority).orElse(request);
        request = fields.any("order")
                .filter(order -> !order.isNull())
                .map(QueueJson::order)
                .map(request::order)
                .orElse(request);
        request = fields.text("session")
                .map(SessionRoutes::id)
                .map(request::session)
                .orElse(request);
        Duration wait = fields.duration("wait").orElse(Duration.ZERO);
        fields.end();
        TakeRequest asked = request.session().isPresent() ? request : request.detached();
        if (wait.isZero()) {
            return CompletableFuture.completedFuture(leat.take(asked));
        }
        return leat.takeAsync(List.of(asked), wait.compareTo(longestWait) > 0 ? longestWait : wait);
    }

    /** Bounds the size of one answer. */
    private static int count(int count) {
        if (count > MOST_TAKEN) {
            throw new InvalidRequestException("count", "must be at most " + MOST_TAKEN + ", was " + count);
        }
        return count;
    }

    private Optional<Runnable> givingBack(List<TakenTask> tasks) {
        return tasks.isEmpty() ? Optional.empty() : Optional.of(() -> giveBack(tasks));
    }

    private void giveBack(List<TakenTask> tasks) {
        try {
            leat.settle(
                    tasks.stream().map(task -> Settle.giveBack(task.lease())).toList());
        } catch (LeatException e) {
            log.warn(
                    "Could not give back {} tasks of a consumer that is gone; they come back when their leases end",
                    tasks.size(),
                    e);
        }
    }

    private static Reply taken(List<TakenTask> tasks) {
        ArrayNode json = JSON.arrayNode();
        tasks.forEach(task -> json.add(TaskJson.of(task)));
        return Reply.ok(JSON.objectNode().set("tasks", json));
    }

    // Settles

    Reply settle(RestCall call) {
        JsonFields fields = call.fields("settle");
        List<JsonNode> described = atMost("settles", fields.array("settles").orElse(List.of()));
        fields.end();
        List<Settle> settles = new ArrayList<>();
        for (int i = 0; i < described.size(); i++) {
            settles.add(settle(described.get(i), i));
        }
        gate.checkLeases(call, settles.stream().map(Settle::lease));
        ArrayNode results = JSON.arrayNode();
        for (SettleResult result : leat.settle(settles)) {
            ObjectNode json = JSON.objectNode().put("result", name(result.status()));
            results.add(result.accepted() ? json.put("state", TaskJson.name(result.state())) : json);
        }
        return Reply.ok(JSON.objectNode().set("results", results));
    }

    private enum HowItEnded {
        ACK,
        FAIL,
        RETRY,
        RELEASE,
        BURY,
        CANCEL
    }

    private static Settle settle(JsonNode described, int number) {
        try {
            JsonFields fields = JsonFields.of("settle", described);
            Lease lease = lease(fields);
            HowItEnded outcome = fields.oneOf("outcome", HowItEnded.class)
                    .orElseThrow(() -> new InvalidRequestException("outcome", "is missing"));
            Settle settle =
                    switch (outcome) {
                        case ACK ->
                            new Settle.Ack(
                                    lease,
                                    message(fields),
                                    fields.object("result").map(TaskRoutes::result));
                        case FAIL ->
                            new Settle.Fail(
                                    lease,
                                    message(fields),
                                    fields.integer("code").orElse(0));
                        case RETRY -> Settle.retry(lease, When.in(delay(fields)), message(fields));
                        case RELEASE -> Settle.release(lease, delay(fields));
                        case BURY -> Settle.bury(lease, message(fields));
                        case CANCEL -> Settle.cancel(lease, message(fields));
                    };
            fields.end();
            return settle;
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("settles[" + number + "]." + e.field(), e.problem(), e);
        }
    }

    /** The result, for callers that wait for the task. */
    private static Payload result(JsonFields fields) {
        Payload result = TaskJson.payload(fields);
        fields.end();
        return result;
    }

    private static String message(JsonFields fields) {
        return fields.text("message").orElse("");
    }

    private static Duration delay(JsonFields fields) {
        return fields.duration("delay").orElse(Duration.ZERO);
    }

    static Lease lease(JsonFields fields) {
        return Lease.parse(fields.text("lease").orElseThrow(() -> new InvalidRequestException("lease", "is missing")));
    }

    Reply touch(RestCall call) {
        JsonFields fields = call.fields("touch");
        List<JsonNode> described = atMost("touches", fields.array("touches").orElse(List.of()));
        fields.end();
        List<Touch> touches = new ArrayList<>();
        for (int i = 0; i < described.size(); i++) {
            touches.add(touch(described.get(i), i));
        }
        gate.checkLeases(call, touches.stream().map(Touch::lease));
        ArrayNode results = JSON.arrayNode();
        for (Touch.Result result : leat.storage().touch(touches)) {
            ObjectNode json = JSON.objectNode().put("result", name(result.status()));
            result.leaseUntil().ifPresent(until -> json.put("leaseUntil", until.toString()));
            results.add(json);
        }
        return Reply.ok(JSON.objectNode().set("results", results));
    }

    private static Touch touch(JsonNode described, int number) {
        try {
            JsonFields fields = JsonFields.of("touch", described);
            Touch touch = new Touch(
                    lease(fields),
                    fields.duration("by").orElseThrow(() -> new InvalidRequestException("by", "is missing")));
            fields.end();
            return touch;
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("touches[" + number + "]." + e.field(), e.problem(), e);
        }
    }

    // Read

    Reply get(RestCall call) {
        Task task = leat.peek(call.id()).orElseThrow(() -> new TaskNotFoundException(call.id()));
        ObjectNode json = TaskJson.of(task);
        ArrayNode unsuccessful = json.putArray("unsuccessful");
        leat.attempts(task.id()).forEach(attempt -> unsuccessful.add(TaskJson.of(attempt)));
        return Reply.ok(json);
    }

    /** One page. If there can be more, {@code next} is the value of {@code after} for the next page. */
    Reply list(RestCall call) {
        call.allowQuery(FILTERS);
        TaskQuery query = TaskQuery.live();
        call.query("queue").ifPresentOrElse(queue -> call.grant().check(Role.OPERATE, queue), () -> call.grant()
                .checkAllQueues("name one of them as 'queue'"));
        query = call.query("queue").map(query::queue).orElse(query);
        query = call.query("state").map(TaskRoutes::states).map(query::states).orElse(query);
        Set<String> types = call.queries("type");
        query = types.isEmpty() ? query : query.types(types);
        query = call.query("tenant").map(query::tenant).orElse(query);
        query = call.query("key").map(query::key).orElse(query);
        query = call.query("address").map(query::address).orElse(query);
        query = call.query("subscriber").map(query::subscriber).orElse(query);
        query = call.query("message").map(query::message).orElse(query);
        query = call.queryNumber("group").map(query::group).orElse(query);
        query = call.queryNumber("after").map(query::after).orElse(query);
        query = call.queryInteger("limit").map(query::limit).orElse(query);
        List<Task> tasks = leat.list(query);
        ArrayNode page = JSON.arrayNode();
        tasks.forEach(task -> page.add(TaskJson.of(task)));
        ObjectNode json = JSON.objectNode().set("tasks", page);
        return Reply.ok(
                tasks.size() == query.limit()
                        ? json.put("next", tasks.get(tasks.size() - 1).id())
                        : json);
    }

    /** Reads names separated by commas. */
    private static EnumSet<TaskState> states(String text) {
        EnumSet<TaskState> states = EnumSet.noneOf(TaskState.class);
        for (String name : text.split(",", -1)) {
            states.add(TaskJson.state("state", name));
        }
        return states;
    }

    // Operators

    Reply delete(RestCall call) {
        return state(leat.delete(call.id()));
    }

    Reply bury(RestCall call) {
        return state(leat.bury(call.id(), message(call)));
    }

    Reply cancel(RestCall call) {
        return state(leat.cancel(call.id(), message(call)));
    }

    Reply kick(RestCall call) {
        call.fields("kick").end();
        return state(leat.kick(call.id()));
    }

    private static String message(RestCall call) {
        JsonFields fields = call.fields("request");
        String message = message(fields);
        fields.end();
        return message;
    }

    private static Reply state(TaskState state) {
        return Reply.ok(JSON.objectNode().put("state", TaskJson.name(state)));
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
