package dev.leat.server.internal.consume;

import static dev.leat.wire.WireValues.need;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Equivalence;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import dev.leat.json.QueueJson;
import dev.leat.json.SubscriptionJson;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.wire.GroupMessages;
import dev.leat.wire.Op;
import dev.leat.wire.QueueMessages;
import dev.leat.wire.ScheduleMessages;
import dev.leat.wire.SessionMessages;
import dev.leat.wire.SettleMessages;
import dev.leat.wire.SubscriptionMessages;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.TaskStatusMessages;
import dev.leat.wire.WireValues;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * The operations that are one storage call. {@link RequestBatch} has the puts and settles; {@link Connection} has the operations that
 * concern the connection.
 */
final class Operations {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Reads the fields and returns the call to make: no call is made before all fields are valid. */
    private interface Operation {
        Supplier<JsonNode> read(JsonFields fields);
    }

    private final Leat leat;
    private final Storage storage;
    private final Map<Op, Operation> operations = new EnumMap<>(Op.class);

    Operations(Leat leat) {
        this.leat = leat;
        this.storage = leat.storage();
        operations.put(Op.NOW, fields -> () -> WireValues.of(storage.now()));
        operations.put(Op.EXAMINE, fields -> () -> WireValues.list(storage.examine(), SessionMessages::of));
        addQueues();
        addTasks();
        addLooks();
        addOperators();
        addSessions();
        addGroups();
        addSubscriptions();
        addSchedules();
    }

    /** @param fields the fields of the message; its number and its operation are read already */
    JsonNode run(Op op, JsonFields fields) {
        Operation operation = operations.get(op);
        if (operation == null) {
            throw new InvalidRequestException("op", "is not known: " + op.code());
        }
        Supplier<JsonNode> call = operation.read(fields);
        fields.end();
        return call.get();
    }

    private void addQueues() {
        operations.put(Op.CREATE_QUEUE, fields -> {
            String queue = queue(fields);
            QueueOptions options = options(fields);
            return () -> QueueMessages.of(storage.queues().create(queue, options));
        });
        operations.put(Op.DECLARE_QUEUE, fields -> {
            String queue = queue(fields);
            QueueOptions options = options(fields);
            QueueInfo.SetBy setBy = QueueMessages.setBy(fields);
            return () -> QueueMessages.of(storage.queues().declare(queue, options, setBy));
        });
        operations.put(Op.QUEUE, fields -> {
            String queue = queue(fields);
            return () -> WireValues.orNull(storage.queues().find(queue), QueueMessages::of);
        });
        operations.put(
                Op.QUEUES, fields -> () -> WireValues.list(storage.queues().list(), QueueMessages::of));
        operations.put(Op.PAUSE, fields -> {
            String queue = queue(fields);
            return () -> done(() -> storage.queues().pause(queue));
        });
        operations.put(Op.RESUME, fields -> {
            String queue = queue(fields);
            return () -> done(() -> storage.queues().resume(queue));
        });
        operations.put(Op.DROP, fields -> {
            String queue = queue(fields);
            return () -> done(() -> storage.queues().drop(queue));
        });
        operations.put(Op.TRUNCATE, fields -> {
            String queue = queue(fields);
            return () -> NODES.numberNode(storage.queues().truncate(queue));
        });
        operations.put(Op.RELEASE_ALL, fields -> {
            String queue = queue(fields);
            return () -> NODES.numberNode(storage.queues().releaseAll(queue));
        });
    }

    private void addTasks() {
        operations.put(Op.TOUCH, fields -> {
            List<Touch> touches = WireValues.list(fields, "touches", SettleMessages::touch);
            return () -> WireValues.list(storage.touch(touches), SettleMessages::of);
        });
        operations.put(Op.CHUNK, fields -> {
            Lease lease = WireValues.lease(fields);
            int number = need("number", fields.integer("number"));
            return () -> NODES.booleanNode(leat.outcomes().reportChunk(lease, number));
        });
    }

