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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tasks at hand and the processors that run them: hands out work, round the queues, and says what to take next.
 *
 * <p>A processor is a number below the limit, plus one for each handler that waits for other tasks and has lent its place
 * away. A task stays here until a processor starts it, so that at any moment everything unstarted can be given back.
 * Everything is guarded by one lock; what the feeder has to know is told by waking it.
 */
final class Buffer {
    /** Tasks that were at hand for this long without any being started are slow ones, better run by somebody else. */
    private static final long STALE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** One task, or a batch of them, for one processor. */
    record Work(ServedQueue queue, List<TakenTask> tasks) {}

    /** A processor's place in its round of the queues; used by that processor alone. */
    static final class Round {
        private int queue;
        private int started;

        Round(int queue) {
            this.queue = queue;
        }
    }

    /** Each place that is lent is one more task that this process holds, and one more thread. */
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
    private int atHand;
    private boolean feederWoken;
    /** Whether less may be started than when the feeder asked last. */
    private boolean narrowed;

    private boolean suspended;
    /** Starts only what a handler may be waiting for. */
    private boolean draining;

    private boolean closed;

    Buffer(List<ServedQueue> queues, int limit, @Nullable PriorityLimits priorityLimits, Runnable wakeFeeder) {
        this.queues = queues;
        this.limit = limit;
        this.priorityLimits = priorityLimits;
        this.wakeFeeder = wakeFeeder;
    }

    // For processors

    /** Claims the numbers of processors that should exist and do not; the caller starts a thread for each. */
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

    /** The processor's next work, if there is some; null too when it is to end. */
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

    /** Waits for the processor's next work; null when it is to end. */
    @Nullable
    Work next(int processor, Round round) {
        // One new task wakes one processor, and each that was woken wakes another while there is more. So a handful of
        // quick tasks is run by one or two of them, instead of waking all for nothing.
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
                    tellFeeder(); // those who stay may be idle, and have told it before there was room
                    return null;
                }
                ServedQueue queue = isQuiet() ? null : choose(processor, round);
                if (queue != null) {
                    busy.set(processor);
                    Work found = poll(queue);
                    if (woken && atHand > 0) {
                        work.signal();
                    }
                    return found;
                }
                tellFeeder();
                work.awaitUninterruptibly();
                woken = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing is started because the worker stops and no handler waits for others. */
    private boolean isQuiet() {
        return draining && awaiting == 0;
    }

    private boolean takesIn() {
        return !closed && !suspended && !isQuiet();
    }

