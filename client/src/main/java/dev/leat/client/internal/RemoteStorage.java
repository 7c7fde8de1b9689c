package dev.leat.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.json.QueueJson;
import dev.leat.json.SubscriptionJson;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.storage.Capability;
import dev.leat.storage.Finding;
import dev.leat.storage.GroupPut;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Redriven;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.wire.Cbor;
import dev.leat.wire.GroupMessages;
import dev.leat.wire.Op;
import dev.leat.wire.QueueMessages;
import dev.leat.wire.ScheduleMessages;
import dev.leat.wire.SessionMessages;
import dev.leat.wire.SettleMessages;
import dev.leat.wire.SubscriptionMessages;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.TaskStatusMessages;
import dev.leat.wire.Values;
import dev.leat.wire.WatchedTasks;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * A storage behind a server: every method is a message and its answer. What is put carries an idempotency key, so that it can be sent
 * again when the answer is lost.
 */
final class RemoteStorage implements Storage {
    /** More would be no queue names, but a leak. */
    private static final int MOST_QUEUES = 1_000;

    private final RemoteUrl url;
    private final Link link;
    private final RemoteSignal signal;
    private final RemoteLock lock;
    private final Leases leases;
    private final AtomicLong puts = new AtomicLong();
    /** Those that were taken from: after a lost connection somebody may have to look again. */
    private final Set<String> queuesTakenFrom = ConcurrentHashMap.newKeySet();

    private final Set<String> sessions = ConcurrentHashMap.newKeySet();
    /** Those that somebody waits for: after a lost connection, the server has to be asked for them again. */
    private final WatchedTasks awaited = new WatchedTasks();

    RemoteStorage(RemoteUrl url) {
        this.url = url;
        this.link = new Link(url, new News());
        this.signal = new RemoteSignal(link);
        this.lock = new RemoteLock(link);
        this.leases = new Leases(link);
        link.start();
    }

    private final class News implements Link.Listener {
        @Override
        public void heard(Notice notice) {
            signal.hear(notice);
        }

        /** What happened meanwhile was told to nobody here. */
        @Override
        public void connected() {
            sessions.forEach(session -> signal.hear(new Notice.SessionNews(session)));
            queuesTakenFrom.forEach(queue -> signal.hear(new Notice.Ready(queue)));
            awaited.removeAll().forEach(task -> signal.hear(new Notice.TaskNews(task)));
            signal.hear(Notice.TimerMoved.INSTANCE);
        }
    }

    // What it is

    @Override
    public String name() {
        return "Leat server at " + url.address();
    }

    @Override
    public Set<Capability> capabilities() {
        return link.hello().capabilities();
    }

    @Override
    public Instant now() {
        return Values.instant(ask(Op.NOW).longValue());
    }

    @Override
    public Signal signal() {
        return signal;
    }

    @Override
    public Lock lock() {
        return lock;
    }

    @Override
    public List<Finding> examine() {
        return Values.list("findings", ask(Op.EXAMINE), SessionMessages::finding);
    }

    // Queues

    @Override
    public QueueInfo createQueue(String queue, QueueOptions options) {
        ObjectNode map = queueNamed(queue).set("options", QueueJson.of(options));
        return QueueMessages.info(link.call(Op.CREATE_QUEUE, map));
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        ObjectNode map = queueNamed(queue).set("options", QueueJson.of(options));
        return QueueMessages.info(link.call(Op.DECLARE_QUEUE, map.put("setBy", name(setBy))));
    }

    @Override
    public Optional<QueueInfo> queue(String queue) {
        return optional(link.call(Op.QUEUE, queueNamed(queue)), QueueMessages::info);
    }

    @Override
    public List<QueueInfo> queues() {
        return Values.list("queues", ask(Op.QUEUES), QueueMessages::info);
    }

    @Override
    public void pause(String queue) {
        link.call(Op.PAUSE, queueNamed(queue));
    }

    @Override
    public void resume(String queue) {
        link.call(Op.RESUME, queueNamed(queue));
    }

    @Override
    public void drop(String queue) {
        link.call(Op.DROP, queueNamed(queue));
    }

