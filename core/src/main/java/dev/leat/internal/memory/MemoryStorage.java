package dev.leat.internal.memory;

import dev.leat.AddressInUseException;
import dev.leat.Attempt;
import dev.leat.ClosedException;
import dev.leat.Equivalence;
import dev.leat.GroupClosedException;
import dev.leat.GroupExistsException;
import dev.leat.GroupInfo;
import dev.leat.GroupNotFoundException;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.OutcomeForgottenException;
import dev.leat.PutResult;
import dev.leat.Queue;
import dev.leat.QueueExistsException;
import dev.leat.QueueFullException;
import dev.leat.QueueInUseException;
import dev.leat.QueueInfo;
import dev.leat.QueueNotFoundException;
import dev.leat.QueueOptions;
import dev.leat.QueueStats;
import dev.leat.SessionEndedException;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskNotFoundException;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.storage.Capability;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps everything in this process.
 *
 * <p>Each operation runs under one lock and first does what time demands, so nobody ever sees a task that should have
 * moved on. Notices are sent after the lock is given back.
 */
public final class MemoryStorage implements Storage {
    /** Changes made by time in passing wait here for the next sweep, which tells them; past this many they are lost. */
    private static final int MAX_UNTOLD = 10_000;

    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
    private final InProcessSignal signal = new InProcessSignal();
    private final InProcessLock locks;
    private final EntryTable entries = new EntryTable();
    private final Timers timers = new Timers();
    private final Shelf shelf = new Shelf();
    private final Lifecycle lifecycle = new Lifecycle(this, timers, shelf, random);
    private final Map<String, MemoryQueue> queues = new TreeMap<>();
    private final Map<String, MemorySession> sessions = new HashMap<>();
    private final Groups groups = new Groups();
    private final IdempotencyKeys idempotencyKeys = new IdempotencyKeys();
    private final List<TaskEvent> untold = new ArrayList<>();
    private final List<MemoryQueue> noticesOwed = new ArrayList<>();
    private final List<Notice> otherNotices = new ArrayList<>();
    private @Nullable Instant nextTold;
    private long lastId;
    private long lastSession;
    private boolean closed;

    public MemoryStorage(InstantSource clock) {
        this.clock = clock;
        this.locks = new InProcessLock(clock);
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of();
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public Signal signal() {
        return signal;
    }

    @Override
    public Lock lock() {
        return locks;
    }

    // Queues

    @Override
    public QueueInfo createQueue(String queue, QueueOptions options) {
        return locked(now -> {
            if (queues.containsKey(queue)) {
                throw new QueueExistsException(queue);
            }
            return addQueue(queue, options, QueueInfo.SetBy.CODE).info();
        });
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return locked(now -> {
            MemoryQueue existing = queues.get(queue);
            if (existing == null) {
                return addQueue(queue, options, setBy).info();
            }
            boolean mayChange = setBy == QueueInfo.SetBy.OPERATOR || existing.setBy == QueueInfo.SetBy.CODE;
            if (mayChange && !existing.options.equals(options)) {
                existing.change(options, entriesOf(existing, TaskState.TAKEN));
            }
            if (mayChange) {
                existing.setBy = setBy;
                oweNotice(existing);
            }
            return existing.info();
        });
    }

    private MemoryQueue addQueue(String name, QueueOptions options, QueueInfo.SetBy setBy) {
        Queue.checkName(name);
        MemoryQueue queue = new MemoryQueue(name, options, setBy, random);
        queues.put(name, queue);
        return queue;
    }

    @Override
    public Optional<QueueInfo> queue(String queue) {
        return locked(now -> Optional.ofNullable(queues.get(queue)).map(MemoryQueue::info));
    }

    @Override
    public List<QueueInfo> queues() {
        return locked(now -> queues.values().stream().map(MemoryQueue::info).toList());
    }

    @Override
    public void pause(String queue) {
        locked(now -> {
            find(queue).paused = true;
            otherNotices.add(new Notice.Paused(queue));
            return queue;
        });
    }

    @Override
    public void resume(String queue) {
        locked(now -> {
            MemoryQueue q = find(queue);
            q.paused = false;
            oweNotice(q);
            return queue;
        });
    }

    @Override
    public void drop(String queue) {
        locked(now -> {
            MemoryQueue q = find(queue);
            if (q.count(TaskState.TAKEN) > 0) {
                throw new QueueInUseException(queue, q.count(TaskState.TAKEN) + " of its tasks are taken");
            }
            if (consumers(queue) > 0) {
                throw new QueueInUseException(queue, consumers(queue) + " consumers wait for its tasks");
            }
            // First the queue, so that a group that ends by this puts its closing task into a new one.
            queues.remove(queue);
            dropTasks(q, "queue dropped", now);
            return queue;
        });
    }

    @Override
    public long truncate(String queue) {
        return locked(now -> dropTasks(find(queue), "queue truncated", now));
    }

    private long dropTasks(MemoryQueue queue, String why, Instant now) {
        long dropped = 0;
        for (Entry e : entriesOf(queue, null)) {
            if (e.state.isLive()) {
                lifecycle.drop(e, TaskState.CANCELED, why, now);
                tellLater(event(TaskEvent.Kind.DELETE, e));
                dropped++;
            }
        }
        return dropped;
    }

    @Override
    public long releaseAll(String queue) {
        return locked(now -> {
            List<Entry> taken = entriesOf(find(queue), TaskState.TAKEN);
            for (Entry e : taken) {
                lifecycle.revoke(e, now);
                tellLater(event(TaskEvent.Kind.RELEASE, e));
            }
            return (long) taken.size();
        });
    }

    // Tasks

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        return locked(now -> {
            checkPut(tasks, now);
            List<PutResult> results = new ArrayList<>(tasks.size());
            for (NewTask task : tasks) {
                results.add(putOne(task, now));
            }
            return results;
        });
    }

