package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.worker.PriorityLimits;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds taken tasks until a processor starts them, hands them out queue by queue, and tells the feeder what to take next.
 *
 * <p>Processors have numbers from 0. The limit of processors grows by one for each handler that has lent its slot. A task stays here until
 * a processor starts it, so that the worker can give back every unstarted task at any moment. One lock guards all state; {@code wakeFeeder}
 * runs under this lock.
 */
final class Buffer {
    /** One task, or a batch of them, for one processor. */
    record Work(ServedQueue queue, List<TakenTask> tasks) {}

    /** The position of a processor in its round of the queues; only the thread of that processor uses it. */
    static final class Round {
        private int queue;
        private int started;

        Round(int queue) {
            this.queue = queue;
        }
    }

    /** Each lent slot costs one more task that this process holds, and one more thread. */
    private static final int MOST_LENT = 1_000;

    private final List<ServedQueue> queues;
    private final Runnable wakeFeeder;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition quieter = lock.newCondition();
    private final BitSet alive = new BitSet();
    private final BitSet busy = new BitSet();
    private List<ServedQueue> assigned = List.of();
    private @Nullable PriorityLimits priorityLimits;
    private int limit;
    private int awaiting;
    private int buffered;
    private boolean feederWoken;
    /** Whether the worker may start less than at the feeder's last call, so that a waiting take could bring too much. */
    private boolean narrowed;

    private boolean suspended;
    /** The worker stops: tasks start only while a handler waits for others. */
    private boolean draining;

    private boolean closed;

    Buffer(List<ServedQueue> queues, int limit, @Nullable PriorityLimits priorityLimits, Runnable wakeFeeder) {
        this.queues = queues;
        this.limit = limit;
        this.wakeFeeder = wakeFeeder;
        setPriorityLimits(priorityLimits);
    }

    private void setPriorityLimits(@Nullable PriorityLimits limits) {
        priorityLimits = limits;
        queues.forEach(queue -> queue.prefetch.underPriorityLimits(limits != null));
    }

    // For processors