    @Override
    public long truncate(String queue) {
        return link.call(Op.TRUNCATE, queueNamed(queue)).longValue();
    }

    @Override
    public long releaseAll(String queue) {
        return link.call(Op.RELEASE_ALL, queueNamed(queue)).longValue();
    }

    // Tasks

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        String key = link.client() + "-" + Long.toUnsignedString(puts.incrementAndGet(), Character.MAX_RADIX) + "-";
        ArrayNode described = JsonNodeFactory.instance.arrayNode();
        for (NewTask task : tasks) {
            ObjectNode map = TaskMessages.of(task);
            if (task.idempotencyKey().isEmpty()) {
                map.put("idempotencyKey", key + described.size());
            }
            described.add(map);
        }
        try {
            return Values.list(
                    "results", link.call(Op.PUT, Cbor.map().set("tasks", described)), TaskMessages::putResult);
        } catch (AnswerLostException e) {
            throw new PutOutcomeUnknownException(e);
        }
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        if (queuesTakenFrom.size() < MOST_QUEUES) {
            queuesTakenFrom.add(request.queue());
        }
        return request.session().isPresent()
                ? leases.take(request.session().get(), () -> takeNow(request))
                : takeNow(request);
    }

    private List<TakenTask> takeNow(TakeRequest request) {
        ObjectNode map = Cbor.map();
        TaskMessages.put(map, request);
        return Values.list("tasks", link.call(Op.TAKE, map), TaskMessages::taken);
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        ObjectNode map = Cbor.map().set("settles", Values.list(settles, SettleMessages::of));
        List<SettleResult> results = Values.list("results", link.call(Op.SETTLE, map), SettleMessages::settleResult);
        leases.settled(settles, results);
        return results;
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        ObjectNode map = Cbor.map().set("touches", Values.list(touches, SettleMessages::of));
        return Values.list("results", link.call(Op.TOUCH, map), SettleMessages::touchResult);
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return optional(link.call(Op.PEEK, task(taskId)), TaskMessages::task);
    }

    @Override
    public List<Task> list(TaskQuery query) {
        ObjectNode map = Cbor.map();
        TaskMessages.put(map, query);
        return Values.list("tasks", link.call(Op.LIST, map), TaskMessages::task);
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return Values.list("attempts", link.call(Op.ATTEMPTS, task(taskId)), TaskMessages::attempt);
    }

    @Override
    public int countBuried(TaskQuery query, int most) {
        ObjectNode map = Cbor.map().put("most", most);
        TaskMessages.put(map, query);
        return link.call(Op.COUNT_BURIED, map).intValue();
    }

    @Override
    public Redriven redrive(TaskQuery query) {
        ObjectNode map = Cbor.map();
        TaskMessages.put(map, query);
        return TaskMessages.redriven(link.call(Op.REDRIVE, map));
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return events(link.call(Op.KICK_QUEUE, queueNamed(queue).put("count", count)));
    }

    @Override
    public TaskEvent kick(long taskId) {
        return TaskMessages.event(link.call(Op.KICK, task(taskId)));
    }

    @Override
    public TaskEvent delete(long taskId) {
        return TaskMessages.event(link.call(Op.DELETE, task(taskId)));
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return TaskMessages.event(link.call(Op.CANCEL, task(taskId).put("message", reason)));
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return TaskMessages.event(link.call(Op.BURY, task(taskId).put("message", message)));
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        JsonNode found = link.call(Op.FIND_ADDRESS, queueNamed(queue).put("address", address));
        return found.isNull() ? OptionalLong.empty() : OptionalLong.of(found.longValue());
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return optional(link.call(Op.OUTCOME, task(taskId)), TaskMessages::outcome);
    }

    @Override
    public Map<Long, TaskStatus> standings(Set<Long> taskIds) {
        ObjectNode map = Cbor.map().set("tasks", TaskStatusMessages.of(taskIds));
        awaited.add(taskIds);
        Map<Long, TaskStatus> standings = TaskStatusMessages.standings(link.call(Op.STANDINGS, map));
        standings.forEach((task, standing) -> {
            if (!(standing instanceof TaskStatus.Lives)) {
                awaited.remove(task);
            }
        });
        return standings;
    }

    @Override
    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        ObjectNode map = queueNamed(queue).set("addresses", Values.list(addresses, JsonNodeFactory.instance::textNode));
        return TaskStatusMessages.addresses(link.call(Op.FIND_ADDRESSES, map));
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        ObjectNode map = Cbor.map().put("number", number).set("lease", Values.of(lease));
        return link.call(Op.CHUNK, map).booleanValue();
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        ObjectNode map = Cbor.map();
        TaskMessages.put(map, equivalence);
        return Values.list("tasks", link.call(Op.FIND_EQUIVALENT, map), TaskMessages::task);
    }

    @Override
    public List<QueueStats> stats() {
        return Values.list("stats", ask(Op.STATS), QueueMessages::stats);
    }

    @Override
    public QueueStats stats(String queue) {
        return QueueMessages.stats(link.call(Op.QUEUE_STATS, queueNamed(queue)));
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        return Values.list("stats", link.call(Op.TENANT_STATS, queueNamed(queue)), QueueMessages::tenantStats);
    }

    // Sessions

    @Override
    public String openSession(SessionSpec spec) {
        ObjectNode map = Cbor.map();
        SessionMessages.put(map, spec);
        String session = link.call(Op.OPEN_SESSION, map).textValue();
        sessions.add(session);
        return session;
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        ObjectNode map = session(session).set("waiting", SessionMessages.of(waiting));
        HeartbeatReply reply = SessionMessages.heartbeatReply(link.call(Op.HEARTBEAT, map));
        if (!reply.alive()) {
            forget(session);
        }
        return reply;
    }

    @Override
    public List<Lease> leases(String session) {
        return Values.list("leases", link.call(Op.LEASES, session(session)), Values::lease);
    }

    @Override
    public void disconnect(String session) {
        link.call(Op.DISCONNECT, session(session));
    }

    @Override
    public List<TaskEvent> closeSession(String session) {
        try {
            return events(link.call(Op.CLOSE_SESSION, session(session)));
        } finally {
            forget(session);
        }
    }

    private void forget(String session) {
        sessions.remove(session);
        leases.ended(session);
    }

    // Groups

    @Override
    public GroupInfo createGroup(GroupSpec spec) {
        ObjectNode map = Cbor.map();
        GroupMessages.put(map, spec);
        return GroupMessages.info(link.call(Op.CREATE_GROUP, map));
    }

    @Override
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        ObjectNode map = Cbor.map();
        GroupMessages.put(map, spec);
        map.set("tasks", Values.list(tasks, TaskMessages::of));
        try {
            return GroupMessages.put(link.call(Op.PUT_GROUP, map));
        } catch (AnswerLostException e) {
            throw new PutOutcomeUnknownException(e);
        }
    }

    @Override
    public Optional<GroupInfo> group(long groupId) {
        return optional(link.call(Op.GROUP, groupNumbered(groupId)), GroupMessages::info);
    }

    @Override
    public Optional<GroupInfo> group(String name) {
        return optional(link.call(Op.GROUP_NAMED, Cbor.map().put("name", name)), GroupMessages::info);
    }

    @Override
    public GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        ObjectNode map = groupNumbered(groupId);
        GroupMessages.putTasks(map, end, abort);
        return GroupMessages.info(link.call(Op.SET_GROUP_TASKS, map));
    }

    @Override
    public GroupInfo startGroup(long groupId) {
        return GroupMessages.info(link.call(Op.START_GROUP, groupNumbered(groupId)));
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        return GroupMessages.info(
                link.call(Op.CANCEL_GROUP, groupNumbered(groupId).put("message", reason)));
    }

    // Subscriptions

    @Override
    public Subscription putSubscription(Subscription subscription) {
        return SubscriptionJson.read(
                link.call(Op.PUT_SUBSCRIPTION, Cbor.map().set("subscription", SubscriptionJson.of(subscription))));
    }

    @Override
    public Optional<Subscription> subscription(String id) {
        return optional(link.call(Op.SUBSCRIPTION, subscriptionNamed(id)), SubscriptionJson::read);
    }

    @Override
    public List<Subscription> subscriptions(SubscriptionQuery query) {
        ObjectNode map = Cbor.map();
        SubscriptionMessages.put(map, query);
        return Values.list("subscriptions", link.call(Op.SUBSCRIPTIONS, map), SubscriptionJson::read);
    }

    @Override
    public Optional<Subscription> enableSubscription(String id) {
        return optional(link.call(Op.ENABLE_SUBSCRIPTION, subscriptionNamed(id)), SubscriptionJson::read);
    }

    @Override
    public Optional<Subscription> disableSubscription(String id, String reason, Optional<String> sentTo) {
        ObjectNode map = subscriptionNamed(id).put("message", reason);
        sentTo.ifPresent(url -> map.put("sentTo", url));
        return optional(link.call(Op.DISABLE_SUBSCRIPTION, map), SubscriptionJson::read);
    }

    @Override
    public boolean dropSubscription(String id) {
        return link.call(Op.DROP_SUBSCRIPTION, subscriptionNamed(id)).booleanValue();
    }

    // Schedules

    @Override
    public ScheduleInfo putSchedule(Schedule schedule, QueueInfo.SetBy setBy) {
        ObjectNode map = Cbor.map().set("schedule", ScheduleMessages.of(schedule));
        return ScheduleMessages.info(link.call(Op.PUT_SCHEDULE, map.put("setBy", name(setBy))));
    }

    @Override
    public Optional<ScheduleInfo> schedule(String name) {
        return optional(link.call(Op.SCHEDULE, scheduleNamed(name)), ScheduleMessages::info);
    }

    @Override
    public List<ScheduleInfo> schedules(ScheduleQuery query) {
        ObjectNode map = Cbor.map();
        ScheduleMessages.put(map, query);
        return Values.list("schedules", link.call(Op.SCHEDULES, map), ScheduleMessages::info);
    }

    @Override
    public ScheduleInfo pauseSchedule(String name) {
        return ScheduleMessages.info(link.call(Op.PAUSE_SCHEDULE, scheduleNamed(name)));
    }

    @Override
    public ScheduleInfo resumeSchedule(String name) {
        return ScheduleMessages.info(link.call(Op.RESUME_SCHEDULE, scheduleNamed(name)));
    }

    @Override
    public PutResult triggerSchedule(String name) {
        try {
            return TaskMessages.putResult(link.call(Op.TRIGGER_SCHEDULE, scheduleNamed(name)));
        } catch (AnswerLostException e) {
            throw new PutOutcomeUnknownException(e);
        }
    }

    @Override
    public boolean dropSchedule(String name) {
        return link.call(Op.DROP_SCHEDULE, scheduleNamed(name)).booleanValue();
    }

    // Time

    @Override
    public Sweep.Result sweep(Sweep sweep) {
        ObjectNode map = Cbor.map();
        SessionMessages.put(map, sweep);
        return SessionMessages.sweepResult(link.call(Op.SWEEP, map));
    }

    @Override
    public void close() {
        link.close();
    }

    // Messages

    private JsonNode ask(Op op) {
        return link.call(op, Cbor.map());
    }

    private static ObjectNode queueNamed(String queue) {
        return Cbor.map().put("queue", queue);
    }

    private static ObjectNode scheduleNamed(String name) {
        return Cbor.map().put("schedule", name);
    }

    private static String name(QueueInfo.SetBy setBy) {
        return setBy.name().toLowerCase(Locale.ROOT);
    }

    private static ObjectNode task(long taskId) {
        return Cbor.map().put("task", taskId);
    }

    private static ObjectNode groupNumbered(long groupId) {
        return Cbor.map().put("group", groupId);
    }

    private static ObjectNode subscriptionNamed(String id) {
        return Cbor.map().put("subscription", id);
    }

    private static ObjectNode session(String session) {
        return Cbor.map().put("session", session);
    }

    private static List<TaskEvent> events(JsonNode described) {
        return Values.list("events", described, TaskMessages::event);
    }

    private static <T> Optional<T> optional(JsonNode described, Function<JsonNode, T> one) {
        return described.isNull() ? Optional.empty() : Optional.of(one.apply(described));
    }
}