    /** Finds everything that could refuse a put, before anything is changed. */
    private void checkPut(List<NewTask> tasks, Instant now) {
        MemoryQueue last = null;
        Map<MemoryQueue, Integer> wanted = new HashMap<>(0);
        Set<List<String>> namesInBatch = new HashSet<>(0);
        for (NewTask task : tasks) {
            MemoryQueue queue = last != null && last.name.equals(task.queue()) ? last : find(task.queue());
            last = queue;
            if (task.group().isPresent()) {
                openGroup(task.group().getAsLong());
            }
            if (queue.options.capacity() > 0 && willBeMade(queue, task, namesInBatch, now)) {
                int count = wanted.merge(queue, 1, Integer::sum);
                if (!queue.hasSpaceFor(count)) {
                    throw new QueueFullException(queue.name, queue.options.capacity());
                }
            }
        }
    }

    private boolean willBeMade(MemoryQueue queue, NewTask task, Set<List<String>> namesInBatch, Instant now) {
        boolean isNew = existing(queue, task) == null
                && (task.idempotencyKey().isEmpty() || idempotencyKeys.find(task, now) == null);
        boolean firstOfAddress = task.address().isEmpty()
                || namesInBatch.add(
                        List.of("address", queue.name, task.address().get()));
        boolean firstOfKey = task.idempotencyKey().isEmpty()
                || namesInBatch.add(
                        List.of("idempotency", queue.name, task.idempotencyKey().get()));
        return isNew && firstOfAddress && firstOfKey;
    }

    private PutResult putOne(NewTask task, Instant now) {
        MemoryQueue queue = find(task.queue());
        Entry existing = existing(queue, task);
        if (existing != null) {
            return new PutResult(existing.id, false, existing.state);
        }
        if (task.idempotencyKey().isPresent()) {
            Entry known = idempotencyKeys.find(task, now);
            if (known != null) {
                return new PutResult(known.id, false, known.state);
            }
        }
        Entry e = add(queue, task, now);
        idempotencyKeys.remember(task, e, now);
        return new PutResult(e.id, true, e.state);
    }

    private static @Nullable Entry existing(MemoryQueue queue, NewTask task) {
        Optional<String> address = task.address();
        return address.isEmpty() ? null : queue.addresses.get(address.get());
    }

