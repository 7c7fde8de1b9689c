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
import dev.leat.storage.CallerTransaction;
import dev.leat.storage.Capability;
import dev.leat.storage.GroupStorage;
import dev.leat.storage.QueueStorage;
import dev.leat.storage.ScheduleStorage;
import dev.leat.storage.SessionStorage;
import dev.leat.storage.SubscriptionStorage;
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
    private final SessionStorage sessions;
    private final GroupStorage groups;

    NotifyingStorage(Storage storage, Events events) {
        this.storage = storage;
        this.events = events;
        this.sessions = new NotifyingSessions(storage.sessions(), events);
        this.groups = new NotifyingGroups(storage.groups(), events);
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
    public QueueStorage queues() {
        return storage.queues();
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
        return storage.subscriptions();
    }

    @Override
    public ScheduleStorage schedules() {
        return storage.schedules();
    }

    @Override
    public HandlerTransaction begin() {
        return new NotifyingTransaction(storage.begin(), events);
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
    public Map<Long, TaskStatus> statuses(Set<Long> taskIds) {
        return storage.statuses(taskIds);
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

    private record NotifyingSessions(SessionStorage sessions, Events events) implements SessionStorage {
        @Override
        public String open(SessionSpec spec) {
            return sessions.open(spec);
        }

        @Override
        public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
            return sessions.heartbeat(session, waiting);
        }

        @Override
        public List<Lease> leases(String session) {
            return sessions.leases(session);
        }

        @Override
        public void disconnect(String session) {
            sessions.disconnect(session);
        }

        @Override
        public List<TaskEvent> close(String session) {
            List<TaskEvent> changes = sessions.close(session);
            events.emit(changes);
            return changes;
        }
    }

    private record NotifyingGroups(GroupStorage groups, Events events) implements GroupStorage {
        @Override
        public GroupInfo create(GroupSpec spec) {
            return groups.create(spec);
        }

        @Override
        public GroupPut put(GroupSpec spec, List<NewTask> tasks) {
            GroupPut put = groups.put(spec, tasks);
            events.put(tasks, put.tasks());
            return put;
        }

        @Override
        public Optional<GroupInfo> find(long groupId) {
            return groups.find(groupId);
        }

        @Override
        public Optional<GroupInfo> find(String name) {
            return groups.find(name);
        }

        @Override
        public GroupInfo setTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
            return groups.setTasks(groupId, end, abort);
        }

        @Override
        public GroupInfo start(long groupId) {
            return groups.start(groupId);
        }

        @Override
        public GroupInfo cancel(long groupId, String reason) {
            return groups.cancel(groupId, reason);
        }
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