    /** Returns the numbers of missing processors and claims them; the caller starts a thread for each. */
    List<Integer> missingProcessors() {
        lock.lock();
        try {
            List<Integer> missing = new ArrayList<>();
            for (int n = 0; n < limit + awaiting && !closed; n++) {
                if (!alive.get(n)) {
                    alive.set(n);
                    missing.add(n);
                }
            }
            return missing;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the processor's next work without waiting; null when there is none, or the processor is to end. */
    @Nullable
    Work poll(int processor, Round round) {
        lock.lock();
        try {
            busy.clear(processor);
            boolean mayRun = !closed && !isQuiet() && processor < limit + awaiting;
            ServedQueue queue = mayRun ? choose(processor, round) : null;
            if (queue == null) {
                return null;
            }
            busy.set(processor);
            return poll(queue);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the processor's next work; null when the processor is to end. */
    @Nullable
    Work next(int processor, Round round) {
        // New tasks wake one processor, and a woken processor wakes the next while tasks are left. So one or two
        // processors run a few quick tasks, and the others sleep on.
        boolean woken = false;
        lock.lock();
        try {
            busy.clear(processor);
            if (draining) {
                quieter.signalAll();
            }
            while (true) {
                if (closed || processor >= limit + awaiting) {
                    alive.clear(processor);
                    quieter.signalAll();
                    wakeFeederOnce(); // the remaining processors may be idle, and called before there was room
                    return null;
                }
                ServedQueue queue = isQuiet() ? null : choose(processor, round);
                if (queue != null) {
                    busy.set(processor);
                    Work found = poll(queue);
                    if (woken && buffered > 0) {
                        work.signal();
                    }
                    return found;
                }
                wakeFeederOnce();
                work.awaitUninterruptibly();
                woken = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the worker stops and no handler waits for other tasks, so that no task starts. */
    private boolean isQuiet() {
        return draining && awaiting == 0;
    }

    private boolean takesIn() {
        return !closed && !suspended && !isQuiet();
    }

    /** Stays with a queue for its batch size, then moves on to the next queue that has tasks. */
    private @Nullable ServedQueue choose(int processor, Round round) {
        ServedQueue own = assignment(processor);
        ServedQueue current = queues.get(round.queue);
        int first = round.started < current.batchSize ? 0 : 1;
        for (int i = first; i <= queues.size(); i++) {
            int index = (round.queue + i) % queues.size();
            ServedQueue queue = queues.get(index);
            if (!queue.buffered.isEmpty() && (own == null || own == queue)) {
                round.started = index == round.queue && i == 0 ? round.started + 1 : 1;
                round.queue = index;
                return queue;
            }
        }
        return null;
    }

    private Work poll(ServedQueue queue) {
        int size = queue.perProcessor();
        List<TakenTask> tasks;
        if (size == 1) {
            tasks = List.of(queue.buffered.removeFirst());
        } else {
            tasks = new ArrayList<>(size);
            while (tasks.size() < size && !queue.buffered.isEmpty()) {
                tasks.add(queue.buffered.removeFirst());
            }
        }
        buffered -= tasks.size();
        long now = System.nanoTime();
        queue.prefetch.restartStaleTime(now);
        if (queue.prefetch.isLow(queue.buffered.size(), now)) {
            wakeFeederOnce();
        }
        return new Work(queue, tasks);
    }

    private void wakeFeederOnce() {
        if (!feederWoken) {
            feederWoken = true;
            wakeFeeder.run();
        }
    }

    private @Nullable ServedQueue assignment(int processor) {
        return processor < assigned.size() ? assigned.get(processor) : null;
    }

    /** A processor has run {@code count} tasks of the queue. */
    void done(ServedQueue queue, int count, long nanos) {
        lock.lock();
        try {
            queue.prefetch.record(count, nanos, System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Lends the slot of a handler that begins to wait; false when too many slots are lent. */
    boolean lendSlot() {
        lock.lock();
        try {
            if (awaiting == MOST_LENT) {
                return false;
            }
            awaiting++;
            if (draining) {
                work.signalAll();
            }
            wakeFeederOnce();
            return true;
        } finally {
            lock.unlock();
        }
    }

    void takeSlotBack() {
        lock.lock();
        try {
            awaiting--;
            narrowed = true;
            work.signalAll();
            wakeFeederOnce();
        } finally {
            lock.unlock();
        }
    }

    // For the feeder

    /**
     * Returns what to take now, beginning with the queue at {@code start}; empty when the buffer has enough.
     *
     * @param types the types to take, for queues that are not asked for all types
     */
    List<TakeRequest> wanted(int start, Map<ServedQueue, Set<String>> types) {
        lock.lock();
        try {
            feederWoken = false;
            List<TakeRequest> requests = new ArrayList<>();
            PriorityLimits.Room room = room();
            for (int i = 0; i < queues.size() && takesIn(); i++) {
                ServedQueue queue = queues.get(Math.floorMod(start + i, queues.size()));
                Set<String> only = types.get(queue);
                int count = only != null && only.isEmpty() ? 0 : Math.min(wantedOf(queue), room.count());
                if (count > 0) {
                    requests.add(request(queue, count, room.maxPriority(), only));
                }
            }
            return requests;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a waiting take may bring more than there is room for now. The call resets the answer. */
    boolean wasNarrowed() {
        lock.lock();
        try {
            boolean was = narrowed;
            narrowed = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    private PriorityLimits.Room room() {
        return priorityLimits == null
                ? new PriorityLimits.Room(Integer.MAX_VALUE, Integer.MAX_VALUE)
                : priorityLimits.room(busy.cardinality() - awaiting + buffered);
    }

    private static TakeRequest request(ServedQueue queue, int count, int maxPriority, @Nullable Set<String> types) {
        TakeRequest request = TakeRequest.from(queue.name)
                .count(count)
                .maxPriority(maxPriority)
                .order(queue.order);
        return types == null ? request : request.types(types);
    }

    private int wantedOf(ServedQueue queue) {
        int elsewhere = 0;
        for (ServedQueue other : queues) {
            if (other != queue) {
                elsewhere += (other.buffered.size() + other.perProcessor() - 1) / other.perProcessor();
            }
        }
        int startable = Math.max(0, freeProcessors(queue) - elsewhere) * queue.perProcessor();
        long now = System.nanoTime();
        return queue.prefetch.wanted(startable, queue.buffered.size(), toGetItsTurn(queue, now), now);
    }

    /**
     * Returns how many tasks of this queue to hold ahead while another queue prefetches. The prefetched tasks keep all processors busy, so
     * without at least one start in the buffer this queue would never be served.
     */
    private int toGetItsTurn(ServedQueue queue, long now) {
        for (ServedQueue other : queues) {
            if (other != queue && !other.buffered.isEmpty()) {
                return other.prefetch.ahead(now) > 0 ? queue.perProcessor() : 0;
            }
        }
        return 0;
    }

    private int freeProcessors(ServedQueue queue) {
        int free = 0;
        for (int n = 0; n < limit + awaiting; n++) {
            ServedQueue own = assignment(n);
            if (!busy.get(n) && (own == null || own == queue)) {
                free++;
            }
        }
        return free;
    }

    /** Adds taken tasks; false when the buffer accepts none any more, and the caller must give them back. */
    boolean add(ServedQueue queue, List<TakenTask> tasks) {
        lock.lock();
        try {
            if (!takesIn()) {
                return false;
            }
            if (queue.buffered.isEmpty()) {
                queue.prefetch.restartStaleTime(System.nanoTime());
            }
            queue.buffered.addAll(tasks);
            buffered += tasks.size();
            if (tasks.stream().anyMatch(task -> task.leaseUntil().isPresent())) {
                queue.prefetch.timeLimited(true);
            }
            if (assigned.isEmpty()) {
                work.signal();
            } else {
                work.signalAll();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the prefetched tasks of handlers that turned slow. */
    List<TakenTask> removeStale() {
        lock.lock();
        try {
            List<TakenTask> stale = new ArrayList<>();
            long now = System.nanoTime();
            for (ServedQueue queue : queues) {
                if (!queue.buffered.isEmpty() && queue.prefetch.isStale(now) && freeProcessors(queue) == 0) {
                    stale.addAll(empty(queue));
                    queue.prefetch.forget();
                }
            }
            return stale;
        } finally {
            lock.unlock();
        }
    }

    // For the runtime

    void limit(int processors) {
        lock.lock();
        try {
            narrowed |= processors < limit;
            limit = processors;
            work.signalAll();
            wakeFeederOnce();
        } finally {
            lock.unlock();
        }
    }

    /** Sets other priority limits; returns the unstarted tasks, which were taken under the old limits. */
    List<TakenTask> limit(PriorityLimits limits) {
        lock.lock();
        try {
            narrowed = true;
            setPriorityLimits(limits);
            limit = limits.most();
            work.signalAll();
            wakeFeederOnce();
            return removeAll();
        } finally {
            lock.unlock();
        }
    }

    void assign(Map<String, Integer> processors) {
        List<ServedQueue> byProcessor = new ArrayList<>();
        for (ServedQueue queue : queues) {
            for (int i = 0; i < processors.getOrDefault(queue.name, 0); i++) {
                byProcessor.add(queue);
            }
        }
        lock.lock();
        try {
            assigned = List.copyOf(byProcessor);
            work.signalAll();
            wakeFeederOnce();
        } finally {
            lock.unlock();
        }
    }

    /** Accepts and starts no tasks until {@link #resume}; returns the unstarted tasks, whose leases may be lost. */
    List<TakenTask> suspend() {
        lock.lock();
        try {
            suspended = true;
            return removeAll();
        } finally {
            lock.unlock();
        }
    }

    void resume() {
        lock.lock();
        try {
            suspended = false;
            work.signalAll();
            wakeFeederOnce();
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns all unstarted tasks. */
    List<TakenTask> removeAll() {
        lock.lock();
        try {
            List<TakenTask> removed = new ArrayList<>();
            queues.forEach(queue -> removed.addAll(empty(queue)));
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the unstarted tasks of one queue. */
    List<TakenTask> removeAll(String queueName) {
        lock.lock();
        try {
            List<TakenTask> removed = new ArrayList<>();
            queues.stream()
                    .filter(queue -> queue.name.equals(queueName))
                    .forEach(queue -> removed.addAll(empty(queue)));
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the unstarted tasks whose type is not among the types of their queue. */
    List<TakenTask> removeOthers(Map<ServedQueue, Set<String>> types) {
        lock.lock();
        try {
            List<TakenTask> removed = new ArrayList<>();
            types.forEach((queue, on) -> removed.addAll(remove(
                    queue, task -> task.task().type().filter(on::contains).isEmpty())));
            return removed;
        } finally {
            lock.unlock();
        }
    }

    private List<TakenTask> remove(ServedQueue queue, Predicate<TakenTask> which) {
        List<TakenTask> removed = queue.buffered.stream().filter(which).toList();
        queue.buffered.removeIf(which);
        buffered -= removed.size();
        return removed;
    }

    private List<TakenTask> empty(ServedQueue queue) {
        List<TakenTask> tasks = List.copyOf(queue.buffered);
        queue.buffered.clear();
        buffered -= tasks.size();
        return tasks;
    }

    /** Removes and returns the unstarted tasks with these leases. */
    List<TakenTask> remove(Collection<Lease> leases) {
        Set<Lease> wanted = new HashSet<>(leases);
        lock.lock();
        try {
            List<TakenTask> removed = new ArrayList<>();
            queues.forEach(queue -> removed.addAll(remove(queue, task -> wanted.contains(task.lease()))));
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** Begins a stop: starts tasks only while a handler waits for others. Returns the unstarted tasks, unless a handler waits now. */
    List<TakenTask> drain() {
        lock.lock();
        try {
            draining = true;
            narrowed = true;
            wakeFeederOnce();
            return awaiting == 0 ? removeAll() : List.of();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no handler runs, for at most {@code nanos}. */
    void awaitIdle(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!busy.isEmpty() && left > 0) {
                left = quieter.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all processors after their present work; returns the unstarted tasks. */
    List<TakenTask> close() {
        lock.lock();
        try {
            closed = true;
            work.signalAll();
            return removeAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until every processor has ended; false after {@code nanos}. */
    boolean awaitProcessors(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!alive.isEmpty() && left > 0) {
                left = quieter.awaitNanos(left);
            }
            return alive.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** How many processors may run, how many run now, and how many tasks are in the buffer. */
    record Load(int limit, int running, int buffered) {}

    Load load() {
        lock.lock();
        try {
            return new Load(limit, busy.cardinality(), buffered);
        } finally {
            lock.unlock();
        }
    }
}
