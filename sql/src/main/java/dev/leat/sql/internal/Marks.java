package dev.leat.sql.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far the fresh lane of each queue was read, priority by priority (RULES 30). A read goes on from there, because what
 * lies before may be millions of entries of tasks long gone, which a snapshot that somebody keeps open holds in the index.
 *
 * <p>What is committed late lies before the mark. Puts that this process knows of, its own and those it is told of, lower
 * the mark; all others are found by a read from the head of the lane, for which a fiftieth of the time may be spent. Safe
 * from any thread.
 */
final class Marks {
    /** Of all time, one part in so many may go into reads from the head. */
    private static final int HEAD_SHARE = 50;
    /** A queue with more priorities is read from its head: so many marks would save nothing. */
    private static final int MOST_PRIORITIES = 64;

    private final Map<Long, OfQueue> queues = new ConcurrentHashMap<>();

    /**
     * Where to read on: after each of the ids, in its priority, and whatever is less important than {@code known}; or from
     * the head.
     */
    record Start(boolean isHead, int[] priorities, long[] after, int known) {}

    /** A row of the fresh lane that was read. */
    record Seen(int priority, long id) {}

    private static final class OfQueue {
        final TreeMap<Integer, Long> after = new TreeMap<>();
        /** Puts since the read began, which must not be passed by it. */
        final List<Seen> lowered = new ArrayList<>();

        long nextHead = System.nanoTime();
        long readers;
    }

    private OfQueue of(long queue) {
        return queues.computeIfAbsent(queue, id -> new OfQueue());
    }

    /** Begins a read; {@link #end} must follow. */
    Start begin(long queue, int maxPriority) {
        OfQueue marks = of(queue);
        synchronized (marks) {
            marks.readers++;
            boolean head = marks.after.isEmpty()
                    || marks.after.size() > MOST_PRIORITIES
                    || System.nanoTime() - marks.nextHead >= 0;
            Map<Integer, Long> wanted = head ? Map.of() : marks.after.headMap(maxPriority, true);
            int[] priorities = new int[wanted.size()];
            long[] after = new long[wanted.size()];
            int i = 0;
            for (Map.Entry<Integer, Long> mark : wanted.entrySet()) {
                priorities[i] = mark.getKey();
                after[i++] = mark.getValue();
            }
            return new Start(head, priorities, after, marks.after.isEmpty() ? 0 : marks.after.lastKey());
        }
    }

    /** Ends a read that took so long, and came so far in each priority. */
    void end(long queue, Start start, List<Seen> farthest, long nanos) {
        OfQueue marks = of(queue);
        synchronized (marks) {
            if (start.isHead()) {
                marks.nextHead = System.nanoTime() + HEAD_SHARE * nanos;
            }
            farthest.forEach(seen -> marks.after.merge(seen.priority, seen.id, Math::max));
            marks.lowered.forEach(seen -> marks.after.merge(seen.priority, seen.id - 1, Math::min));
            if (--marks.readers == 0) {
                marks.lowered.clear();
            }
        }
    }

    /** A row was committed: the next read must not begin behind it. */
    void lower(long queue, int priority, long id) {
        OfQueue marks = queues.get(queue);
        if (marks == null) {
            return; // never read, so the first read begins at the head
        }
        synchronized (marks) {
            marks.after.merge(priority, id - 1, Math::min);
            if (marks.readers > 0) {
                marks.lowered.add(new Seen(priority, id));
            }
        }
    }
}