    private void addLooks() {
        operations.put(Op.PEEK, ofTask(task -> WireValues.orNull(storage.peek(task), TaskMessages::of)));
        operations.put(Op.ATTEMPTS, ofTask(task -> WireValues.list(storage.attempts(task), TaskMessages::of)));
        operations.put(Op.OUTCOME, ofTask(task -> WireValues.orNull(storage.outcome(task), TaskMessages::of)));
        operations.put(Op.LIST, fields -> {
            TaskQuery query = TaskMessages.query(fields);
            return () -> WireValues.list(storage.list(query), TaskMessages::of);
        });
        operations.put(Op.FIND_ADDRESS, fields -> {
            String queue = queue(fields);
            String address = WireValues.text(fields, "address");
            return () -> number(storage.findAddress(queue, address));
        });
        operations.put(Op.FIND_ADDRESSES, fields -> {
            String queue = queue(fields);
            Set<String> addresses = fields.texts("addresses").map(Set::copyOf).orElse(Set.of());
            return () -> TaskStatusMessages.ofAddresses(storage.findAddresses(queue, addresses));
        });
        operations.put(Op.FIND_EQUIVALENT, fields -> {
            Equivalence equivalence = TaskMessages.equivalence(fields);
            return () -> WireValues.list(storage.findEquivalent(equivalence), TaskMessages::of);
        });
        operations.put(
                Op.STATS, fields -> () -> WireValues.list(storage.queues().stats(), QueueMessages::of));
        operations.put(Op.QUEUE_STATS, fields -> {
            String queue = queue(fields);
            return () -> QueueMessages.of(storage.queues().stats(queue));
        });
        operations.put(Op.TENANT_STATS, fields -> {
            String queue = queue(fields);
            return () -> WireValues.list(storage.queues().tenantStats(queue), QueueMessages::of);
        });
    }

    private void addOperators() {
        operations.put(Op.COUNT_BURIED, fields -> {
            TaskQuery query = TaskMessages.query(fields);
            int most = need("most", fields.integer("most"));
            return () -> NODES.numberNode(storage.countBuried(query, most));
        });
        operations.put(Op.REDRIVE, fields -> {
            TaskQuery query = TaskMessages.query(fields);
            return () -> TaskMessages.of(storage.redrive(query));
        });
        operations.put(Op.KICK_QUEUE, fields -> {
            String queue = queue(fields);
            int count = need("count", fields.integer("count"));
            return () -> WireValues.list(storage.kick(queue, count), TaskMessages::of);
        });
        operations.put(Op.KICK, ofTask(task -> TaskMessages.of(storage.kick(task))));
        operations.put(Op.DELETE, ofTask(task -> TaskMessages.of(storage.delete(task))));
        operations.put(Op.CANCEL, fields -> {
            long task = task(fields);
            String reason = message(fields);
            return () -> TaskMessages.of(storage.cancel(task, reason));
        });
        operations.put(Op.BURY, fields -> {
            long task = task(fields);
            String message = message(fields);
            return () -> TaskMessages.of(storage.bury(task, message));
        });
    }

    private void addSessions() {
        operations.put(Op.OPEN_SESSION, fields -> {
            SessionSpec spec = SessionMessages.spec(fields);
            return () -> NODES.textNode(storage.sessions().open(spec));
        });
        operations.put(Op.HEARTBEAT, fields -> {
            String session = session(fields);
            Map<String, Integer> waiting = SessionMessages.waiting(fields);
            return () -> SessionMessages.of(storage.sessions().heartbeat(session, waiting));
        });
        operations.put(Op.LEASES, fields -> {
            String session = session(fields);
            return () -> WireValues.list(storage.sessions().leases(session), WireValues::of);
        });
        operations.put(Op.DISCONNECT, fields -> {
            String session = session(fields);
            return () -> done(() -> storage.sessions().disconnect(session));
        });
        operations.put(Op.CLOSE_SESSION, fields -> {
            String session = session(fields);
            return () -> WireValues.list(storage.sessions().close(session), TaskMessages::of);
        });
        operations.put(Op.SWEEP, fields -> {
            Sweep sweep = SessionMessages.sweep(fields);
            return () -> SessionMessages.of(storage.sweep(sweep));
        });
    }

    private void addGroups() {
        operations.put(Op.CREATE_GROUP, fields -> {
            GroupSpec spec = GroupMessages.spec(fields);
            return () -> GroupMessages.of(storage.groups().create(spec));
        });
        operations.put(Op.PUT_GROUP, fields -> {
            GroupSpec spec = GroupMessages.spec(fields);
            List<NewTask> tasks = WireValues.list(fields, "tasks", TaskMessages::newTask);
            return () -> GroupMessages.of(storage.groups().put(spec, tasks));
        });
        operations.put(Op.GROUP, fields -> {
            long group = group(fields);
            return () -> WireValues.orNull(storage.groups().find(group), GroupMessages::of);
        });
        operations.put(Op.GROUP_NAMED, fields -> {
            String name = WireValues.text(fields, "name");
            return () -> WireValues.orNull(storage.groups().find(name), GroupMessages::of);
        });
        operations.put(Op.SET_GROUP_TASKS, fields -> {
            long group = group(fields);
            Optional<NewTask> end = GroupMessages.task(fields, "end");
            Optional<NewTask> abort = GroupMessages.task(fields, "abort");
            return () -> GroupMessages.of(storage.groups().setTasks(group, end, abort));
        });
        operations.put(Op.START_GROUP, fields -> {
            long group = group(fields);
            return () -> GroupMessages.of(storage.groups().start(group));
        });
        operations.put(Op.CANCEL_GROUP, fields -> {
            long group = group(fields);
            String reason = message(fields);
            return () -> GroupMessages.of(storage.groups().cancel(group, reason));
        });
    }

