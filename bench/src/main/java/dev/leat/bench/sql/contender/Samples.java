package dev.leat.bench.sql.contender;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Writes down ten times a second how many tasks are handled, on a thread of its own until it is closed. */
final class Samples implements AutoCloseable {
    private static final long EVERY_MILLIS = 100;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Queue<String> taken = new ConcurrentLinkedQueue<>();

    Samples(Handled handled) {
        clock.scheduleAtFixedRate(
                () -> taken.add(System.nanoTime() + ":" + handled.count()), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** All samples as {@code nanos:count}. */
    String asWords() {
        return taken.stream().collect(Collectors.joining(" "));
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
