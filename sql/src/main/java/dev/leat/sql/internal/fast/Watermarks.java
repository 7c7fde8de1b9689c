package dev.leat.sql.internal.fast;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far the fresh lane of each queue was read, priority by priority (rule 30). A read goes on from there, because what
 * lies before may be millions of entries of tasks long gone, which a snapshot that somebody keeps open holds in the index.
 *
 * <p>What is committed late lies before the mark. Puts that this process knows of, its own and those it is told of, lower
 * the mark; all others are found by a read from the head of the lane, for which a fiftieth of the time may be spent. Safe
 * from any thread.
 */
public final class Watermarks {
    /** Of all time, one part in so many may go into reads from the head. */
    private static final int HEAD_SHARE = 50;
    /** A queue with more priorities is read from its head: so many marks would save nothing. */
    private static final int MOST_PRIORITIES = 64;

    private final Map<Long, OfQueue> queues = new ConcurrentHashMap<>();

    /**
     * Where to read on: in stretches, which together leave no priority out, or from the head in spite of them. A stretch
     * begins behind the task {@code after} of the priority {@code from} and ends where the priority {@code below} begins.
     */
    record Start(boolean isHead, int[] from, long[] after, long[] below, long began) {
        /** Whether reads had passed this row before this one began; what they pass later, this one may have locked itself. */
        boolean wasPassed(Seen seen) {
            int stretch = Arrays.binarySearch(from, seen.priority);
            return stretch >= 0 && seen.id < after[stretch];
        }
    }

    /** A row of the fresh lane that was read. */
    record Seen(int priority, long id) {
        static final Comparator<Seen> ORDER =
                Comparator.comparingInt(Seen::priority).thenComparingLong(Seen::id);
    }

    private static final class OfQueue {
        final TreeMap<Integer, Long> after = new TreeMap<>();
        /** Rows by the order they were told of, from the oldest running read on: a read must not pass those since it began. */
        final TreeMap<Long, Seen> lowered = new TreeMap<>();
        /** When the running reads began, and how many at each moment. */
        final TreeMap<Long, Integer> running = new TreeMap<>();

        long told;
        long nextHead = System.nanoTime();

        void tell(Seen seen) {
            lower(seen);
            told++;
            if (!running.isEmpty()) {
                lowered.put(told, seen);
            }
        }

        /** A priority without a mark needs none: every read looks there from its head. */
        public void lower(Seen seen) {
            after.computeIfPresent(seen.priority, (priority, id) -> Math.min(id, seen.id - 1));
        }

        void ended(Start start) {
            running.computeIfPresent(start.began, (began, reads) -> reads == 1 ? null : reads - 1);
            long oldest = running.isEmpty() ? told : running.firstKey();
            lowered.headMap(oldest, true).clear();
        }
    }

    private OfQueue of(long queue) {
        return queues.computeIfAbsent(queue, id -> new OfQueue());
    }

    /** Begins a read; {@link #end} must follow. */
    Start begin(long queue, int maxPriority) {
        OfQueue watermarks = of(queue);
        synchronized (watermarks) {
            watermarks.running.merge(watermarks.told, 1, Integer::sum);
            boolean head = watermarks.after.isEmpty()
                    || watermarks.after.size() > MOST_PRIORITIES
                    || System.nanoTime() - watermarks.nextHead >= 0;
            return start(head, watermarks.after.headMap(maxPriority, true), maxPriority, watermarks.told);
        }
    }

    /** What stands before the first mark, and from each mark to the next. */
    private static Start start(boolean isHead, SortedMap<Integer, Long> watermarks, int maxPriority, long began) {
        int count = watermarks.size() + 1;
        int[] from = new int[count];
        long[] after = new long[count];
        long[] below = new long[count];
        from[0] = Integer.MIN_VALUE;
        int i = 0;
        for (Map.Entry<Integer, Long> mark : watermarks.entrySet()) {
            below[i++] = mark.getKey();
            from[i] = mark.getKey();
            after[i] = mark.getValue();
        }
        below[i] = maxPriority + 1L;
        return new Start(isHead, from, after, below, began);
    }

    /**
     * Ends a read whose statement took so long and came so far in each priority.
     *
     * @param left the first row of each priority that it locked, but left ready: other reads may have passed it meanwhile
     */
    void end(long queue, Start start, List<Seen> farthest, List<Seen> left, long nanos) {
        OfQueue watermarks = of(queue);
        synchronized (watermarks) {
            if (start.isHead()) {
                // Where rows were found that had been passed, more of the kind are likely, and worth the time.
                long pause = farthest.stream().anyMatch(start::wasPassed) ? 0 : HEAD_SHARE * nanos;
                watermarks.nextHead = System.nanoTime() + pause;
            }
            farthest.forEach(seen -> watermarks.after.merge(seen.priority, seen.id, Math::max));
            watermarks.lowered.tailMap(start.began, false).values().forEach(watermarks::lower);
            left.forEach(watermarks::tell);
            watermarks.ended(start);
        }
    }

    /** Ends a read that failed: other reads may have passed the rows it had locked, so the next one begins at the head. */
    void fail(long queue, Start start) {
        OfQueue watermarks = of(queue);
        synchronized (watermarks) {
            watermarks.nextHead = System.nanoTime();
            watermarks.ended(start);
        }
    }

    /** A row was committed: the next read must not begin behind it. */
    public void lower(long queue, int priority, long id) {
        OfQueue watermarks = queues.get(queue);
        if (watermarks == null) {
            return; // never read, so the first read begins at the head
        }
        synchronized (watermarks) {
            watermarks.tell(new Seen(priority, id));
        }
    }
}