    private void addSubscriptions() {
        operations.put(Op.PUT_SUBSCRIPTION, fields -> {
            Subscription subscription = SubscriptionJson.read(need("subscription", fields.any("subscription")));
            return () -> SubscriptionJson.of(storage.subscriptions().put(subscription));
        });
        operations.put(Op.SUBSCRIPTION, fields -> {
            String id = WireValues.text(fields, "subscription");
            return () -> WireValues.orNull(storage.subscriptions().find(id), SubscriptionJson::of);
        });
        operations.put(Op.SUBSCRIPTIONS, fields -> {
            SubscriptionQuery query = SubscriptionMessages.query(fields);
            return () -> WireValues.list(storage.subscriptions().list(query), SubscriptionJson::of);
        });
        operations.put(Op.ENABLE_SUBSCRIPTION, fields -> {
            String id = WireValues.text(fields, "subscription");
            return () -> WireValues.orNull(storage.subscriptions().enable(id), SubscriptionJson::of);
        });
        operations.put(Op.DISABLE_SUBSCRIPTION, fields -> {
            String id = WireValues.text(fields, "subscription");
            String reason = message(fields);
            Optional<String> sentTo = fields.text("sentTo");
            return () -> WireValues.orNull(storage.subscriptions().disable(id, reason, sentTo), SubscriptionJson::of);
        });
        operations.put(Op.DROP_SUBSCRIPTION, fields -> {
            String id = WireValues.text(fields, "subscription");
            return () -> NODES.booleanNode(storage.subscriptions().drop(id));
        });
    }

    private void addSchedules() {
        operations.put(Op.PUT_SCHEDULE, fields -> {
            Schedule schedule = ScheduleMessages.schedule(need("schedule", fields.any("schedule")));
            QueueInfo.SetBy setBy = QueueMessages.setBy(fields);
            return () -> ScheduleMessages.of(storage.schedules().put(schedule, setBy));
        });
        operations.put(
                Op.SCHEDULE,
                ofSchedule(schedule -> WireValues.orNull(storage.schedules().find(schedule), ScheduleMessages::of)));
        operations.put(Op.SCHEDULES, fields -> {
            ScheduleQuery query = ScheduleMessages.query(fields);
            return () -> WireValues.list(storage.schedules().list(query), ScheduleMessages::of);
        });
        operations.put(
                Op.PAUSE_SCHEDULE,
                ofSchedule(schedule -> ScheduleMessages.of(storage.schedules().pause(schedule))));
        operations.put(
                Op.RESUME_SCHEDULE,
                ofSchedule(schedule -> ScheduleMessages.of(storage.schedules().resume(schedule))));
        operations.put(
                Op.TRIGGER_SCHEDULE,
                ofSchedule(schedule -> TaskMessages.of(storage.schedules().trigger(schedule))));
        operations.put(
                Op.DROP_SCHEDULE,
                ofSchedule(schedule -> NODES.booleanNode(storage.schedules().drop(schedule))));
    }

    private static Operation ofSchedule(Function<String, JsonNode> call) {
        return fields -> {
            String schedule = WireValues.text(fields, "schedule");
            return () -> call.apply(schedule);
        };
    }

    private static Operation ofTask(LongFunction<JsonNode> call) {
        return fields -> {
            long task = task(fields);
            return () -> call.apply(task);
        };
    }

    private static String queue(JsonFields fields) {
        return WireValues.text(fields, "queue");
    }

    private static long task(JsonFields fields) {
        return need("task", fields.number("task"));
    }

    private static long group(JsonFields fields) {
        return need("group", fields.number("group"));
    }

    private static String session(JsonFields fields) {
        return WireValues.text(fields, "session");
    }

    private static String message(JsonFields fields) {
        return fields.text("message").orElse("");
    }

    private static QueueOptions options(JsonFields fields) {
        return QueueJson.options(need("options", fields.any("options")));
    }

    private static JsonNode number(OptionalLong number) {
        return number.isPresent() ? NODES.numberNode(number.getAsLong()) : NODES.nullNode();
    }

    private static JsonNode done(Runnable call) {
        call.run();
        return NODES.nullNode();
    }
}
