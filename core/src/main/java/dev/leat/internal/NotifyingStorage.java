package dev.leat.internal;

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
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.storage.CallerTransaction;
import dev.leat.storage.Capability;
import dev.leat.storage.Finding;
import dev.leat.storage.GroupPut;
import dev.leat.storage.HandlerTransaction;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Lock;
import dev.leat.storage.Redriven;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Notifies the listeners of a Leat of every task change that passes through: each call goes to the storage first, and is reported only
 * after it has succeeded. Puts in a caller's transaction are not reported, because nothing here sees the commit. Safe for use by many
 * threads if the storage is.
 */
final class NotifyingStorage implements Storage {
    private final Storage storage;
    private final Events events;

    NotifyingStorage(Storage storage, Events events) {
        this.storage = storage;
        this.events = events;
    }

    @Override
    public String name() {
        return storage.name();
    }

    @Override
    public Set<Capability> capabilities() {
        return storage.capabilities();
    }

    @Override
    public Instant now() {
        return storage.now();
    }

    @Override
    public Signal signal() {
        return storage.signal();
    }

    @Override
    public Lock lock() {
        return storage.lock();
    }

    @Override
    public List<Finding> examine() {
        return storage.examine();
    }

    @Override
    public CallerTransaction with(Connection connection) {
        return storage.with(connection);
    }

    @Override
    public HandlerTransaction begin() {
        return new NotifyingTransaction(storage.begin(), events);
    }

    @Override
    public QueueInfo createQueue(String queue, QueueOptions options) {
        return storage.createQueue(queue, options);
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return storage.declareQueue(queue, options, setBy);
    }

    @Override
    public Optional<QueueInfo> queue(String queue) {
        return storage.queue(queue);
    }

    @Override
    public List<QueueInfo> queues() {
        return storage.queues();
    }

    @Override
    public void pause(String queue) {
        storage.pause(queue);
    }

    @Override
    public void resume(String queue) {
        storage.resume(queue);
    }

    @Override
    public void drop(String queue) {
        storage.drop(queue);
    }

    @Override
    public long truncate(String queue) {
        return storage.truncate(queue);
    }

