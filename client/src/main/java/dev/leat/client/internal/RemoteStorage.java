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
import dev.leat.PutOutcomeUnknownException;
import dev.leat.PutResult;
import dev.leat.QueueInfo;
import dev.leat.QueueOptions;
import dev.leat.QueueStats;
import dev.leat.Schedule;
import dev.leat.ScheduleInfo;
import dev.leat.ScheduleQuery;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.Subscription;
import dev.leat.SubscriptionQuery;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TenantStats;
import dev.leat.Touch;
import dev.leat.json.QueueJson;
import dev.leat.json.SubscriptionJson;
import dev.leat.storage.Capability;
import dev.leat.storage.Finding;
import dev.leat.storage.GroupPut;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Redriven;
import dev.leat.storage.Signal;
import dev.leat.storage.Standing;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.wire.Cbor;
import dev.leat.wire.Groups;
import dev.leat.wire.Op;
import dev.leat.wire.Queues;
import dev.leat.wire.Schedules;
import dev.leat.wire.Sessions;
import dev.leat.wire.Settles;
import dev.leat.wire.Standings;
import dev.leat.wire.Subscriptions;
import dev.leat.wire.Tasks;
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
        return Values.list("findings", ask(Op.EXAMINE), Sessions::finding);
    }

    // Queues

    @Override
    public QueueInfo createQueue(String queue, QueueOptions options) {
        ObjectNode map = queueNamed(queue).set("options", QueueJson.of(options));
        return Queues.info(link.call(Op.CREATE_QUEUE, map));
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        ObjectNode map = queueNamed(queue).set("options", QueueJson.of(options));
        return Queues.info(link.call(Op.DECLARE_QUEUE, map.put("setBy", name(setBy))));
    }

    @Override
    public Optional<QueueInfo> queue(String queue) {
        return optional(link.call(Op.QUEUE, queueNamed(queue)), Queues::info);
    }

    @Override
    public List<QueueInfo> queues() {
        return Values.list("queues", ask(Op.QUEUES), Queues::info);
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
            ObjectNode map = Tasks.of(task);
            if (task.idempotencyKey().isEmpty()) {
                map.put("idempotencyKey", key + described.size());
            }
            described.add(map);
        }
        try {
            return Values.list("results", link.call(Op.PUT, Cbor.map().set("tasks", described)), Tasks::putResult);
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
        Tasks.put(map, request);
        return Values.list("tasks", link.call(Op.TAKE, map), Tasks::taken);
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        ObjectNode map = Cbor.map().set("settles", Values.list(settles, Settles::of));
        List<SettleResult> results = Values.list("results", link.call(Op.SETTLE, map), Settles::settleResult);
        leases.settled(settles, results);
        return results;
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        ObjectNode map = Cbor.map().set("touches", Values.list(touches, Settles::of));
        return Values.list("results", link.call(Op.TOUCH, map), Settles::touchResult);
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return optional(link.call(Op.PEEK, task(taskId)), Tasks::task);
    }

    @Override
    public List<Task> list(TaskQuery query) {
        ObjectNode map = Cbor.map();
        Tasks.put(map, query);
        return Values.list("tasks", link.call(Op.LIST, map), Tasks::task);
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return Values.list("attempts", link.call(Op.ATTEMPTS, task(taskId)), Tasks::attempt);
    }

    @Override
    public int countBuried(TaskQuery query, int most) {
        ObjectNode map = Cbor.map().put("most", most);
        Tasks.put(map, query);
        return link.call(Op.COUNT_BURIED, map).intValue();
    }

    @Override
    public Redriven redrive(TaskQuery query) {
        ObjectNode map = Cbor.map();
        Tasks.put(map, query);
        return Tasks.redriven(link.call(Op.REDRIVE, map));
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return events(link.call(Op.KICK_QUEUE, queueNamed(queue).put("count", count)));
    }

    @Override
    public TaskEvent kick(long taskId) {
        return Tasks.event(link.call(Op.KICK, task(taskId)));
    }

    @Override
    public TaskEvent delete(long taskId) {
        return Tasks.event(link.call(Op.DELETE, task(taskId)));
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return Tasks.event(link.call(Op.CANCEL, task(taskId).put("message", reason)));
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return Tasks.event(link.call(Op.BURY, task(taskId).put("message", message)));
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        JsonNode found = link.call(Op.FIND_ADDRESS, queueNamed(queue).put("address", address));
        return found.isNull() ? OptionalLong.empty() : OptionalLong.of(found.longValue());
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return optional(link.call(Op.OUTCOME, task(taskId)), Tasks::outcome);
    }

    @Override
    public Map<Long, Standing> standings(Set<Long> taskIds) {
        ObjectNode map = Cbor.map().set("tasks", Standings.of(taskIds));
        awaited.add(taskIds);
        Map<Long, Standing> standings = Standings.standings(link.call(Op.STANDINGS, map));
        standings.forEach((task, standing) -> {
            if (!(standing instanceof Standing.Lives)) {
                awaited.remove(task);
            }
        });
        return standings;
    }

    @Override
    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        ObjectNode map = queueNamed(queue).set("addresses", Values.list(addresses, JsonNodeFactory.instance::textNode));
        return Standings.addresses(link.call(Op.FIND_ADDRESSES, map));
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        ObjectNode map = Cbor.map().put("number", number).set("lease", Values.of(lease));
        return link.call(Op.CHUNK, map).booleanValue();
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        ObjectNode map = Cbor.map();
        Tasks.put(map, equivalence);
        return Values.list("tasks", link.call(Op.FIND_EQUIVALENT, map), Tasks::task);
    }

    @Override
    public List<QueueStats> stats() {
        return Values.list("stats", ask(Op.STATS), Queues::stats);
    }

    @Override
    public QueueStats stats(String queue) {
        return Queues.stats(link.call(Op.QUEUE_STATS, queueNamed(queue)));
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        return Values.list("stats", link.call(Op.TENANT_STATS, queueNamed(queue)), Queues::tenantStats);
    }

    // Sessions

    @Override
    public String openSession(SessionSpec spec) {
        ObjectNode map = Cbor.map();
        Sessions.put(map, spec);
        String session = link.call(Op.OPEN_SESSION, map).textValue();
        sessions.add(session);
        return session;
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        ObjectNode map = session(session).set("waiting", Sessions.of(waiting));
        HeartbeatReply reply = Sessions.heartbeatReply(link.call(Op.HEARTBEAT, map));
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
        Groups.put(map, spec);
        return Groups.info(link.call(Op.CREATE_GROUP, map));
    }

    @Override
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        ObjectNode map = Cbor.map();
        Groups.put(map, spec);
        map.set("tasks", Values.list(tasks, Tasks::of));
        try {
            return Groups.put(link.call(Op.PUT_GROUP, map));
        } catch (AnswerLostException e) {
            throw new PutOutcomeUnknownException(e);
        }
    }

    @Override
    public Optional<GroupInfo> group(long groupId) {
        return optional(link.call(Op.GROUP, groupNumbered(groupId)), Groups::info);
    }

    @Override
    public Optional<GroupInfo> group(String name) {
        return optional(link.call(Op.GROUP_NAMED, Cbor.map().put("name", name)), Groups::info);
    }

    @Override
    public GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        ObjectNode map = groupNumbered(groupId);
        Groups.putTasks(map, end, abort);
        return Groups.info(link.call(Op.SET_GROUP_TASKS, map));
    }

    @Override
    public GroupInfo startGroup(long groupId) {
        return Groups.info(link.call(Op.START_GROUP, groupNumbered(groupId)));
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        return Groups.info(link.call(Op.CANCEL_GROUP, groupNumbered(groupId).put("message", reason)));
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
        Subscriptions.put(map, query);
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
        ObjectNode map = Cbor.map().set("schedule", Schedules.of(schedule));
        return Schedules.info(link.call(Op.PUT_SCHEDULE, map.put("setBy", name(setBy))));
    }

    @Override
    public Optional<ScheduleInfo> schedule(String name) {
        return optional(link.call(Op.SCHEDULE, scheduleNamed(name)), Schedules::info);
    }

    @Override
    public List<ScheduleInfo> schedules(ScheduleQuery query) {
        ObjectNode map = Cbor.map();
        Schedules.put(map, query);
        return Values.list("schedules", link.call(Op.SCHEDULES, map), Schedules::info);
    }

    @Override
    public ScheduleInfo pauseSchedule(String name) {
        return Schedules.info(link.call(Op.PAUSE_SCHEDULE, scheduleNamed(name)));
    }

    @Override
    public ScheduleInfo resumeSchedule(String name) {
        return Schedules.info(link.call(Op.RESUME_SCHEDULE, scheduleNamed(name)));
    }

    @Override
    public PutResult triggerSchedule(String name) {
        try {
            return Tasks.putResult(link.call(Op.TRIGGER_SCHEDULE, scheduleNamed(name)));
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
        Sessions.put(map, sweep);
        return Sessions.sweepResult(link.call(Op.SWEEP, map));
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
        return Values.list("events", described, Tasks::event);
    }

    private static <T> Optional<T> optional(JsonNode described, Function<JsonNode, T> one) {
        return described.isNull() ? Optional.empty() : Optional.of(one.apply(described));
    }
}
