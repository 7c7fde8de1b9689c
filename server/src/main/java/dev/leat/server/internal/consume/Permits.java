package dev.leat.server.internal.consume;

import static dev.leat.server.Role.ADMIN;
import static dev.leat.server.Role.CONSUME;
import static dev.leat.server.Role.OPERATE;
import static dev.leat.server.Role.PRODUCE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.error.AccessDeniedException;
import dev.leat.json.JsonFields;
import dev.leat.json.QueueJson;
import dev.leat.json.SubscriptionJson;
import dev.leat.queue.QueueOptions;
import dev.leat.server.Role;
import dev.leat.server.internal.access.Grant;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.TaskStatus;
import dev.leat.wire.Op;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.WireValues;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Checks each operation of a connection against its grant. Only grants for some queues cost a look at the tasks. */
final class Permits {
    /** Each operation needs one of its roles. */
    private static final Map<Op, Set<Role>> ROLES = new EnumMap<>(Op.class);

    /** Operations for the audit log: they change more than the caller's own tasks. */
    private static final Set<Op> OPERATOR_ACTIONS = EnumSet.of(
            Op.CREATE_QUEUE,
            Op.DECLARE_QUEUE,
            Op.PAUSE,
            Op.RESUME,
            Op.DROP,
            Op.TRUNCATE,
            Op.RELEASE_ALL,
            Op.REDRIVE,
            Op.KICK_QUEUE,
            Op.KICK,
            Op.DELETE,
            Op.CANCEL,
            Op.BURY,
            Op.PUT_SUBSCRIPTION,
            Op.ENABLE_SUBSCRIPTION,
            Op.DISABLE_SUBSCRIPTION,
            Op.DROP_SUBSCRIPTION,
            Op.PUT_SCHEDULE,
            Op.PAUSE_SCHEDULE,
            Op.RESUME_SCHEDULE,
            Op.TRIGGER_SCHEDULE,
            Op.DROP_SCHEDULE);

    /** Operations on all queues; they name no queue. */
    private static final Set<Op> OF_ALL_QUEUES = EnumSet.of(
            Op.EXAMINE,
            Op.QUEUES,
            Op.STATS,
            Op.GROUP,
            Op.GROUP_NAMED,
            Op.START_GROUP,
            Op.CANCEL_GROUP,
            Op.SET_GROUP_TASKS,
            Op.PUT_SUBSCRIPTION,
            Op.SUBSCRIPTIONS,
            Op.ENABLE_SUBSCRIPTION,
            Op.DISABLE_SUBSCRIPTION,
            Op.DROP_SUBSCRIPTION,
            Op.NOTIFY);

    /** Operations on the queue that they name, or on all queues if they name none. */
    private static final Set<Op> OF_A_QUERY = EnumSet.of(Op.LIST, Op.COUNT_BURIED, Op.REDRIVE, Op.SCHEDULES);