    /** Stays with a queue for its batch size, then goes on to the next that has something. */
    private @Nullable ServedQueue choose(int processor, Round round) {
        ServedQueue own = assignment(processor);
        ServedQueue current = queues.get(round.queue);
        int first = round.started < current.batchSize ? 0 : 1;
        for (int i = first; i <= queues.size(); i++) {
            int index = (round.queue + i) % queues.size();
            ServedQueue queue = queues.get(index);
            if (!queue.atHand.isEmpty() && (own == null || own == queue)) {
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
            tasks = List.of(queue.atHand.removeFirst());
        } else {
            tasks = new ArrayList<>(size);
            while (tasks.size() < size && !queue.atHand.isEmpty()) {
                tasks.add(queue.atHand.removeFirst());
            }
        }
        atHand -= tasks.size();
        queue.lastStart = System.nanoTime();
        if (2 * queue.atHand.size() <= prefetch(queue, queue.lastStart)) {
            tellFeeder();
        }
        return new Work(queue, tasks);
    }

    private void tellFeeder() {
        if (!feederWoken) {
            feederWoken = true;
            wakeFeeder.run();
        }
    }

    private @Nullable ServedQueue assignment(int processor) {
        return processor < assigned.size() ? assigned.get(processor) : null;
    }

    /** Some tasks of the queue were run. */
    void done(ServedQueue queue, int count, long nanos) {
        lock.lock();
        try {
            queue.rate.record(count, nanos, System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** A handler starts to wait for something else and lends its place away; false when too many do. */
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
            tellFeeder();
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
            tellFeeder();
        } finally {
            lock.unlock();
        }
    }

    // For the feeder

    /**
     * What to take now, beginning with the queue at {@code start}; empty when enough is at hand.
     *
     * @param types the types that are switched on, for queues where that can change
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

    /** Whether a take that waits may bring more than there is room for now; asked once each time. */
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
                : priorityLimits.room(busy.cardinality() - awaiting + atHand);
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
                elsewhere += (other.atHand.size() + other.perProcessor() - 1) / other.perProcessor();
            }
        }
        int startable = Math.max(0, freeProcessors(queue) - elsewhere) * queue.perProcessor();
        int ahead = Math.max(prefetch(queue, System.nanoTime()), toGetItsTurn(queue));
        int wanted = startable + ahead - queue.atHand.size();
        boolean urgent = startable > queue.atHand.size();
        return urgent || 2 * wanted >= ahead ? wanted : 0;
    }

    /**
     * While tasks of other queues are taken ahead, processors never become free; a queue with nothing at hand would never
     * get its turn. So it may have one turn's start at hand.
     */
    private int toGetItsTurn(ServedQueue queue) {
        for (ServedQueue other : queues) {
            if (other != queue && !other.atHand.isEmpty()) {
                return prefetch(other, System.nanoTime()) > 0 ? queue.perProcessor() : 0;
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

    private int prefetch(ServedQueue queue, long now) {
        return priorityLimits != null || queue.timeLimited ? 0 : queue.rate.prefetch(now);
    }

    /** Takes tasks in; false when it wants none any more, and they must be given back. */
    boolean add(ServedQueue queue, List<TakenTask> tasks) {
        lock.lock();
        try {
            if (!takesIn()) {
                return false;
            }
            if (queue.atHand.isEmpty()) {
                queue.lastStart = System.nanoTime();
            }
            queue.atHand.addAll(tasks);
            atHand += tasks.size();
            queue.timeLimited |=
                    tasks.stream().anyMatch(task -> task.leaseUntil().isPresent());
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

    /** Takes out what was taken ahead of handlers that turned out to be slow. */
    List<TakenTask> removeStale() {
        lock.lock();
        try {
            List<TakenTask> stale = new ArrayList<>();
            long now = System.nanoTime();
            for (ServedQueue queue : queues) {
                if (!queue.atHand.isEmpty() && now - queue.lastStart > STALE_NANOS && freeProcessors(queue) == 0) {
                    stale.addAll(empty(queue));
                    queue.rate.forget();
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
            tellFeeder();
        } finally {
            lock.unlock();
        }
    }

    /** Other limits from now on; answers what was taken by the old ones and not started. */
    List<TakenTask> limit(PriorityLimits limits) {
        lock.lock();
        try {
            narrowed = true;
            priorityLimits = limits;
            limit = limits.most();
            work.signalAll();
            tellFeeder();
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
            tellFeeder();
        } finally {
            lock.unlock();
        }
    }

    /** Takes nothing in until {@link #resume}, so nothing is started; answers what was at hand, for it may be lost. */
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
            tellFeeder();
        } finally {
            lock.unlock();
        }
    }

    /** Takes out everything that was not started. */
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

    /** Takes out everything of one queue that was not started. */
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

    /** Takes out everything that was not started and is of no type that its queue is taken from by. */
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
        List<TakenTask> removed = queue.atHand.stream().filter(which).toList();
        queue.atHand.removeIf(which);
        atHand -= removed.size();
        return removed;
    }

    private List<TakenTask> empty(ServedQueue queue) {
        List<TakenTask> tasks = List.copyOf(queue.atHand);
        queue.atHand.clear();
        atHand -= tasks.size();
        return tasks;
    }

    /** Takes out those of the tasks that were not started. */
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

    /** From now on starts nothing, except while a handler waits for other tasks; answers what was not started. */
    List<TakenTask> drain() {
        lock.lock();
        try {
            draining = true;
            narrowed = true;
            tellFeeder();
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

    /** Ends all processors after what they run now; answers what was not started. */
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

    /** Waits until every processor has ended; false when that takes longer than {@code nanos}. */
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

    /** Processors that may run, run now, and tasks at hand. */
    record Load(int limit, int running, int atHand) {}

    Load load() {
        lock.lock();
        try {
            return new Load(limit, busy.cardinality(), atHand);
        } finally {
            lock.unlock();
        }
    }
}
