package dev.leat.internal.waiting;

import dev.leat.Awaited;
import dev.leat.Registration;
import dev.leat.error.ClosedException;
import dev.leat.error.LeatException;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.StorageException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.TaskStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Serves callers that wait for the end of tasks. One thread per Leat, {@code leat-awaiter}, queries the status of all due tasks in one call, and
 * answers their waiters. A task is queried once for all its waiters; a waiter that comes during a query waits for the next one.
 *
 * <p>An address is resolved to a task once, by a query that begins after the waiter has come. From then on the waiter waits for this task, and not
 * for other tasks with the address.
 *
 * <p>A task is queried when a notice for it comes. In case a notice was lost, it is also queried after 20 ms, then after half of the time it has been
 * awaited, and at last every {@link dev.leat.storage.Signal#missInterval}. The last query is at the deadline of a waiter.
 */
public final class Awaiter implements AutoCloseable {
    /** Larger than the number of any chunk: for waiters that do not wait for chunks. */
    public static final int NO_CHUNKS = Integer.MAX_VALUE;

    private static final int MOST_AT_ONCE = 1_000;
    private static final long SOONEST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The storage sends notices of a task only for some time after a query, so it is queried again in time. */
    private static final long LATEST_NANOS = Storage.WATCHED_FOR.dividedBy(3).toNanos();
    /** Tasks that are due this soon join the present query. */
    private static final long TOGETHER_NANOS = SOONEST_NANOS / 2;

    private static final Duration FOR_EVER = Duration.ofDays(1);

    private final Storage storage;
    private final Loop loop;
    private final Registration registration;
    /** Written under the lock; read without it, because most notices are for tasks without a waiter here. */
    private final Map<Long, AwaitedTask> awaited = new ConcurrentHashMap<>();

    // Guarded by this
    private final Map<Address, List<Waiter>> unresolved = new LinkedHashMap<>();
    private final TreeSet<AwaitedTask> byNextQuery = new TreeSet<>();
    private final TreeSet<Waiter> deadlines = new TreeSet<>();
    private long arrivals;
    private boolean started;
    private boolean closed;

    private record Address(String queue, String address) {}

    private static final class Waiter implements Comparable<Waiter> {
        final long arrival;
        final long deadline;
        /** The last chunk that the waiter knows. */
        final int seen;

        final CompletableFuture<Awaited> answer = new CompletableFuture<>();
        /** The awaited task; null until the address is resolved. */
        @Nullable
        AwaitedTask task;

        /** Whether a query has found the task alive since the waiter came; only then can the wait time out. */
        boolean wasSeenAlive;
        /** Whether a query that began after the deadline found it alive, so that an end before the deadline is not missed. */
        boolean wasAliveAtDeadline;

        Waiter(long arrival, long deadline, int seen) {
            this.arrival = arrival;
            this.deadline = deadline;
            this.seen = seen;
        }

        @Override
        public int compareTo(Waiter other) {
            int byDeadline = Long.compare(deadline - other.deadline, 0);
            return byDeadline != 0 ? byDeadline : Long.compare(arrival, other.arrival);
        }
    }

    /** A task with waiters. */
    private static final class AwaitedTask implements Comparable<AwaitedTask> {
        final long taskId;
        final long since = System.nanoTime();
        final Set<Waiter> waiters = new LinkedHashSet<>();
        /** When to query the task; changed only while the task is not in the sorted set. */
        long nextQuery = since;

        boolean isBeingQueried;
        /** Whether to query once more, because the running query may be too old. */
        boolean queryAgain;

        AwaitedTask(long taskId) {
            this.taskId = taskId;
        }

        @Override
        public int compareTo(AwaitedTask other) {
            int byTime = Long.compare(nextQuery - other.nextQuery, 0);
            return byTime != 0 ? byTime : Long.compare(taskId, other.taskId);
        }
    }

    /** A status query of one task, the waiters that it answers, and its start. */
    private record StatusQuery(AwaitedTask task, List<Waiter> waiters, long began) {}

    public Awaiter(Storage storage) {
        this.storage = storage;
        this.loop = new Loop("leat-awaiter", this::serve);
        this.registration = storage.signal().listen(this::onNotice);
    }

    // Coming and going

    /**
     * Waits for a task. Cancel the future to stop waiting. Code attached to the future can run on the awaiter's thread, so it must be quick.
     *
     * @param seen the last chunk that the waiter knows, or {@link #NO_CHUNKS}
     */
    public CompletableFuture<Awaited> await(long taskId, int seen, Duration timeout) {
        return enter(seen, timeout, waiter -> join(taskId, waiter));
    }

    /** Waits for the task that has the address now. */
    public CompletableFuture<Awaited> await(String queue, String address, Duration timeout) {
        return enter(NO_CHUNKS, timeout, waiter -> unresolved
                .computeIfAbsent(new Address(queue, address), key -> new ArrayList<>())
                .add(waiter));
    }

    /** Refuses a blocking wait on the awaiter's own thread. */
    public void checkMayWait() {
        if (loop.isThisThread()) {
            throw new LeatException(
                    "A callback must not wait: it runs on the thread that serves all waiters, and would wait for ever. Attach it"
                            + " with an executor, such as by thenApplyAsync, or go on with another awaitAsync.");
        }
    }

    private CompletableFuture<Awaited> enter(int seen, Duration timeout, Consumer<Waiter> addWaiter) {
        CompletableFuture<Awaited> answer;
        synchronized (this) {
            if (closed) {
                throw new ClosedException("This Leat");
            }
            Waiter waiter = new Waiter(arrivals++, Deadlines.after(timeout), seen);
            answer = waiter.answer;
            deadlines.add(waiter);
            addWaiter.accept(waiter);
            var unused = answer.whenComplete((awaited, error) -> leave(waiter));
            if (!started) {
                started = true;
                loop.start();
            }
        }
        loop.wake();
        return answer;
    }

    /** With the lock. */
    private void join(long taskId, Waiter waiter) {
        AwaitedTask task = awaited.computeIfAbsent(taskId, AwaitedTask::new);
        task.waiters.add(waiter);
        waiter.task = task;
        querySoon(task);
    }

    private synchronized void leave(Waiter waiter) {
        deadlines.remove(waiter);
        AwaitedTask task = waiter.task;
        if (task != null && task.waiters.remove(waiter) && task.waiters.isEmpty()) {
            awaited.remove(task.taskId, task);
            byNextQuery.remove(task);
        }
    }

    private void onNotice(Notice notice) {
        if (!(notice instanceof Notice.TaskNews news) || !awaited.containsKey(news.taskId())) {
            return;
        }
        synchronized (this) {
            AwaitedTask task = awaited.get(news.taskId());
            if (task != null) {
                querySoon(task);
            }
        }
        loop.wake();
    }

    /** With the lock. */
    private void querySoon(AwaitedTask task) {
        if (task.isBeingQueried) {
            task.queryAgain = true;
        } else {
            byNextQuery.remove(task);
            task.nextQuery = System.nanoTime();
            byNextQuery.add(task);
        }
    }

    // The thread

    private Duration serve() {
        try {
            resolveSome();
            queryForOverdue();
            query(dueQueries());
            answerOverdue();
        } catch (StorageException e) {
            answerOverdueInOutage(e);
            throw e;
        }
        return untilNext();
    }

    // Addresses

    private void resolveSome() {
        Map<String, Map<String, List<Waiter>>> byQueue = new LinkedHashMap<>();
        synchronized (this) {
            Iterator<Map.Entry<Address, List<Waiter>>> entries =
                    unresolved.entrySet().iterator();
            for (int i = 0; i < MOST_AT_ONCE && entries.hasNext(); i++) {
                Map.Entry<Address, List<Waiter>> entry = entries.next();
                byQueue.computeIfAbsent(entry.getKey().queue, queue -> new LinkedHashMap<>())
                        .put(entry.getKey().address, entry.getValue());
                entries.remove();
            }
        }
        try {
            for (Iterator<String> queues = byQueue.keySet().iterator(); queues.hasNext(); queues.remove()) {
                String queue = queues.next();
                resolve(queue, byQueue.getOrDefault(queue, Map.of()));
            }
        } finally {
            byQueue.forEach(this::unresolve);
        }
    }

    private void resolve(String queue, Map<String, List<Waiter>> waiters) {
        try {
            Map<String, Long> found = storage.findAddresses(queue, waiters.keySet());
            waiters.forEach((address, waiting) -> resolved(queue, address, found.get(address), waiting));
        } catch (StorageException e) {
            throw e;
        } catch (RuntimeException e) {
            waiters.values().forEach(waiting -> waiting.forEach(waiter -> waiter.answer.completeExceptionally(e)));
        }
    }

    private void resolved(String queue, String address, @Nullable Long taskId, List<Waiter> waiters) {
        if (taskId == null) {
            waiters.forEach(waiter -> waiter.answer.complete(new Awaited.NotThere(queue, address)));
            return;
        }
        synchronized (this) {
            for (Waiter waiter : waiters) {
                if (!waiter.answer.isDone()) {
                    join(taskId, waiter);
                }
            }
        }
    }

    /** Keeps the addresses for another query after a failed one. */
    private synchronized void unresolve(String queue, Map<String, List<Waiter>> waiters) {
        waiters.forEach((address, waiting) -> {
            waiting.removeIf(waiter -> waiter.answer.isDone());
            if (!waiting.isEmpty()) {
                unresolved
                        .computeIfAbsent(new Address(queue, address), key -> new ArrayList<>())
                        .addAll(waiting);
            }
        });
    }

    // Tasks

    /** Queries the tasks of overdue waiters once more, because a notice of an end may not have come yet. */
    private synchronized void queryForOverdue() {
        for (Waiter waiter : overdue()) {
            AwaitedTask task = waiter.task;
            if (task != null && task.nextQuery - System.nanoTime() > 0) {
                querySoon(task);
            }
        }
    }

    private synchronized List<StatusQuery> dueQueries() {
        List<StatusQuery> due = new ArrayList<>();
        long now = System.nanoTime();
        if (byNextQuery.isEmpty() || byNextQuery.first().nextQuery - now > 0) {
            return due;
        }
        while (due.size() < MOST_AT_ONCE
                && !byNextQuery.isEmpty()
                && byNextQuery.first().nextQuery - now <= TOGETHER_NANOS) {
            AwaitedTask task = byNextQuery.first();
            byNextQuery.remove(task);
            task.isBeingQueried = true;
            due.add(new StatusQuery(task, List.copyOf(task.waiters), now));
        }
        return due;
    }

    private void query(List<StatusQuery> due) {
        if (due.isEmpty()) {
            return;
        }
        try {
            Set<Long> ids = due.stream().map(query -> query.task.taskId).collect(Collectors.toSet());
            Map<Long, TaskStatus> statuses = storage.statuses(ids);
            due.forEach(query -> answer(query, statuses.getOrDefault(query.task.taskId, new TaskStatus.Unknown())));
        } catch (StorageException | Error e) {
            due.forEach(query -> endQuery(query.task));
            throw e;
        } catch (RuntimeException e) {
            if (due.size() == 1) {
                fail(due.get(0), e);
            } else {
                queryOneByOne(due); // a refused id must not fail the others
            }
        }
    }

    private void queryOneByOne(List<StatusQuery> due) {
        for (int i = 0; i < due.size(); i++) {
            try {
                query(due.subList(i, i + 1));
            } catch (StorageException e) {
                due.subList(i + 1, due.size()).forEach(query -> endQuery(query.task));
                throw e;
            }
        }
    }

    private void answer(StatusQuery query, TaskStatus status) {
        long taskId = query.task.taskId;
        if (status instanceof TaskStatus.Lives lives) {
            List<Waiter> forChunk = new ArrayList<>();
            synchronized (this) {
                for (Waiter waiter : query.waiters) {
                    waiter.wasSeenAlive = true;
                    waiter.wasAliveAtDeadline = query.began - waiter.deadline >= 0;
                    if (lives.chunk() > waiter.seen) {
                        forChunk.add(waiter);
                    }
                }
            }
            endQuery(query.task);
            forChunk.forEach(waiter -> waiter.answer.complete(new Awaited.Chunk(taskId, lives.chunk())));
        } else if (status instanceof TaskStatus.Ended ended) {
            endQuery(query.task);
            query.waiters.forEach(waiter -> waiter.answer.complete(new Awaited.Ended(ended.outcome())));
        } else {
            LeatException reason = status instanceof TaskStatus.Forgotten
                    ? new OutcomeForgottenException(taskId)
                    : new TaskNotFoundException(taskId);
            fail(query, reason);
        }
    }

    private void fail(StatusQuery query, RuntimeException reason) {
        endQuery(query.task);
        query.waiters.forEach(waiter -> waiter.answer.completeExceptionally(reason));
    }

    /** Schedules the next query, if the task still has waiters. */
    private synchronized void endQuery(AwaitedTask task) {
        task.isBeingQueried = false;
        long now = System.nanoTime();
        task.nextQuery = task.queryAgain ? now : now + pause(now - task.since);
        task.queryAgain = false;
        if (awaited.get(task.taskId) == task) {
            byNextQuery.add(task);
        }
    }

    private long pause(long age) {
        long longest = Math.min(storage.signal().missInterval().toNanos(), LATEST_NANOS);
        return Math.min(longest, Math.max(SOONEST_NANOS, age / 2));
    }

    // Time

    /** Answers the overdue waiters whose task was alive at their deadline; the others need one more query. */
    private void answerOverdue() {
        for (Waiter waiter : overdue()) {
            if (waiter.wasAliveAtDeadline) {
                timeOut(waiter);
            }
        }
    }

    private void answerOverdueInOutage(StorageException reason) {
        for (Waiter waiter : overdue()) {
            if (!waiter.wasSeenAlive) {
                waiter.answer.completeExceptionally(reason);
            } else {
                timeOut(waiter);
            }
        }
    }

    private static void timeOut(Waiter waiter) {
        long taskId = Objects.requireNonNull(waiter.task).taskId;
        waiter.answer.complete(new Awaited.TimedOut(taskId));
    }

    private synchronized List<Waiter> overdue() {
        List<Waiter> overdue = new ArrayList<>();
        long now = System.nanoTime();
        for (Waiter waiter : deadlines) {
            if (waiter.deadline - now > 0) {
                break;
            }
            overdue.add(waiter);
        }
        return overdue;
    }

    private synchronized Duration untilNext() {
        if (!unresolved.isEmpty()) {
            return Duration.ZERO;
        }
        long now = System.nanoTime();
        Duration next = FOR_EVER;
        if (!byNextQuery.isEmpty()) {
            next = Loop.ofNanos(byNextQuery.first().nextQuery - now);
        }
        if (!deadlines.isEmpty()) {
            Duration untilFirst = Loop.ofNanos(deadlines.first().deadline - now);
            next = untilFirst.compareTo(next) < 0 ? untilFirst : next;
        }
        return next;
    }

    /** Ends all waits with a {@link ClosedException}. */
    @Override
    public void close() {
        registration.close();
        List<Waiter> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(deadlines);
        }
        left.forEach(waiter -> waiter.answer.completeExceptionally(new ClosedException("This Leat")));
        loop.close();
    }
}
