package dev.leat.internal.memory;

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
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.error.AddressInUseException;
import dev.leat.error.ClosedException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.internal.InWords;
import dev.leat.storage.Capability;
import dev.leat.storage.GroupStorage;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.OperatorRules;
import dev.leat.storage.QueueStorage;
import dev.leat.storage.Reasons;
import dev.leat.storage.Redriven;
import dev.leat.storage.ScheduleStorage;
import dev.leat.storage.SessionStorage;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.SubscriptionStorage;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
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
    private final EntryLifecycle lifecycle =
            new EntryLifecycle(timers, finished, notices, groups, subscriptions, this::putFollowUp, random);
    private final Intake intake = new Intake(queues, groups, entries, lifecycle, notices);
    private final MemorySessionStorage sessionStorage = new MemorySessionStorage(this::locked, lifecycle, notices);
    private final MemoryQueueStorage queueStorage =
            new MemoryQueueStorage(this::locked, queues, entries, lifecycle, notices, sessionStorage);
    private final MemoryGroupStorage groupStorage =
            new MemoryGroupStorage(this::locked, queues, groups, lifecycle, intake);
    private final MemorySubscriptionStorage subscriptionStorage =
            new MemorySubscriptionStorage(this::locked, subscriptions);
    private final MemoryScheduleStorage scheduleStorage =
            new MemoryScheduleStorage(this::locked, schedules, intake, entries);
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

    // Parts

    @Override
    public QueueStorage queues() {
        return queueStorage;
    }

    @Override
    public SessionStorage sessions() {
        return sessionStorage;
    }

    @Override
    public GroupStorage groups() {
        return groupStorage;
    }

    @Override
    public SubscriptionStorage subscriptions() {
        return subscriptionStorage;
    }

    @Override
    public ScheduleStorage schedules() {
        return scheduleStorage;
    }

    // Tasks

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        return locked(now -> {
            intake.check(tasks, now);
            return intake.putChecked(tasks, now);
        });
    }

    private long putFollowUp(NewTask task, Instant now) {
        return intake.putFollowUp(task, now);
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        return locked(now -> {
            MemoryQueue queue = queues.find(request.queue());
            queue.check(request);
            MemorySession session = request.session().map(sessionStorage::find).orElse(null);
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
    public Map<Long, TaskStatus> statuses(Set<Long> taskIds) {
        return locked(now -> {
            Map<Long, TaskStatus> statuses = new HashMap<>();
            for (long id : taskIds) {
                Entry e = entries.get(id);
                if (e != null) {
                    e.awaited = true;
                }
                statuses.put(id, status(id));
            }
            return statuses;
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

    // Time

    @Override
    public Sweep.Result sweep(Sweep sweep) {
        return locked(now -> {
            sessionStorage.endOver(sweep.sessions(), now);
            Instant next = nextMoment(sweep.sessions());
            Optional<Duration> nextIn = Optional.ofNullable(next)
                    .map(moment -> moment.isAfter(now) ? Duration.between(now, moment) : Duration.ZERO);
            long purged = forgotten;
            forgotten = 0;
            return new Sweep.Result(notices.drainEvents(next), nextIn, purged);
        });
    }

    /** Leaves out silent sessions that this sweep spares: coming back sooner would not end them. */
    private @Nullable Instant nextMoment(Sweep.Sessions silent) {
        Instant next = nextTimer();
        Instant ends = sessionStorage.nextEnd(silent);
        return ends != null && (next == null || ends.isBefore(next)) ? ends : next;
    }

    /** The next timer of a task or schedule. */
    private @Nullable Instant nextTimer() {
        Instant timer = timers.next();
        Instant run = schedules.next();
        return timer == null || (run != null && run.isBefore(timer)) ? run : timer;
    }

    private void catchUp(Instant now) {
        scheduleStorage.fireDue(now);
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

    private Entry findEntry(long taskId) {
        Entry e = entries.get(taskId);
        if (e == null || e.hidden) {
            throw new TaskNotFoundException(taskId);
        }
        return e;
    }
}