    @Override
    public long releaseAll(String queue) {
        return storage.releaseAll(queue);
    }

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        List<PutResult> results = storage.put(tasks);
        events.put(tasks, results);
        return results;
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        List<TakenTask> taken = storage.take(request);
        events.taken(request.queue(), taken);
        return taken;
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        List<SettleResult> results = storage.settle(settles);
        events.settled(settles, results);
        return results;
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        List<Touch.Result> results = storage.touch(touches);
        events.touched(touches, results);
        return results;
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return storage.peek(taskId);
    }

    @Override
    public List<Task> list(TaskQuery query) {
        return storage.list(query);
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return storage.attempts(taskId);
    }

    @Override
    public int countBuried(TaskQuery query, int most) {
        return storage.countBuried(query, most);
    }

    @Override
    public Redriven redrive(TaskQuery query) {
        Redriven redriven = storage.redrive(query);
        events.emit(redriven.kicked());
        return redriven;
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return emitted(storage.kick(queue, count));
    }

    @Override
    public TaskEvent kick(long taskId) {
        return emitted(storage.kick(taskId));
    }

    @Override
    public TaskEvent delete(long taskId) {
        return emitted(storage.delete(taskId));
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return emitted(storage.cancel(taskId, reason));
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return emitted(storage.bury(taskId, message));
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        return storage.findAddress(queue, address);
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return storage.outcome(taskId);
    }

    @Override
    public Map<Long, TaskStatus> standings(Set<Long> taskIds) {
        return storage.standings(taskIds);
    }

    @Override
    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        return storage.findAddresses(queue, addresses);
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        return storage.chunk(lease, number);
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        return storage.findEquivalent(equivalence);
    }

    @Override
    public List<QueueStats> stats() {
        return storage.stats();
    }

    @Override
    public QueueStats stats(String queue) {
        return storage.stats(queue);
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        return storage.tenantStats(queue);
    }

    @Override
    public String openSession(SessionSpec spec) {
        return storage.openSession(spec);
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        return storage.heartbeat(session, waiting);
    }

    @Override
    public List<Lease> leases(String session) {
        return storage.leases(session);
    }

    @Override
    public void disconnect(String session) {
        storage.disconnect(session);
    }

    @Override
    public List<TaskEvent> closeSession(String session) {
        return emitted(storage.closeSession(session));
    }

    @Override
    public GroupInfo createGroup(GroupSpec spec) {
        return storage.createGroup(spec);
    }

    @Override
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        GroupPut put = storage.putGroup(spec, tasks);
        events.put(tasks, put.tasks());
        return put;
    }

    @Override
    public Optional<GroupInfo> group(long groupId) {
        return storage.group(groupId);
    }

    @Override
    public Optional<GroupInfo> group(String name) {
        return storage.group(name);
    }

    @Override
    public GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        return storage.setGroupTasks(groupId, end, abort);
    }

    @Override
    public GroupInfo startGroup(long groupId) {
        return storage.startGroup(groupId);
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        return storage.cancelGroup(groupId, reason);
    }

    @Override
    public Subscription putSubscription(Subscription subscription) {
        return storage.putSubscription(subscription);
    }

    @Override
    public Optional<Subscription> subscription(String id) {
        return storage.subscription(id);
    }

    @Override
    public List<Subscription> subscriptions(SubscriptionQuery query) {
        return storage.subscriptions(query);
    }

    @Override
    public Optional<Subscription> enableSubscription(String id) {
        return storage.enableSubscription(id);
    }

    @Override
    public Optional<Subscription> disableSubscription(String id, String reason, Optional<String> sentTo) {
        return storage.disableSubscription(id, reason, sentTo);
    }

    @Override
    public boolean dropSubscription(String id) {
        return storage.dropSubscription(id);
    }

    @Override
    public ScheduleInfo putSchedule(Schedule schedule, QueueInfo.SetBy setBy) {
        return storage.putSchedule(schedule, setBy);
    }

    @Override
    public Optional<ScheduleInfo> schedule(String name) {
        return storage.schedule(name);
    }

    @Override
    public List<ScheduleInfo> schedules(ScheduleQuery query) {
        return storage.schedules(query);
    }

    @Override
    public ScheduleInfo pauseSchedule(String name) {
        return storage.pauseSchedule(name);
    }

    @Override
    public ScheduleInfo resumeSchedule(String name) {
        return storage.resumeSchedule(name);
    }

    @Override
    public PutResult triggerSchedule(String name) {
        return storage.triggerSchedule(name);
    }

    @Override
    public boolean dropSchedule(String name) {
        return storage.dropSchedule(name);
    }

    @Override
    public Sweep.Result sweep(Sweep sweep) {
        Sweep.Result result = storage.sweep(sweep);
        events.emit(result.events());
        return result;
    }

    @Override
    public <T> Optional<T> unwrap(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : storage.unwrap(type);
    }

    @Override
    public void close() {
        storage.close();
    }

    private TaskEvent emitted(TaskEvent event) {
        events.emit(event);
        return event;
    }

    private List<TaskEvent> emitted(List<TaskEvent> changes) {
        events.emit(changes);
        return changes;
    }

    private record NotifyingTransaction(HandlerTransaction transaction, Events events) implements HandlerTransaction {
        @Override
        public Connection connection() {
            return transaction.connection();
        }

        @Override
        public SettleResult commit(Settle settle) {
            SettleResult result = transaction.commit(settle);
            events.settled(settle, result);
            return result;
        }

        @Override
        public boolean isBlameless(Throwable failure) {
            return transaction.isBlameless(failure);
        }

        @Override
        public void close() {
            transaction.close();
        }
    }
}