    static {
        need(Set.of(PRODUCE, CONSUME, OPERATE), List.of(Op.NOW, Op.QUEUE, Op.SWEEP));
        need(
                Set.of(PRODUCE),
                List.of(Op.PUT, Op.CREATE_GROUP, Op.PUT_GROUP, Op.SET_GROUP_TASKS, Op.START_GROUP, Op.CANCEL_GROUP));
        need(
                Set.of(PRODUCE, OPERATE),
                List.of(
                        Op.GROUP,
                        Op.GROUP_NAMED,
                        Op.OUTCOME,
                        Op.STANDINGS,
                        Op.FIND_ADDRESS,
                        Op.FIND_ADDRESSES,
                        Op.FIND_EQUIVALENT));
        need(
                Set.of(CONSUME),
                List.of(Op.TAKE, Op.SETTLE, Op.TOUCH, Op.CHUNK, Op.NOTIFY, Op.ACQUIRE, Op.RENEW, Op.UNLOCK));
        need(Set.of(CONSUME), List.of(Op.OPEN_SESSION, Op.HEARTBEAT, Op.LEASES, Op.DISCONNECT, Op.CLOSE_SESSION));
        need(
                Set.of(OPERATE),
                List.of(
                        Op.EXAMINE,
                        Op.QUEUES,
                        Op.PEEK,
                        Op.LIST,
                        Op.ATTEMPTS,
                        Op.STATS,
                        Op.QUEUE_STATS,
                        Op.TENANT_STATS));
        need(
                Set.of(OPERATE),
                List.of(Op.PAUSE, Op.RESUME, Op.RELEASE_ALL, Op.KICK_QUEUE, Op.KICK, Op.DELETE, Op.CANCEL, Op.BURY));
        need(Set.of(OPERATE), List.of(Op.COUNT_BURIED, Op.REDRIVE));
        need(Set.of(CONSUME, OPERATE), List.of(Op.SUBSCRIPTION, Op.SUBSCRIPTIONS));
        need(Set.of(ADMIN), List.of(Op.CREATE_QUEUE, Op.DECLARE_QUEUE, Op.DROP, Op.TRUNCATE));
        need(
                Set.of(ADMIN),
                List.of(Op.PUT_SUBSCRIPTION, Op.ENABLE_SUBSCRIPTION, Op.DISABLE_SUBSCRIPTION, Op.DROP_SUBSCRIPTION));
        need(
                Set.of(OPERATE),
                List.of(Op.SCHEDULE, Op.SCHEDULES, Op.PAUSE_SCHEDULE, Op.RESUME_SCHEDULE, Op.TRIGGER_SCHEDULE));
        need(Set.of(ADMIN), List.of(Op.PUT_SCHEDULE, Op.DROP_SCHEDULE));
    }

    private final Grant grant;
    private final Storage storage;

    Permits(Grant grant, Storage storage) {
        this.grant = grant;
        this.storage = storage;
    }

    private static void need(Set<Role> roles, Collection<Op> ops) {
        ops.forEach(op -> ROLES.put(op, roles));
    }

    static boolean isOperatorAction(Op op) {
        return OPERATOR_ACTIONS.contains(op);
    }

    /** Refuses an operation that the roles or the queues of the grant do not allow. */
    void check(Op op, JsonFields asked) {
        JsonFields fields = asked.aside();
        checkRole(op, fields);
        for (String inner : List.of("end", "abort")) {
            fields.any(inner)
                    .filter(task -> task.has("subscriber"))
                    .ifPresent(task -> checkCopy(task.get("subscriber").asText()));
        }
        if (op == Op.PUT_GROUP) {
            checkTasks(WireValues.list(fields, "tasks", TaskMessages::newTask));
        }
        if (!grant.isLimited()) {
            return;
        }
        if (OF_ALL_QUEUES.contains(op)) {
            grant.checkAllQueues("'" + op.code() + "' concerns all queues");
        }
        if (OF_A_QUERY.contains(op) && fields.text("queue").isEmpty()) {
            grant.checkAllQueues("name the queue");
        }
        if (op == Op.SUBSCRIPTION) {
            fields.text("subscription")
                    .flatMap(storage.subscriptions()::find)
                    .ifPresent(known -> checkQueue(known.queue()));
        }
        fields.any("schedule").ifPresent(this::checkSchedule);
        fields.text("queue").ifPresent(this::checkQueue);
        fields.number("task").ifPresent(this::checkTask);
        for (String inner : List.of("to", "end", "abort")) {
            fields.any(inner).map(task -> task.path("queue").asText()).ifPresent(this::checkQueue);
        }
        if (op == Op.CHUNK) {
            checkTask(WireValues.lease(fields).taskId());
        }
        fields.any("touches")
                .ifPresent(touches -> touches.forEach(touch -> {
                    if (touch.hasNonNull("lease")) {
                        checkTask(WireValues.lease(touch.get("lease")).taskId());
                    }
                }));
    }

    /** Whether a notice concerns a queue of the grant. */
    boolean maySee(Notice notice) {
        if (notice instanceof Notice.Ready ready) {
            return grant.isFor(ready.queue());
        }
        return !(notice instanceof Notice.Paused paused) || grant.isFor(paused.queue());
    }

