package dev.leat.internal.memory;

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
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.error.AddressInUseException;
import dev.leat.error.ClosedException;
import dev.leat.error.GroupExistsException;
import dev.leat.error.QueueExistsException;
import dev.leat.error.SessionEndedException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.internal.InWords;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.schedule.ScheduledRun;
import dev.leat.storage.Capability;
import dev.leat.storage.DueRuns;
import dev.leat.storage.GroupPut;
import dev.leat.storage.GroupRules;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.OperatorRules;
import dev.leat.storage.Reasons;
import dev.leat.storage.Redriven;
import dev.leat.storage.SessionLife;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps all tasks in this process.
 *
 * <p>Each operation runs under one lock and first makes all timed changes, so no caller sees a task whose timer is due. Notices are sent after
 * the lock is released.
 */
public final class MemoryStorage implements Storage {
    private static final Logger log = LoggerFactory.getLogger(MemoryStorage.class);

    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
    private final InProcessSignal signal = new InProcessSignal();
    private final InProcessLock locks;
    private final EntryTable entries = new EntryTable();
    private final Timers timers = new Timers();
    private final FinishedEntries finished = new FinishedEntries();
    private final PendingNotices notices = new PendingNotices();
    private final QueueTable queues = new QueueTable(random);
    private final MemoryGroups groups = new MemoryGroups();
    private final SubscriptionTable subscriptions = new SubscriptionTable();
    private final ScheduleTable schedules = new ScheduleTable();
    private final Map<String, MemorySession> sessions = new HashMap<>();
    private final EntryLifecycle lifecycle =
            new EntryLifecycle(timers, finished, notices, groups, subscriptions, this::putFollowUp, random);
    private final Intake intake = new Intake(queues, groups, entries, lifecycle, notices);
    /** The number of finished entries removed since the last sweep. */
    private long forgotten;

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
            if (queues.get(queue) != null) {
                throw new QueueExistsException(queue);
            }
            return queues.add(queue, options, QueueInfo.SetBy.CODE).info();
        });
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return locked(now -> {
            MemoryQueue existing = queues.get(queue);
            if (existing == null) {
                return queues.add(queue, options, setBy).info();
            }
            boolean mayChange = OperatorRules.mayChange(existing.setBy, setBy);
            if (mayChange && !existing.options.equals(options)) {
                existing.change(options, entriesOf(existing, TaskState.TAKEN));
            }
            if (mayChange) {
                existing.setBy = setBy;
                notices.ready(existing);
            }
            return existing.info();
        });
    }

    @Override
    public Optional<QueueInfo> queue(String queue) {
        return locked(now -> Optional.ofNullable(queues.get(queue)).map(MemoryQueue::info));
    }

    @Override
    public List<QueueInfo> queues() {
        return locked(now -> queues.all().stream().map(MemoryQueue::info).toList());
    }

    @Override
    public void pause(String queue) {
        locked(now -> {
            queues.find(queue).paused = true;
            notices.add(new Notice.Paused(queue));
            return queue;
        });
    }

    @Override
    public void resume(String queue) {
        locked(now -> {
            MemoryQueue q = queues.find(queue);
            q.paused = false;
            notices.ready(q);
            return queue;
        });
    }

    @Override
    public void drop(String queue) {
        locked(now -> {
            MemoryQueue q = queues.find(queue);
            OperatorRules.checkMayDrop(queue, q.count(TaskState.TAKEN), consumers(queue));
            // The queue is removed first, so that a group that ends by this puts its closing task into a new queue.
            queues.remove(queue);
            dropTasks(q, Reasons.QUEUE_DROPPED, now);
            return queue;
        });
    }

    @Override
    public long truncate(String queue) {
        return locked(now -> dropTasks(queues.find(queue), Reasons.QUEUE_TRUNCATED, now));
    }

    private long dropTasks(MemoryQueue queue, String why, Instant now) {
        long dropped = 0;
        for (Entry e : entriesOf(queue, null)) {
            if (e.state.isLive()) {
                lifecycle.drop(e, TaskState.CANCELED, why, now);
                notices.addEvent(TaskEvent.Kind.DELETE, e);
                dropped++;
            }
        }
        return dropped;
    }

    @Override
    public long releaseAll(String queue) {
        return locked(now -> {
            List<Entry> taken = entriesOf(queues.find(queue), TaskState.TAKEN);
            for (Entry e : taken) {
                lifecycle.revoke(e, now);
                notices.addEvent(TaskEvent.Kind.RELEASE, e);
            }
            return (long) taken.size();
        });
    }

    // Tasks

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        return locked(now -> {
            intake.check(tasks, now);
            return putChecked(tasks, now);
        });
    }

    private List<PutResult> putChecked(List<NewTask> tasks, Instant now) {
        List<PutResult> results = new ArrayList<>(tasks.size());
        for (NewTask task : tasks) {
            results.add(intake.put(task, results, now));
        }
        return results;
    }

    private long putFollowUp(NewTask task, Instant now) {
        return intake.putFollowUp(task, now);
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        return locked(now -> {
            MemoryQueue queue = queues.find(request.queue());
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
                taken.add(EntryLifecycle.taken(e));
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
            query.queue().ifPresent(queues::find);
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
    public int countBuried(TaskQuery query, int most) {
        return locked(now -> Math.min(most, buried(query).size()));
    }

    @Override
    public Redriven redrive(TaskQuery query) {
        return locked(now -> {
            List<Entry> all = buried(query);
            List<Entry> block = all.subList(0, Math.min(query.limit(), all.size()));
            List<TaskEvent> kicked = new ArrayList<>();
            for (Entry e : block) {
                if (addressHolder(e) == null) {
                    lifecycle.kick(e, now);
                    kicked.add(PendingNotices.event(TaskEvent.Kind.KICK, e));
                }
            }
            boolean isMore = block.size() < all.size();
            return new Redriven(
                    kicked, isMore ? OptionalLong.of(block.get(block.size() - 1).id) : OptionalLong.empty());
        });
    }

    private List<Entry> buried(TaskQuery query) {
        TaskQuery buried = query.state(TaskState.BURIED);
        List<Entry> found = new ArrayList<>();
        for (MemoryQueue queue :
                query.queue().isPresent() ? List.of(queues.find(query.queue().get())) : queues.all()) {
            queue.buried.forEach(e -> {
                if (buried.matches(e.snapshot())) {
                    found.add(e);
                }
            });
        }
        found.sort(Comparator.comparingLong(e -> e.id));
        return found;
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return locked(now -> {
            MemoryQueue q = queues.find(queue);
            List<TaskEvent> kicked = new ArrayList<>();
            List<Entry> skipped = new ArrayList<>();
            for (Entry e = q.buried.first(); e != null && kicked.size() < count; e = q.buried.first()) {
                if (addressHolder(e) == null) {
                    lifecycle.kick(e, now);
                    kicked.add(PendingNotices.event(TaskEvent.Kind.KICK, e));
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
            if (OperatorRules.mayKick(e.state)) {
                Entry holder = addressHolder(e);
                if (holder != null) {
                    throw new AddressInUseException(
                            e.queue.name, e.given.address().orElseThrow(), holder.id);
                }
                lifecycle.kick(e, now);
                return PendingNotices.event(TaskEvent.Kind.KICK, e);
            }
            return PendingNotices.event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    private static @Nullable Entry addressHolder(Entry e) {
        return Intake.addressHolder(e.queue, e.given);
    }

    @Override
    public TaskEvent delete(long taskId) {
        return locked(now -> {
            Entry e = findEntry(taskId);
            if (OperatorRules.mayDelete(e.state)) {
                lifecycle.drop(e, TaskState.CANCELED, Reasons.DELETED, now);
                return PendingNotices.event(TaskEvent.Kind.DELETE, e);
            }
            return PendingNotices.event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return locked(now -> {
            Entry e = findEntry(taskId);
            OperatorRules.Cancel cancel = OperatorRules.Cancel.of(e.state, e.cancelRequested);
            if (cancel == OperatorRules.Cancel.ASK_HOLDER) {
                lifecycle.requestCancel(e, reason, now);
                if (e.session != null) {
                    notices.add(new Notice.SessionNews(e.session.id));
                }
            } else if (cancel == OperatorRules.Cancel.END) {
                lifecycle.drop(e, TaskState.CANCELED, reason, now);
                return PendingNotices.event(TaskEvent.Kind.DELETE, e);
            }
            return PendingNotices.event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return locked(now -> {
            Entry e = findEntry(taskId);
            if (OperatorRules.mayBury(e.state)) {
                lifecycle.drop(e, TaskState.BURIED, message, now);
                return PendingNotices.event(TaskEvent.Kind.BURY, e);
            }
            return PendingNotices.event(TaskEvent.Kind.UNCHANGED, e);
        });
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        return locked(now -> {
            Entry e = queues.find(queue).addresses.get(address);
            return e == null ? OptionalLong.empty() : OptionalLong.of(e.id);
        });
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return locked(now -> status(taskId).outcome(taskId));
    }

    @Override
    public Map<Long, TaskStatus> standings(Set<Long> taskIds) {
        return locked(now -> {
            Map<Long, TaskStatus> standings = new HashMap<>();
            for (long id : taskIds) {
                Entry e = entries.get(id);
                if (e != null) {
                    e.awaited = true;
                }
                standings.put(id, status(id));
            }
            return standings;
        });
    }

    private TaskStatus status(long taskId) {
        Entry e = entries.get(taskId);
        if (e == null) {
            return TaskStatus.ofMissing(taskId, intake.lastId());
        }
        if (!TaskStatus.hasEnded(e.state)) {
            return new TaskStatus.Lives(e.queue.name, e.chunk);
        }
        String message = e.message == null ? "" : e.message;
        Outcome outcome = new Outcome(e.id, e.state, message, e.errorCode, Optional.ofNullable(e.result));
        return new TaskStatus.Ended(e.queue.name, outcome);
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        return locked(now -> {
            Entry e = entries.get(lease.taskId());
            if (e == null || !e.isHeldUnder(lease.nonce())) {
                return false;
            }
            lifecycle.chunk(e, number);
            return true;
        });
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        return locked(now -> {
            MemoryQueue queue = queues.find(equivalence.task().queue());
            return queue.equivalentTo(equivalence).map(Entry::snapshot).toList();
        });
    }

    @Override
    public List<QueueStats> stats() {
        return locked(now ->
                queues.all().stream().map(q -> q.stats(consumers(q.name))).toList());
    }

    @Override
    public QueueStats stats(String queue) {
        return locked(now -> queues.find(queue).stats(consumers(queue)));
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        record Owner(Optional<String> tenant, Optional<String> businessGroup) {}
        return locked(now -> {
            Map<Owner, Map<TaskState, Long>> counts = new HashMap<>();
            for (Entry e : entriesOf(queues.find(queue), null)) {
                if (!e.hidden) {
                    Owner owner = new Owner(e.given.tenant(), e.given.businessGroup());
                    counts.computeIfAbsent(owner, o -> new EnumMap<>(TaskState.class))
                            .merge(e.state, 1L, Long::sum);
                }
            }
            List<TenantStats> stats = new ArrayList<>();
            counts.forEach(
                    (owner, byState) -> stats.add(new TenantStats(owner.tenant, owner.businessGroup, byState, true)));
            stats.sort(TenantStats.ORDER);
            return stats;
        });
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
            String id = SessionLife.newId(spec);
            sessions.put(id, new MemorySession(id, spec, now));
            notices.add(Notice.TimerMoved.INSTANCE);
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
            s.life = s.life.heartbeat(now);
            s.waiting = Map.copyOf(waiting);
            return new HeartbeatReply(true, leases(s, e -> e.cancelRequested));
        });
    }

    @Override
    public List<Lease> leases(String session) {
        return locked(now -> {
            MemorySession s = sessions.get(session);
            return s == null ? List.<Lease>of() : leases(s, e -> true);
        });
    }

    private static List<Lease> leases(MemorySession session, Predicate<Entry> which) {
        List<Lease> leases = new ArrayList<>();
        for (Entry e = session.held.head; e != null; e = e.next) {
            if (which.test(e)) {
                leases.add(Lease.of(e.id, e.nonce));
            }
        }
        return leases;
    }

    @Override
    public void disconnect(String session) {
        locked(now -> {
            MemorySession s = sessions.get(session);
            if (s != null && s.spec.grace().isZero()) {
                endSession(s, Reasons.SESSION_DISCONNECTED, now).forEach(notices::addEvent);
            } else if (s != null && s.life.disconnected().isEmpty()) {
                s.life = s.life.disconnect(now);
                s.waiting = Map.of();
                notices.add(Notice.TimerMoved.INSTANCE);
            }
            return session;
        });
    }

    @Override
    public List<TaskEvent> closeSession(String session) {
        return locked(now -> {
            MemorySession s = sessions.get(session);
            return s == null ? List.<TaskEvent>of() : endSession(s, Reasons.SESSION_CLOSED, now);
        });
    }

    private List<TaskEvent> endSession(MemorySession session, String why, Instant now) {
        sessions.remove(session.id);
        List<TaskEvent> events = new ArrayList<>();
        for (Entry e = session.held.head; e != null; e = session.held.head) {
            lifecycle.lose(e, why, now);
            events.add(PendingNotices.event(TaskEvent.Kind.LOST, e));
        }
        return events;
    }

    // Groups

    @Override
    public GroupInfo createGroup(GroupSpec spec) {
        return locked(now -> create(spec).info());
    }

    private MemoryGroup create(GroupSpec spec) {
        if (groups.findByName(spec.name()) != null) {
            throw new GroupExistsException(spec.name());
        }
        checkClosingTasks(spec.end(), spec.abort());
        MemoryGroup group = groups.add(spec);
        group.join(groups.outer(spec.end(), spec.abort()));
        return group;
    }

    @Override
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        return locked(now -> {
            MemoryGroup group = create(spec);
            List<NewTask> inGroup =
                    tasks.stream().map(task -> task.inGroup(group.id)).toList();
            try {
                intake.check(inGroup, now);
            } catch (RuntimeException e) {
                groups.remove(group);
                throw e;
            }
            group.state = GroupInfo.State.STARTED;
            List<PutResult> put = putChecked(inGroup, now);
            lifecycle.endIfOver(group, now);
            return new GroupPut(group.info(), put);
        });
    }

    private void checkClosingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        end.ifPresent(task -> queues.find(task.queue()));
        abort.ifPresent(task -> queues.find(task.queue()));
    }

    @Override
    public Optional<GroupInfo> group(long groupId) {
        return locked(now -> Optional.ofNullable(groups.get(groupId)).map(MemoryGroup::info));
    }

    @Override
    public Optional<GroupInfo> group(String name) {
        return locked(now -> Optional.ofNullable(groups.findByName(name)).map(MemoryGroup::info));
    }

    @Override
    public GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        return locked(now -> {
            MemoryGroup group = groups.find(groupId);
            GroupRules.checkMayChange(groupId, group.name, group.state);
            checkClosingTasks(end, abort);
            MemoryGroup outer = groups.outer(end, abort);
            if (outer != null && group.contains(outer)) {
                throw GroupSpec.cycle(groupId, outer.id);
            }
            group.end = end;
            group.abort = abort;
            MemoryGroup left = group.leaveOuter();
            group.join(outer);
            if (left != null) {
                lifecycle.endIfOver(left, now);
            }
            return group.info();
        });
    }

    @Override
    public GroupInfo startGroup(long groupId) {
        return locked(now -> {
            MemoryGroup group = groups.findOpen(groupId);
            if (group.state == GroupInfo.State.OPEN) {
                lifecycle.start(group, now);
            }
            return group.info();
        });
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        return locked(now -> {
            MemoryGroup group = groups.find(groupId);
            GroupRules.checkMayCancel(groupId, group.name, group.state);
            lifecycle.cancel(group, reason, now);
            return group.info();
        });
    }

    // Subscriptions

    @Override
    public Subscription putSubscription(Subscription subscription) {
        return locked(now -> subscriptions.put(subscription, now));
    }

    @Override
    public Optional<Subscription> subscription(String id) {
        return locked(now -> subscriptions.find(id));
    }

    @Override
    public List<Subscription> subscriptions(SubscriptionQuery query) {
        return locked(now -> subscriptions.list(query));
    }

    @Override
    public Optional<Subscription> enableSubscription(String id) {
        return locked(now -> subscriptions.change(id, Subscription::enabled));
    }

    @Override
    public Optional<Subscription> disableSubscription(String id, String reason, Optional<String> sentTo) {
        return locked(now -> sentTo.isEmpty() || subscriptions.isSentTo(id, sentTo.get())
                ? subscriptions.change(id, known -> known.disabled(reason))
                : Optional.empty());
    }

    @Override
    public boolean dropSubscription(String id) {
        return locked(now -> subscriptions.drop(id));
    }

    // Schedules

    @Override
    public ScheduleInfo putSchedule(Schedule schedule, QueueInfo.SetBy setBy) {
        return locked(now -> schedules.put(schedule, setBy, now));
    }

    @Override
    public Optional<ScheduleInfo> schedule(String name) {
        return locked(now -> schedules.find(name));
    }

    @Override
    public List<ScheduleInfo> schedules(ScheduleQuery query) {
        return locked(now -> schedules.list(query));
    }

    @Override
    public ScheduleInfo pauseSchedule(String name) {
        return locked(now -> schedules.set(schedules.get(name).pause()));
    }

    @Override
    public ScheduleInfo resumeSchedule(String name) {
        return locked(now -> schedules.set(schedules.get(name).resume(now)));
    }

    @Override
    public PutResult triggerSchedule(String name) {
        return locked(now -> {
            ScheduleInfo info = schedules.get(name);
            Entry last = unended(DueRuns.mayBlock(info));
            if (last != null) {
                return new PutResult(last.id, false, last.state);
            }
            NewTask task = new ScheduledRun(name, now).triggered(info.schedule().task());
            PutResult result = intake.putScheduled(task, now);
            schedules.set(info.put(now, result));
            return result;
        });
    }

    @Override
    public boolean dropSchedule(String name) {
        return locked(now -> schedules.drop(name));
    }

    private void putRuns(ScheduleInfo due, Instant now) {
        DueRuns firing = DueRuns.of(due, now, id -> unended(OptionalLong.of(id)) != null);
        List<PutResult> results = firing.tasks().stream()
                .map(task -> intake.putScheduled(task, now))
                .toList();
        schedules.set(due.fired(firing, results));
    }

    /** The task, if it has not ended. */
    private @Nullable Entry unended(OptionalLong task) {
        Entry e = task.isPresent() ? entries.get(task.getAsLong()) : null;
        return e != null && !TaskStatus.hasEnded(e.state) ? e : null;
    }

    // Time

    @Override
    public Sweep.Result sweep(Sweep sweep) {
        return locked(now -> {
            for (MemorySession session : List.copyOf(sessions.values())) {
                session.life = session.life.withoutFuture(now);
                boolean mayEnd = session.life.mayEnd(sweep.sessions());
                if (mayEnd && !session.life.endsAt().isAfter(now)) {
                    endSession(session, Reasons.SESSION_SILENT, now).forEach(notices::addEvent);
                }
            }
            Instant next = nextMoment(sweep.sessions());
            Optional<Duration> nextIn = Optional.ofNullable(next)
                    .map(moment -> moment.isAfter(now) ? Duration.between(now, moment) : Duration.ZERO);
            long purged = forgotten;
            forgotten = 0;
            return new Sweep.Result(notices.drainEvents(next), nextIn, purged);
        });
    }

    /** The next timer of a task, schedule or session, without the silent sessions that this sweeper must not end. */
    private @Nullable Instant nextMoment(Sweep.Sessions silent) {
        Instant next = nextTimer();
        for (MemorySession session : sessions.values()) {
            if (session.life.mayEnd(silent)) {
                Instant ends = session.life.endsAt();
                next = next == null || ends.isBefore(next) ? ends : next;
            }
        }
        return next;
    }

    /** The next timer of a task or schedule. */
    private @Nullable Instant nextTimer() {
        Instant timer = timers.next();
        Instant run = schedules.next();
        return timer == null || (run != null && run.isBefore(timer)) ? run : timer;
    }

    private void catchUp(Instant now) {
        for (ScheduleInfo due = schedules.due(now); due != null; due = schedules.due(now)) {
            putRuns(due, now);
        }
        for (Entry e = timers.due(now); e != null; e = timers.due(now)) {
            notices.addEvent(lifecycle.timerFired(e, now), e);
        }
        finished.hideOld(now);
        for (Entry e = finished.pollOld(now); e != null; e = finished.pollOld(now)) {
            forget(e);
        }
    }

    private void forget(Entry e) {
        entries.remove(e);
        forgotten++;
        if (e.payloadHash != null) {
            e.queue.unindexEquivalent(e, EntryLifecycle.equivalenceIndex(e.given, e.payloadHash));
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                warnOfLiveTasks();
            }
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    private void warnOfLiveTasks() {
        long live = queues.all().stream().mapToLong(MemoryQueue::live).sum();
        if (live > 0) {
            log.warn(
                    "The memory storage closes and loses {}. Leat.open(\"sqlite:jobs.db\") keeps tasks in a file",
                    InWords.count(live, "live task"));
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
            unlockAndNotify();
            throw e;
        }
        unlockAndNotify();
        return result;
    }

    private void unlockAndNotify() {
        List<Notice> toSend = notices.drainNotices(nextTimer());
        lock.unlock();
        toSend.forEach(signal::send);
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
}
