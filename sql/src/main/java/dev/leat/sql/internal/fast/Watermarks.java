package dev.leat.sql.internal.fast;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far takes have read the fresh lane of each queue, by priority (rule 30). A read begins at the watermark, because the index
 * before it can hold millions of entries of deleted tasks, as long as an old snapshot is open.
 *
 * <p>A row that commits late can be before the watermark. Puts of this process and notices of other processes lower the
 * watermark. Reads from the head of the lane find the rest, and use a fiftieth of the time at most. Safe from any thread.
 */
public final class Watermarks {
    /** Reads from the head use one part in this many of the time. */
    private static final int HEAD_SHARE = 50;
    /** A queue with more priorities is read from its head, because that many watermarks save nothing. */
    private static final int MOST_PRIORITIES = 64;

    private final Map<Long, OfQueue> queues = new ConcurrentHashMap<>();

    /**
     * Where a read begins. Together, the stretches cover all priorities; a read from the head ignores them. A stretch begins
     * after the task {@code after} of the priority {@code from}, and ends before the priority {@code below}.
     */
    record Start(boolean isHead, int[] from, long[] after, long[] below, long began) {
        /**
         * Whether earlier reads had passed this row when this read began. Rows passed later do not count, because this read
         * may have locked them.
         */
        boolean wasPassed(Seen seen) {
            int stretch = Arrays.binarySearch(from, seen.priority);
            return stretch >= 0 && seen.id < after[stretch];
        }
    }

    /** A row of the fresh lane that a read has met. */
    record Seen(int priority, long id) {
        static final Comparator<Seen> ORDER =
                Comparator.comparingInt(Seen::priority).thenComparingLong(Seen::id);
    }

    private static final class OfQueue {
        final TreeMap<Integer, Long> after = new TreeMap<>();
        /** Rows committed since the oldest running read began, by number. A read must not pass rows committed since it began. */
        final TreeMap<Long, Seen> lowered = new TreeMap<>();
        /** How many running reads began at each number. */
        final TreeMap<Long, Integer> running = new TreeMap<>();

        long lastNumber;
        long nextHead = System.nanoTime();

        void committed(Seen seen) {
            lower(seen);
            lastNumber++;
            if (!running.isEmpty()) {
                lowered.put(lastNumber, seen);
            }
        }

        /** Reads begin at the head of a priority without a watermark. */
        void lower(Seen seen) {
            after.computeIfPresent(seen.priority, (priority, id) -> Math.min(id, seen.id - 1));
        }

        void ended(Start start) {
            running.computeIfPresent(start.began, (began, reads) -> reads == 1 ? null : reads - 1);
            long oldest = running.isEmpty() ? lastNumber : running.firstKey();
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
            watermarks.running.merge(watermarks.lastNumber, 1, Integer::sum);
            boolean head = watermarks.after.isEmpty()
                    || watermarks.after.size() > MOST_PRIORITIES
                    || System.nanoTime() - watermarks.nextHead >= 0;
            return start(head, watermarks.after.headMap(maxPriority, true), maxPriority, watermarks.lastNumber);
        }
    }

    /** A stretch before the first watermark, and one from each watermark to the next. */
    private static Start start(boolean isHead, SortedMap<Integer, Long> watermarks, int maxPriority, long began) {
        int count = watermarks.size() + 1;
        int[] from = new int[count];
        long[] after = new long[count];
        long[] below = new long[count];
        from[0] = Integer.MIN_VALUE;
        int i = 0;
        for (Map.Entry<Integer, Long> watermark : watermarks.entrySet()) {
            below[i++] = watermark.getKey();
            from[i] = watermark.getKey();
            after[i] = watermark.getValue();
        }
        below[i] = maxPriority + 1L;
        return new Start(isHead, from, after, below, began);
    }

    /**
     * Ends a read that took {@code nanos}.
     *
     * @param farthest the last row that the read met in each priority
     * @param left the first row of each priority that the read locked but did not take; other reads may have skipped it
     */
    void end(long queue, Start start, List<Seen> farthest, List<Seen> left, long nanos) {
        OfQueue watermarks = of(queue);
        synchronized (watermarks) {
            if (start.isHead()) {
                // A read that finds passed rows is likely to find more of them at once.
                long pause = farthest.stream().anyMatch(start::wasPassed) ? 0 : HEAD_SHARE * nanos;
                watermarks.nextHead = System.nanoTime() + pause;
            }
            farthest.forEach(seen -> watermarks.after.merge(seen.priority, seen.id, Math::max));
            watermarks.lowered.tailMap(start.began, false).values().forEach(watermarks::lower);
            left.forEach(watermarks::committed);
            watermarks.ended(start);
        }
    }

    /** Ends a read that failed. The next read begins at the head, since other reads may have skipped the locked rows. */
    void fail(long queue, Start start) {
        OfQueue watermarks = of(queue);
        synchronized (watermarks) {
            watermarks.nextHead = System.nanoTime();
            watermarks.ended(start);
        }
    }

    /** The next read must not begin behind this row, which was committed. */
    public void lower(long queue, int priority, long id) {
        OfQueue watermarks = queues.get(queue);
        if (watermarks == null) {
            return; // the first read begins at the head
        }
        synchronized (watermarks) {
            watermarks.committed(new Seen(priority, id));
        }
    }
}