    /** A put creates a missing queue with standard options, so a producer is allowed to do the same. */
    private void checkRole(Op op, JsonFields fields) {
        boolean isPlainQueue = op == Op.CREATE_QUEUE
                && fields.any("options")
                        .map(QueueJson::options)
                        .filter(QueueOptions.standard()::equals)
                        .isPresent();
        Set<Role> enough = isPlainQueue ? Set.of(PRODUCE, ADMIN) : ROLES.getOrDefault(op, Set.of(ADMIN));
        boolean isAllowed =
                enough.stream().anyMatch(needed -> grant.roles().stream().anyMatch(role -> role.allows(needed)));
        if (!isAllowed) {
            throw new AccessDeniedException("'" + op.code() + "' needs one of the roles "
                    + enough.stream().map(Role::text).sorted().toList() + "; the token '" + grant.name() + "' has "
                    + grant.roles().stream().map(Role::text).sorted().toList());
        }
    }

    /** Removes what the caller must not see: a sweep reports all queues, and secrets are for the sender of webhooks. */
    JsonNode visible(Op op, JsonNode result) {
        if (op == Op.SWEEP && grant.isLimited() && result instanceof ObjectNode sweep) {
            sweep.putArray("events");
        }
        boolean hasSecrets = op == Op.SUBSCRIPTION || op == Op.SUBSCRIPTIONS;
        boolean delivers = grant.roles().stream().anyMatch(role -> role.allows(CONSUME));
        return hasSecrets && !delivers ? withoutSecrets(result) : result;
    }

    private static JsonNode withoutSecrets(JsonNode result) {
        if (result.isArray()) {
            ArrayNode shown = JsonNodeFactory.instance.arrayNode();
            result.forEach(each -> shown.add(withoutSecrets(each)));
            return shown;
        }
        return result.isObject() ? SubscriptionJson.shown(SubscriptionJson.read(result)) : result;
    }

    private void checkQueue(String queue) {
        if (!grant.isFor(queue)) {
            throw new AccessDeniedException("The token '" + grant.name() + "' is for the queues " + grant.queues()
                    + ", not for '" + queue + "'");
        }
    }

    /** @param schedule its name, or its description: then the stored schedule can have another queue than the description */
    private void checkSchedule(JsonNode schedule) {
        String name = schedule.isObject() ? schedule.path("name").asText() : schedule.asText();
        storage.schedules()
                .find(name)
                .ifPresent(known -> checkQueue(known.schedule().queue()));
        if (schedule.isObject()) {
            checkQueue(schedule.path("task").path("queue").asText());
        }
    }

    private void checkTask(long id) {
        storage.peek(id).ifPresent(task -> checkQueue(task.queue()));
    }

    void checkTasks(List<NewTask> tasks) {
        tasks.stream()
                .map(NewTask::subscriber)
                .flatMap(Optional::stream)
                .distinct()
                .forEach(this::checkCopy);
        if (grant.isLimited()) {
            tasks.stream().map(NewTask::queue).distinct().forEach(this::checkQueue);
        }
    }

    /** A put of a copy needs the role operate: the copy is sent for its subscription, and signed with the secrets of the subscription. */
    private void checkCopy(String subscriber) {
        if (grant.roles().stream().noneMatch(role -> role.allows(OPERATE))) {
            throw new AccessDeniedException("A copy for subscription '" + subscriber
                    + "' needs the role operate, which the token '" + grant.name() + "' does not have");
        }
        if (grant.isLimited()) {
            storage.subscriptions().find(subscriber).ifPresent(known -> {
                checkQueue(known.topic());
                checkQueue(known.queue());
            });
        }
    }

    /** Unknown and forgotten tasks have no queue to check. */
    void checkStatuses(Collection<TaskStatus> statuses) {
        if (!grant.isLimited()) {
            return;
        }
        for (TaskStatus status : statuses) {
            Optional<String> queue = status.match(
                    lives -> Optional.of(lives.queue()),
                    ended -> Optional.of(ended.queue()),
                    forgotten -> Optional.empty(),
                    unknown -> Optional.empty());
            queue.ifPresent(this::checkQueue);
        }
    }

    void checkLeases(Stream<Lease> leases) {
        if (grant.isLimited()) {
            leases.map(Lease::taskId).distinct().forEach(this::checkTask);
        }
    }
}
