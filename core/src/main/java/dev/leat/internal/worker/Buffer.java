package dev.leat.internal.worker;

import dev.leat.Lease;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.worker.PriorityLimits;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tasks at hand and the processors that run them: hands out turns, round the queues, and says what to take next.
 *
 * <p>A processor is a number below the limit, plus one for each handler that waits for other tasks and has lent its place
 * away. Everything is guarded by one lock; what the feeder has to know is told by waking it.
 */
final class Buffer {
    /** Some tasks of one queue for one processor. */
    record Turn(ServedQueue queue, List<TakenTask> tasks) {}

    private final List<ServedQueue> queues;
    private final @Nullable PriorityLimits priorityLimits;
    private final Runnable wakeFeeder;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition quieter = lock.newCondition();
    private final BitSet alive = new BitSet();
    private final BitSet busy = new BitSet();
    private final List<TakenTask> unstarted = new ArrayList<>();
    private List<ServedQueue> assigned = List.of();
    private int limit;
    private int awaiting;
    private int atHand;
    private volatile boolean suspended;
    private volatile boolean closed;

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

    /** Waits for the processor's next turn; null when it is to end. */
    @Nullable
    Turn next(int processor, int lastQueue) {
        lock.lock();
        try {
            busy.clear(processor);
            while (true) {
                if (closed || processor >= limit + awaiting) {
                    alive.clear(processor);
                    quieter.signalAll();
                    return null;
                }
                Turn turn = suspended ? null : pollTurn(processor, lastQueue);
                if (turn != null) {
                    busy.set(processor);
                    return turn;
                }
                wakeFeeder.run();
                work.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Turn pollTurn(int processor, int lastQueue) {
        ServedQueue own = assignment(processor);
        for (int i = 1; i <= queues.size(); i++) {
            ServedQueue queue = queues.get((lastQueue + i) % queues.size());
            if (!queue.atHand.isEmpty() && (own == null || own == queue)) {
                return pollTurn(queue);
            }
        }
        return null;
    }

    private Turn pollTurn(ServedQueue queue) {
        int available = queue.atHand.size();
        int fairShare = priorityLimits != null ? 1 : available / Math.max(1, limit);
        int size = queue.batch != null ? queue.batchSize : Math.max(1, Math.min(queue.batchSize, fairShare));
        List<TakenTask> tasks = new ArrayList<>(Math.min(size, available));
        while (tasks.size() < size && !queue.atHand.isEmpty()) {
            tasks.add(queue.atHand.removeFirst());
        }
        atHand -= tasks.size();
        if (2 * queue.atHand.size() <= prefetch(queue)) {
            wakeFeeder.run();
        }
        return new Turn(queue, tasks);
    }

    private @Nullable ServedQueue assignment(int processor) {
        return processor < assigned.size() ? assigned.get(processor) : null;
    }

    int indexOf(ServedQueue queue) {
        return queues.indexOf(queue);
    }

    /** Whether a processor in the middle of a turn should leave the rest of it. */
    boolean isInterrupted() {
        return closed || suspended;
    }

    /** What was done in a turn, and what of it was not started. */
    void turnEnded(ServedQueue queue, int done, long nanos, List<TakenTask> notStarted) {
        lock.lock();
        try {
            queue.rate.record(done, nanos, System.nanoTime());
            unstarted.addAll(notStarted);
        } finally {
            lock.unlock();
        }
    }

    /** A handler starts to wait for something else and lends its place away. */
    void lendPlace() {
        lock.lock();
        try {
            awaiting++;
        } finally {
            lock.unlock();
        }
        wakeFeeder.run();
    }

    void takePlaceBack() {
        lock.lock();
        try {
            awaiting--;
            work.signalAll();
            quieter.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // For the feeder

    /** What to take now, beginning with the queue at {@code start}; empty when enough is at hand. */
    List<TakeRequest> wanted(int start) {
        lock.lock();
        try {
            List<TakeRequest> requests = new ArrayList<>();
            PriorityLimits.Room room = room();
            for (int i = 0; i < queues.size() && !suspended && !closed; i++) {
                ServedQueue queue = queues.get((start + i) % queues.size());
                int count = Math.min(wantedOf(queue), room.count());
                if (count > 0) {
                    requests.add(request(queue, count, room.maxPriority()));
                }
            }
            return requests;
        } finally {
            lock.unlock();
        }
    }

    private PriorityLimits.Room room() {
        return priorityLimits == null
                ? new PriorityLimits.Room(Integer.MAX_VALUE, Integer.MAX_VALUE)
                : priorityLimits.room(busy.cardinality() - awaiting + atHand);
    }

    private static TakeRequest request(ServedQueue queue, int count, int maxPriority) {
        TakeRequest request = TakeRequest.from(queue.name).count(count).maxPriority(maxPriority);
        return queue.types == null ? request : request.types(queue.types.get());
    }

    private int wantedOf(ServedQueue queue) {
        int elsewhere = 0;
        for (ServedQueue other : queues) {
            if (other != queue) {
                elsewhere += (other.atHand.size() + other.perProcessor() - 1) / other.perProcessor();
            }
        }
        int startable = Math.max(0, freeProcessors(queue) - elsewhere) * queue.perProcessor();
        int ahead = prefetch(queue);
        int wanted = startable + ahead - queue.atHand.size();
        boolean urgent = startable > queue.atHand.size();
        return urgent || 2 * wanted >= ahead ? wanted : 0;
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

    private int prefetch(ServedQueue queue) {
        return priorityLimits != null || queue.timeLimited ? 0 : queue.rate.prefetch(System.nanoTime());
    }

    /** Takes tasks in; false when it is closed, and they must be given back. */
    boolean add(ServedQueue queue, List<TakenTask> tasks) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            queue.atHand.addAll(tasks);
            atHand += tasks.size();
            queue.timeLimited |=
                    tasks.stream().anyMatch(task -> task.leaseUntil().isPresent());
            if (tasks.size() == 1) {
                work.signal();
            } else {
                work.signalAll();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    // For the runtime

    void limit(int processors) {
        lock.lock();
        try {
            limit = processors;
            work.signalAll();
        } finally {
            lock.unlock();
        }
        wakeFeeder.run();
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
        } finally {
            lock.unlock();
        }
        wakeFeeder.run();
    }

    /** Starts nothing more until {@link #resume}; what is at hand may be lost and is to be given back. */
    void suspend() {
        lock.lock();
        try {
            suspended = true;
            collectAtHand();
        } finally {
            lock.unlock();
        }
    }

    void resume() {
        lock.lock();
        try {
            suspended = false;
            work.signalAll();
        } finally {
            lock.unlock();
        }
        wakeFeeder.run();
    }

    /** Takes tasks that were not started out of the buffer. */
    List<TakenTask> remove(Collection<Lease> leases) {
        Set<Lease> wanted = new HashSet<>(leases);
        lock.lock();
        try {
            List<TakenTask> removed = new ArrayList<>();
            for (ServedQueue queue : queues) {
                for (Iterator<TakenTask> tasks = queue.atHand.iterator(); tasks.hasNext(); ) {
                    TakenTask task = tasks.next();
                    if (wanted.contains(task.lease())) {
                        tasks.remove();
                        removed.add(task);
                    }
                }
            }
            atHand -= removed.size();
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no handler waits for other tasks; false when that takes longer than {@code nanos}. */
    boolean awaitNobodyWaiting(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (awaiting > 0 && left > 0) {
                left = quieter.awaitNanos(left);
            }
            return awaiting == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all processors after what they run now. */
    void close() {
        lock.lock();
        try {
            closed = true;
            collectAtHand();
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void collectAtHand() {
        for (ServedQueue queue : queues) {
            unstarted.addAll(queue.atHand);
            queue.atHand.clear();
        }
        atHand = 0;
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

    /** Hands over the tasks that were taken and not started. */
    List<TakenTask> drainUnstarted() {
        lock.lock();
        try {
            List<TakenTask> drained = List.copyOf(unstarted);
            unstarted.clear();
            return drained;
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

    static long nanosUntil(long deadline) {
        return Math.max(0, deadline - System.nanoTime());
    }
}
