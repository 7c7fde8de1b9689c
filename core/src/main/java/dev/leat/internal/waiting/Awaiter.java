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
 * Serves those who wait for the end of tasks. One thread per Leat does it for all of them: it asks the storage how all the
 * tasks stand that there may be news of, in one call, and answers everybody who waits for one of them. However many wait for a
 * task, it is asked for once; who comes while a question is on its way waits for the next.
 *
 * <p>An address is turned into a task once, by a question that begins after its waiter has come. From then on he waits for that task: what
 * happens to the next one at the address is none of his business, and what happened to the one before is not either.
 *
 * <p>A task is asked for again when the storage tells of news, and from time to time in case that was lost: soon at first, then
 * after half the time it has been waited for, and in the end every {@link dev.leat.storage.Signal#missInterval}. The last time is when
 * somebody's time is over.
 */
public final class Awaiter implements AutoCloseable {
    /** Has seen all parts there can be: for those whom parts do not concern. */
    public static final int NO_CHUNKS = Integer.MAX_VALUE;

    private static final int MOST_AT_ONCE = 1_000;
    private static final long SOONEST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The storage tells of a task for some time only after it was asked for. */
    private static final long LATEST_NANOS = Storage.WATCHED_FOR.dividedBy(3).toNanos();
    /** What is due so soon is asked for together with what is due now. */
    private static final long TOGETHER_NANOS = SOONEST_NANOS / 2;

    private static final Duration FOR_EVER = Duration.ofDays(1);

    private final Storage storage;
    private final Loop loop;
    private final Registration registration;
    /** Written under the lock; read without it, since most news is of tasks that nobody here waits for. */
    private final Map<Long, Work> works = new ConcurrentHashMap<>();

    // All of these guarded by this
    private final Map<Place, List<Waiter>> unresolved = new LinkedHashMap<>();
    private final TreeSet<Work> looks = new TreeSet<>();
    private final TreeSet<Waiter> deadlines = new TreeSet<>();
    private long arrivals;
    private boolean started;
    private boolean closed;

    private record Place(String queue, String address) {}

    /** One who waits. */
    private static final class Waiter implements Comparable<Waiter> {
        final long arrival;
        final long deadline;
        /** The last part that he knows of. */
        final int seen;

        final CompletableFuture<Awaited> answer = new CompletableFuture<>();
        /** What he waits for, once that is known. */
        @Nullable
        Work work;

        /** Whether the task was seen alive since he came: before, nobody can tell him that it has not ended. */
        boolean hasSeen;
        /** Whether that was so when his time was over: a task that has ended in time is never said to live. */
        boolean hasSeenAtTheEnd;

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

    /** A task that somebody waits for. */
    private static final class Work implements Comparable<Work> {
        final long taskId;
        final long since = System.nanoTime();
        final Set<Waiter> waiters = new LinkedHashSet<>();
        /** When to ask for it; changed only while it is not among the looks. */
        long nextLook = since;

        boolean isBeingAsked;
        /** Whether to ask once more, since the question that is on its way may be too old. */
        boolean again;

        Work(long taskId) {
            this.taskId = taskId;
        }

        @Override
        public int compareTo(Work other) {
            int byTime = Long.compare(nextLook - other.nextLook, 0);
            return byTime != 0 ? byTime : Long.compare(taskId, other.taskId);
        }
    }

    /** A question, whom its answer is for, and when it began. */
    private record Look(Work work, List<Waiter> asking, long began) {}

    public Awaiter(Storage storage) {
        this.storage = storage;
        this.loop = new Loop("leat-awaiter", this::serve);
        this.registration = storage.signal().listen(this::hear);
    }

    // Coming and going

    /**
     * Waits for a task. Canceling the answer ends the waiting. What is attached to the answer may run on the awaiter's thread, so
     * it must be quick.
     *
     * @param seen the last part of the result that the waiter knows of, or {@link #NO_CHUNKS}
     */
    public CompletableFuture<Awaited> await(long taskId, int seen, Duration timeout) {
        return enter(seen, timeout, waiter -> join(taskId, waiter));
    }

    /** Waits for the task that has the address now. */
    public CompletableFuture<Awaited> await(String queue, String address, Duration timeout) {
        return enter(NO_CHUNKS, timeout, waiter -> unresolved
                .computeIfAbsent(new Place(queue, address), place -> new ArrayList<>())
                .add(waiter));
    }

    /** For who is about to wait with his thread: the one that serves all must not. */
    public void checkMayWait() {
        if (loop.isThisThread()) {
            throw new LeatException(
                    "A callback must not wait: it runs on the thread that serves all who wait, and would wait for ever. Attach it"
                            + " with an executor, such as by thenApplyAsync, or go on with another awaitAsync.");
        }
    }

    private CompletableFuture<Awaited> enter(int seen, Duration timeout, Consumer<Waiter> entrance) {
        CompletableFuture<Awaited> answer;
        synchronized (this) {
            if (closed) {
                throw new ClosedException("This Leat");
            }
            Waiter waiter = new Waiter(arrivals++, Deadlines.after(timeout), seen);
            answer = waiter.answer;
            deadlines.add(waiter);
            entrance.accept(waiter);
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
        Work work = works.computeIfAbsent(taskId, Work::new);
        work.waiters.add(waiter);
        waiter.work = work;
        lookSoon(work);
    }

    private synchronized void leave(Waiter waiter) {
        deadlines.remove(waiter);
        Work work = waiter.work;
        if (work != null && work.waiters.remove(waiter) && work.waiters.isEmpty()) {
            works.remove(work.taskId, work);
            looks.remove(work);
        }
    }

    private void hear(Notice notice) {
        if (!(notice instanceof Notice.TaskNews news) || !works.containsKey(news.taskId())) {
            return;
        }
        synchronized (this) {
            Work work = works.get(news.taskId());
            if (work != null) {
                lookSoon(work);
            }
        }
        loop.wake();
    }

    /** With the lock. */
    private void lookSoon(Work work) {
        if (work.isBeingAsked) {
            work.again = true;
        } else {
            looks.remove(work);
            work.nextLook = System.nanoTime();
            looks.add(work);
        }
    }

    // The thread

    private Duration serve() {
        try {
            resolveSome();
            lookForOverdue();
            look(dueLooks());
            answerOverdue();
        } catch (StorageException e) {
            giveUpOverdue(e);
            throw e;
        }
        return untilNext();
    }

    // Addresses

    private void resolveSome() {
        Map<String, Map<String, List<Waiter>>> byQueue = new LinkedHashMap<>();
        synchronized (this) {
            Iterator<Map.Entry<Place, List<Waiter>>> places =
                    unresolved.entrySet().iterator();
            for (int i = 0; i < MOST_AT_ONCE && places.hasNext(); i++) {
                Map.Entry<Place, List<Waiter>> place = places.next();
                byQueue.computeIfAbsent(place.getKey().queue, queue -> new LinkedHashMap<>())
                        .put(place.getKey().address, place.getValue());
                places.remove();
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

    /** The storage could not be asked: once more. */
    private synchronized void unresolve(String queue, Map<String, List<Waiter>> waiters) {
        waiters.forEach((address, waiting) -> {
            waiting.removeIf(waiter -> waiter.answer.isDone());
            if (!waiting.isEmpty()) {
                unresolved
                        .computeIfAbsent(new Place(queue, address), place -> new ArrayList<>())
                        .addAll(waiting);
            }
        });
    }

    // Tasks

    /** Nobody may have heard of an end since the last look. */
    private synchronized void lookForOverdue() {
        for (Waiter waiter : overdue()) {
            Work work = waiter.work;
            if (work != null && work.nextLook - System.nanoTime() > 0) {
                lookSoon(work);
            }
        }
    }

    private synchronized List<Look> dueLooks() {
        List<Look> due = new ArrayList<>();
        long now = System.nanoTime();
        if (looks.isEmpty() || looks.first().nextLook - now > 0) {
            return due;
        }
        while (due.size() < MOST_AT_ONCE && !looks.isEmpty() && looks.first().nextLook - now <= TOGETHER_NANOS) {
            Work work = looks.first();
            looks.remove(work);
            work.isBeingAsked = true;
            due.add(new Look(work, List.copyOf(work.waiters), now));
        }
        return due;
    }

    private void look(List<Look> due) {
        if (due.isEmpty()) {
            return;
        }
        try {
            Set<Long> ids = due.stream().map(look -> look.work.taskId).collect(Collectors.toSet());
            Map<Long, TaskStatus> standings = storage.statuses(ids);
            due.forEach(look -> tell(look, standings.getOrDefault(look.work.taskId, new TaskStatus.Unknown())));
        } catch (StorageException | Error e) {
            due.forEach(look -> endLook(look.work));
            throw e;
        } catch (RuntimeException e) {
            if (due.size() == 1) {
                fail(due.get(0), e);
            } else {
                lookOneByOne(due); // one of them is refused, which must not harm the others
            }
        }
    }

    private void lookOneByOne(List<Look> due) {
        for (int i = 0; i < due.size(); i++) {
            try {
                look(due.subList(i, i + 1));
            } catch (StorageException e) {
                due.subList(i + 1, due.size()).forEach(look -> endLook(look.work));
                throw e;
            }
        }
    }

    private void tell(Look look, TaskStatus standing) {
        long taskId = look.work.taskId;
        if (standing instanceof TaskStatus.Lives lives) {
            List<Waiter> forChunk = new ArrayList<>();
            synchronized (this) {
                for (Waiter waiter : look.asking) {
                    waiter.hasSeen = true;
                    waiter.hasSeenAtTheEnd = look.began - waiter.deadline >= 0;
                    if (lives.chunk() > waiter.seen) {
                        forChunk.add(waiter);
                    }
                }
            }
            endLook(look.work);
            forChunk.forEach(waiter -> waiter.answer.complete(new Awaited.Chunk(taskId, lives.chunk())));
        } else if (standing instanceof TaskStatus.Ended ended) {
            endLook(look.work);
            look.asking.forEach(waiter -> waiter.answer.complete(new Awaited.Ended(ended.outcome())));
        } else {
            LeatException reason = standing instanceof TaskStatus.Forgotten
                    ? new OutcomeForgottenException(taskId)
                    : new TaskNotFoundException(taskId);
            fail(look, reason);
        }
    }

    private void fail(Look look, RuntimeException reason) {
        endLook(look.work);
        look.asking.forEach(waiter -> waiter.answer.completeExceptionally(reason));
    }

    /** Says when to ask for it next, if somebody still waits for it then. */
    private synchronized void endLook(Work work) {
        work.isBeingAsked = false;
        long now = System.nanoTime();
        work.nextLook = work.again ? now : now + pause(now - work.since);
        work.again = false;
        if (works.get(work.taskId) == work) {
            looks.add(work);
        }
    }

    private long pause(long age) {
        long longest = Math.min(storage.signal().missInterval().toNanos(), LATEST_NANOS);
        return Math.min(longest, Math.max(SOONEST_NANOS, age / 2));
    }

    // Time

    /** Those whose task was alive at the end of their time; the others are still to be looked for. */
    private void answerOverdue() {
        for (Waiter waiter : overdue()) {
            if (waiter.hasSeenAtTheEnd) {
                timeOut(waiter);
            }
        }
    }

    private void giveUpOverdue(StorageException reason) {
        for (Waiter waiter : overdue()) {
            if (!waiter.hasSeen) {
                waiter.answer.completeExceptionally(reason);
            } else {
                timeOut(waiter);
            }
        }
    }

    private static void timeOut(Waiter waiter) {
        long taskId = Objects.requireNonNull(waiter.work).taskId;
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
        if (!looks.isEmpty()) {
            next = Loop.ofNanos(looks.first().nextLook - now);
        }
        if (!deadlines.isEmpty()) {
            Duration untilFirst = Loop.ofNanos(deadlines.first().deadline - now);
            next = untilFirst.compareTo(next) < 0 ? untilFirst : next;
        }
        return next;
    }

    /** Ends all waiting: nobody learns anything any more. */
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