    private Entry add(MemoryQueue queue, NewTask task, Instant now) {
        MemoryGroup group = task.group().isPresent() ? groups.get(task.group().getAsLong()) : null;
        Entry e = lifecycle.create(++lastId, queue, task, group, now);
        entries.add(e);
        return e;
    }

    /**
     * Puts an end, abort or dead task, which nothing may refuse: it is made even over the queue's capacity, in a queue
     * that was dropped meanwhile, and outside a group that has ended.
     */
    long putInternal(NewTask task, Instant now) {
        MemoryQueue queue = queues.get(task.queue());
        if (queue == null) {
            queue = addQueue(task.queue(), QueueOptions.standard(), QueueInfo.SetBy.CODE);
        }
        Entry existing = existing(queue, task);
        if (existing != null) {
            return existing.id;
        }
        MemoryGroup group = task.group().isPresent() ? groups.get(task.group().getAsLong()) : null;
        boolean mayJoin = group != null && !group.state.isEnded() && group.state != GroupInfo.State.CANCELING;
        Entry e = add(queue, mayJoin ? task : task.withoutGroup(), now);
        tellLater(event(TaskEvent.Kind.PUT, e));
        return e.id;
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        return locked(now -> {
            MemoryQueue queue = find(request.queue());
            queue.check(request);
            MemorySession session = request.session().map(this::findSession).orElse(null);
            if (queue.paused || queue.count(TaskState.READY) == 0) {
                return List.<TakenTask>of();
            }
            List<TakenTask> taken = new ArrayList<>(Math.min(request.count(), 64));
            while (taken.size() < request.count()) {
                Entry e = lifecycle.takeNext(queue, request, session, now);
                if (e == null) {
                    break;
                }
                taken.add(Lifecycle.taken(e));
            }
            return taken;
        });
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        return locked(now -> {
            List<SettleResult> results = new ArrayList<>(settles.size());
            for (Settle settle : settles) {
                Entry e = entries.get(settle.lease().taskId());
                results.add(e == null ? SettleResult.gone() : lifecycle.settle(e, settle, now));
            }
            return results;
        });
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        return locked(now -> touches.stream().map(this::touchOne).toList());
    }

    private Touch.Result touchOne(Touch touch) {
        Entry e = entries.get(touch.lease().taskId());
        if (e == null || !e.isHeldUnder(touch.lease().nonce())) {
            return Touch.Result.gone();
        }
        if (e.leaseUntil == null) {
            return Touch.Result.unlimited(e.queue.name);
        }
        lifecycle.touch(e, touch.by());
        return Touch.Result.extended(e.queue.name, e.leaseUntil);
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return locked(now -> {
            Entry e = entries.get(taskId);
            return e == null || e.hidden ? Optional.<Task>empty() : Optional.of(e.snapshot());
        });
    }

    @Override
    public List<Task> list(TaskQuery query) {
        return locked(now -> {
            query.queue().ifPresent(this::find);
            List<Task> found = new ArrayList<>();
            entries.forEach(e -> {
                if (e.id > query.after() && query.states().contains(e.state) && !e.hidden) {
                    Task task = e.snapshot();
                    if (query.matches(task)) {
                        found.add(task);
                    }
                }
            });
            found.sort(Comparator.comparingLong(Task::id));
            return List.copyOf(found.subList(0, Math.min(query.limit(), found.size())));
        });
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return locked(now -> findEntry(taskId).attemptHistory());
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return locked(now -> {
            MemoryQueue q = find(queue);
            List<TaskEvent> kicked = new ArrayList<>();
            List<Entry> skipped = new ArrayList<>();
            for (Entry e = q.buried.first(); e != null && kicked.size() < count; e = q.buried.first()) {
                if (addressHolder(e) == null) {
                    lifecycle.kick(e, now);
                    kicked.add(event(TaskEvent.Kind.KICK, e));
                } else {
                    q.buried.remove(e);
                    skipped.add(e);
                }
            }
            skipped.forEach(q.buried::add);
            return kicked;
        });
    }

