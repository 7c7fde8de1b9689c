package dev.leat.bench.sql.contender;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The handler of all contenders: counts, and remembers when tasks started if asked to. Safe for use by many threads. */
final class Handled {
    private final LongAdder count = new LongAdder();
    private final long[] starts;
    private final long[] waited;
    private final AtomicInteger recorded = new AtomicInteger();

    /** @param record of how many tasks it remembers the times */
    Handled(int record) {
        starts = new long[record];
        waited = new long[record];
    }

    void task(String payload) {
        count.increment();
        if (starts.length > 0) {
            record(payload);
        }
    }

    private void record(String payload) {
        long now = System.nanoTime();
        int place = recorded.getAndIncrement();
        if (place < starts.length) {
            starts[place] = now;
            waited[place] = now - Payloads.stampOf(payload);
        }
    }

    long count() {
        return count.sum();
    }

    /** When each task started, in that order. */
    long[] starts() {
        return sorted(starts);
    }

    /** How long after its put each task started, shortest first. */
    long[] waited() {
        return sorted(waited);
    }

    private long[] sorted(long[] times) {
        long[] copy = Arrays.copyOf(times, Math.min(recorded.get(), times.length));
        Arrays.sort(copy);
        return copy;
    }
}
