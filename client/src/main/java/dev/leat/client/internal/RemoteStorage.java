package dev.leat.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.storage.Capability;
import dev.leat.storage.Finding;
import dev.leat.storage.GroupStorage;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.QueueStorage;
import dev.leat.storage.Redriven;
import dev.leat.storage.ScheduleStorage;
import dev.leat.storage.SessionStorage;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.SubscriptionStorage;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.SessionMessages;
import dev.leat.wire.SettleMessages;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.TaskStatusMessages;
import dev.leat.wire.WatchedTasks;
import dev.leat.wire.WireValues;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A storage behind a server: every call is one message and its answer. Each put task carries an idempotency key, so the client can send the
 * put again after a lost answer.
 */
final class RemoteStorage implements Storage {
    /** More distinct names than this means a leak. */
    private static final int MOST_QUEUES = 1_000;

    private final RemoteUrl url;
    private final Link link;
    private final RemoteSignal signal;
    private final RemoteLock lock;
    private final Leases leases;
    private final RemoteQueues queues;
    private final RemoteSessions sessions;
    private final RemoteGroups groups;
    private final RemoteSubscriptions subscriptions;
    private final RemoteSchedules schedules;
    private final AtomicLong puts = new AtomicLong();
    /** Queues of takes: after a lost connection, waiting takes look at these queues again. */
    private final Set<String> queuesTakenFrom = ConcurrentHashMap.newKeySet();

    /** Tasks that callers wait for: after a lost connection, the callers ask the server again. */
    private final WatchedTasks awaited = new WatchedTasks();

    RemoteStorage(RemoteUrl url) {
        this.url = url;
        this.link = new Link(url, new News());
        this.signal = new RemoteSignal(link);
        this.lock = new RemoteLock(link);
        this.leases = new Leases(link);
        this.queues = new RemoteQueues(link);
        this.sessions = new RemoteSessions(link, leases);
        this.groups = new RemoteGroups(link);
        this.subscriptions = new RemoteSubscriptions(link);
        this.schedules = new RemoteSchedules(link);
        link.start();
    }

    private final class News implements Link.Listener {
        @Override
        public void heard(Notice notice) {
            signal.hear(notice);
        }

        /** Notices were lost while no connection was open, so every listener looks again. */
        @Override
        public void connected() {
            sessions.open().forEach(session -> signal.hear(new Notice.SessionNews(session)));
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
        return WireValues.instant(link.call(Op.NOW, Cbor.map()).longValue());
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
        return WireValues.list("findings", link.call(Op.EXAMINE, Cbor.map()), SessionMessages::finding);
    }

    // Parts

    @Override
    public QueueStorage queues() {
        return queues;
    }

    @Override
    public SessionStorage sessions() {
        return sessions;
    }

    @Override
    public GroupStorage groups() {
        return groups;
    }

    @Override
    public SubscriptionStorage subscriptions() {
        return subscriptions;
    }

    @Override
    public ScheduleStorage schedules() {
        return schedules;
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
            return WireValues.list(
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
        return WireValues.list("tasks", link.call(Op.TAKE, map), TaskMessages::taken);
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        ObjectNode map = Cbor.map().set("settles", WireValues.list(settles, SettleMessages::of));
        List<SettleResult> results =
                WireValues.list("results", link.call(Op.SETTLE, map), SettleMessages::settleResult);
        leases.settled(settles, results);
        return results;
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        ObjectNode map = Cbor.map().set("touches", WireValues.list(touches, SettleMessages::of));
        return WireValues.list("results", link.call(Op.TOUCH, map), SettleMessages::touchResult);
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return Messages.optional(link.call(Op.PEEK, Messages.task(taskId)), TaskMessages::task);
    }

    @Override
    public List<Task> list(TaskQuery query) {
        ObjectNode map = Cbor.map();
        TaskMessages.put(map, query);
        return WireValues.list("tasks", link.call(Op.LIST, map), TaskMessages::task);
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return WireValues.list("attempts", link.call(Op.ATTEMPTS, Messages.task(taskId)), TaskMessages::attempt);
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
        return Messages.events(link.call(Op.KICK_QUEUE, Messages.queue(queue).put("count", count)));
    }

    @Override
    public TaskEvent kick(long taskId) {
        return TaskMessages.event(link.call(Op.KICK, Messages.task(taskId)));
    }

    @Override
    public TaskEvent delete(long taskId) {
        return TaskMessages.event(link.call(Op.DELETE, Messages.task(taskId)));
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return TaskMessages.event(link.call(Op.CANCEL, Messages.task(taskId).put("message", reason)));
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return TaskMessages.event(link.call(Op.BURY, Messages.task(taskId).put("message", message)));
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        JsonNode found = link.call(Op.FIND_ADDRESS, Messages.queue(queue).put("address", address));
        return found.isNull() ? OptionalLong.empty() : OptionalLong.of(found.longValue());
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return Messages.optional(link.call(Op.OUTCOME, Messages.task(taskId)), TaskMessages::outcome);
    }

    @Override
    public Map<Long, TaskStatus> statuses(Set<Long> taskIds) {
        ObjectNode map = Cbor.map().set("tasks", TaskStatusMessages.of(taskIds));
        awaited.add(taskIds);
        Map<Long, TaskStatus> statuses = TaskStatusMessages.standings(link.call(Op.STANDINGS, map));
        statuses.forEach((task, status) -> {
            if (!(status instanceof TaskStatus.Lives)) {
                awaited.remove(task);
            }
        });
        return statuses;
    }

    @Override
    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        ObjectNode map =
                Messages.queue(queue).set("addresses", WireValues.list(addresses, JsonNodeFactory.instance::textNode));
        return TaskStatusMessages.addresses(link.call(Op.FIND_ADDRESSES, map));
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        ObjectNode map = Cbor.map().put("number", number).set("lease", WireValues.of(lease));
        return link.call(Op.CHUNK, map).booleanValue();
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        ObjectNode map = Cbor.map();
        TaskMessages.put(map, equivalence);
        return WireValues.list("tasks", link.call(Op.FIND_EQUIVALENT, map), TaskMessages::task);
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
}