    @Override
    public TaskEvent kick(long taskId) {
        return locked(now -> {
            Entry e = findEntry(taskId);
            if (e.state == TaskState.BURIED) {
                Entry holder = addressHolder(e);
                if (holder != null) {
                    throw new AddressInUseException(
                            e.queue.name, e.given.address().orElseThrow(), holder.id);
                }
                lifecycle.kick(e, now);
                return event(TaskEvent.Kind.KICK, e);
            }
            return event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    private static @Nullable Entry addressHolder(Entry e) {
        return existing(e.queue, e.given);
    }

    @Override
    public TaskEvent delete(long taskId) {
        return locked(now -> {
            Entry e = findEntry(taskId);
            if (e.state.isLive()) {
                lifecycle.drop(e, TaskState.CANCELED, "deleted", now);
                return event(TaskEvent.Kind.DELETE, e);
            }
            return event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return locked(now -> {
            Entry e = findEntry(taskId);
            if (e.state == TaskState.TAKEN && !e.cancelRequested) {
                lifecycle.requestCancel(e, reason, now);
                if (e.session != null) {
                    otherNotices.add(new Notice.SessionNews(e.session.id));
                }
            } else if (e.state.isLive() && e.state != TaskState.TAKEN) {
                lifecycle.drop(e, TaskState.CANCELED, reason, now);
                return event(TaskEvent.Kind.DELETE, e);
            }
            return event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return locked(now -> {
            Entry e = findEntry(taskId);
            if (e.state.isLive() && e.state != TaskState.BURIED) {
                lifecycle.drop(e, TaskState.BURIED, message, now);
                return event(TaskEvent.Kind.BURY, e);
            }
            return event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        return locked(now -> {
            Entry e = find(queue).addresses.get(address);
            return e == null ? OptionalLong.empty() : OptionalLong.of(e.id);
        });
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return locked(now -> {
            Entry e = entries.get(taskId);
            if (e == null && taskId > 0 && taskId <= lastId) {
                throw new OutcomeForgottenException(taskId);
            }
            if (e == null) {
                throw new TaskNotFoundException(taskId);
            }
            if (e.state.isLive() && e.state != TaskState.BURIED) {
                return Optional.<Outcome>empty();
            }
            String message = e.message == null ? "" : e.message;
            return Optional.of(new Outcome(e.id, e.state, message, e.errorCode, Optional.ofNullable(e.result)));
        });
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        return locked(now -> {
            NewTask like = equivalence.task();
            MemoryQueue queue = find(like.queue());
            String hash = Lifecycle.sha256(like.payload().bytes());
            return queue.equivalents.getOrDefault(Lifecycle.equivalenceIndex(like, hash), List.of()).stream()
                    .filter(e -> equivalence.states().contains(e.state) && !e.hidden)
                    .filter(e -> isEquivalent(e.given, like))
                    .sorted(Comparator.comparingLong(e -> e.id))
                    .map(Entry::snapshot)
                    .toList();
        });
    }

    private static boolean isEquivalent(NewTask a, NewTask b) {
        return a.type().equals(b.type())
                && a.origin().equals(b.origin())
                && a.destination().equals(b.destination())
                && a.tenant().equals(b.tenant())
                && a.businessGroup().equals(b.businessGroup());
    }

    @Override
    public List<QueueStats> stats() {
        return locked(now ->
                queues.values().stream().map(q -> q.stats(consumers(q.name))).toList());
    }

    @Override
    public QueueStats stats(String queue) {
        return locked(now -> find(queue).stats(consumers(queue)));
    }

    private int consumers(String queue) {
        return sessions.values().stream()
                .mapToInt(s -> s.waiting.getOrDefault(queue, 0))
                .sum();
    }

    // Sessions

    @Override
    public String openSession(SessionSpec spec) {
        return locked(now -> {
            String id = spec.name() + "#" + ++lastSession;
            sessions.put(id, new MemorySession(id, spec, now));
            otherNotices.add(Notice.TimerMoved.INSTANCE);
            return id;
        });
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        return locked(now -> {
            MemorySession s = sessions.get(session);
            if (s == null) {
                return new HeartbeatReply(false, List.of());
            }
            s.heard = now;
            s.disconnected = null;
            s.waiting = Map.copyOf(waiting);
            List<Lease> cancels = new ArrayList<>();
            for (Entry e = s.held.head; e != null; e = e.next) {
                if (e.cancelRequested) {
                    cancels.add(Lease.of(e.id, e.nonce));
                }
            }
            return new HeartbeatReply(true, cancels);
        });
    }

    @Override
    public void disconnect(String session) {
        locked(now -> {
            MemorySession s = sessions.get(session);
            if (s != null && s.spec.grace().isZero()) {
                endSession(s, "disconnected", now).forEach(this::tellLater);
            } else if (s != null && s.disconnected == null) {
                s.disconnected = now;
                s.waiting = Map.of();
                otherNotices.add(Notice.TimerMoved.INSTANCE);
            }
            return session;
        });
    }

    @Override
    public List<TaskEvent> closeSession(String session) {
        return locked(now -> {
            MemorySession s = sessions.get(session);
            return s == null ? List.<TaskEvent>of() : endSession(s, "session closed", now);
        });
    }

    private List<TaskEvent> endSession(MemorySession session, String why, Instant now) {
        sessions.remove(session.id);
        List<TaskEvent> events = new ArrayList<>();
        for (Entry e = session.held.head; e != null; e = session.held.head) {
            lifecycle.lose(e, why, now);
            events.add(event(TaskEvent.Kind.LOST, e));
        }
        return events;
    }

    // Groups

    @Override
    public GroupInfo createGroup(GroupSpec spec) {
        return locked(now -> {
            if (groups.find(spec.name()) != null) {
                throw new GroupExistsException(spec.name());
            }
            checkClosingTasks(spec.end(), spec.abort());
            return groups.add(spec).info();
        });
    }

    private void checkClosingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        end.ifPresent(task -> find(task.queue()));
        abort.ifPresent(task -> find(task.queue()));
    }

    @Override
    public Optional<GroupInfo> group(long groupId) {
        return locked(now -> Optional.ofNullable(groups.get(groupId)).map(MemoryGroup::info));
    }

    @Override
    public Optional<GroupInfo> group(String name) {
        return locked(now -> Optional.ofNullable(groups.find(name)).map(MemoryGroup::info));
    }

    @Override
    public GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        return locked(now -> {
            MemoryGroup group = findGroup(groupId);
            if (group.state.isEnded()) {
                throw closed(group);
            }
            checkClosingTasks(end, abort);
            group.end = end;
            group.abort = abort;
            return group.info();
        });
    }

    @Override
    public GroupInfo startGroup(long groupId) {
        return locked(now -> {
            MemoryGroup group = openGroup(groupId);
            if (group.state == GroupInfo.State.OPEN) {
                lifecycle.start(group, now);
            }
            return group.info();
        });
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        return locked(now -> {
            MemoryGroup group = findGroup(groupId);
            if (group.state == GroupInfo.State.COMPLETED) {
                throw closed(group);
            }
            lifecycle.cancel(group, reason, now);
            return group.info();
        });
    }

    private MemoryGroup findGroup(long groupId) {
        MemoryGroup group = groups.get(groupId);
        if (group == null) {
            throw new GroupNotFoundException(Long.toString(groupId));
        }
        return group;
    }

    private MemoryGroup openGroup(long groupId) {
        MemoryGroup group = findGroup(groupId);
        if (group.state != GroupInfo.State.OPEN && group.state != GroupInfo.State.STARTED) {
            throw closed(group);
        }
        return group;
    }

    private static GroupClosedException closed(MemoryGroup group) {
        return new GroupClosedException(group.id + " '" + group.name + "'", group.state.name());
    }

    void groupEnded(MemoryGroup group) {
        groups.ended(group);
    }

    // Time

    @Override
    public Sweep.Result sweep(Sweep sweep) {
        return locked(now -> {
            for (MemorySession session : List.copyOf(sessions.values())) {
                session.forgetFuture(now);
                boolean mayEnd = session.disconnected != null || sweep.sessions() == Sweep.Sessions.END_SILENT;
                if (mayEnd && !session.endsAt().isAfter(now)) {
                    endSession(session, "session silent for too long", now).forEach(this::tellLater);
                }
            }
            List<TaskEvent> events = List.copyOf(untold);
            untold.clear();
            nextTold = nextMoment(sweep.sessions());
            Optional<Duration> nextIn = Optional.ofNullable(nextTold)
                    .map(next -> next.isAfter(now) ? Duration.between(now, next) : Duration.ZERO);
            return new Sweep.Result(events, nextIn);
        });
    }

    /** A silent session that this sweeper must spare is no reason for it to come back soon. */
    private @Nullable Instant nextMoment(Sweep.Sessions silent) {
        Instant next = timers.next();
        for (MemorySession session : sessions.values()) {
            if (session.disconnected != null || silent == Sweep.Sessions.END_SILENT) {
                Instant ends = session.endsAt();
                next = next == null || ends.isBefore(next) ? ends : next;
            }
        }
        return next;
    }

    private void catchUp(Instant now) {
        for (Entry e = timers.due(now); e != null; e = timers.due(now)) {
            TaskEvent.Kind what = lifecycle.timeCame(e, now);
            tellLater(event(what, e));
        }
        shelf.hideOld(now);
        for (Entry e = shelf.pollOld(now); e != null; e = shelf.pollOld(now)) {
            forget(e);
        }
    }

    /** A change that no call answers for is told by the next sweep, which is soon. */
    void tellLater(TaskEvent event) {
        if (untold.size() < MAX_UNTOLD) {
            untold.add(event);
        }
    }

    /** A finished task has been kept long enough. */
    private void forget(Entry e) {
        entries.remove(e);
        if (e.payloadHash != null) {
            e.queue.unindexEquivalent(e, Lifecycle.equivalenceIndex(e.given, e.payloadHash));
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    // Under the lock

    private <T> T locked(Function<Instant, T> operation) {
        lock.lock();
        T result;
        try {
            if (closed) {
                throw new ClosedException("This memory storage");
            }
            Instant now = clock.instant();
            catchUp(now);
            result = operation.apply(now);
        } catch (Throwable e) {
            unlockAndTell();
            throw e;
        }
        unlockAndTell();
        return result;
    }

    /** Remembers that listeners are to hear of a task, a place or a key that became free in the queue. */
    void oweNotice(MemoryQueue queue) {
        if (!queue.noticeOwed) {
            queue.noticeOwed = true;
            noticesOwed.add(queue);
        }
    }

    private void unlockAndTell() {
        Instant next = timers.next();
        boolean timerMoved = !untold.isEmpty() || (next != null && (nextTold == null || next.isBefore(nextTold)));
        if (timerMoved && next != null) {
            nextTold = next;
        }
        if (!timerMoved && noticesOwed.isEmpty() && otherNotices.isEmpty()) {
            lock.unlock();
            return;
        }
        List<Notice> notices = new ArrayList<>(otherNotices);
        otherNotices.clear();
        for (MemoryQueue queue : noticesOwed) {
            queue.noticeOwed = false;
            notices.add(queue.readyNotice);
        }
        noticesOwed.clear();
        if (timerMoved) {
            notices.add(Notice.TimerMoved.INSTANCE);
        }
        lock.unlock();
        notices.forEach(signal::send);
    }

    private MemoryQueue find(String queue) {
        MemoryQueue found = queues.get(queue);
        if (found == null) {
            throw new QueueNotFoundException(queue);
        }
        return found;
    }

    private MemorySession findSession(String session) {
        MemorySession found = sessions.get(session);
        if (found == null) {
            throw new SessionEndedException(session);
        }
        return found;
    }

    private Entry findEntry(long taskId) {
        Entry e = entries.get(taskId);
        if (e == null || e.hidden) {
            throw new TaskNotFoundException(taskId);
        }
        return e;
    }

    private List<Entry> entriesOf(MemoryQueue queue, @Nullable TaskState state) {
        List<Entry> found = new ArrayList<>();
        entries.forEach(e -> {
            if (e.queue == queue && (state == null || e.state == state)) {
                found.add(e);
            }
        });
        found.sort(Comparator.comparingLong(e -> e.id));
        return found;
    }

    static TaskEvent event(TaskEvent.Kind kind, Entry e) {
        return new TaskEvent(kind, e.queue.name, e.id, e.state);
    }
}
