package dev.leat.testkit;

import dev.leat.Leat;
import dev.leat.Registration;
import dev.leat.TaskState;
import dev.leat.queue.QueueStats;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A {@link Leat} in memory whose clock your test moves, so that a test of retries, delays and schedules takes milliseconds.
 *
 * <p>Put tasks and start workers through {@link #leat()}, as your program does. Then call {@link #runDue()} or {@link #advance}:
 * both return when the workers have nothing left to do. Handlers run in the threads of the worker.
 *
 * <p>Only due times, delays, times to live, time limits and schedules follow the clock. Time-outs that a caller passes to
 * {@code take} or {@code await} are real time.
 */
public final class TestLeat implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** A session that is silent by the moved clock must keep its leases, however far a test moves the clock. */
    private static final Duration DEAD_AFTER = Duration.ofDays(36_500);

    private static final Duration HEARTBEAT = Duration.ofSeconds(5);
    /** Changes wake {@link #awaitIdle}; the interval bounds the delay if the last change comes without an event. */
    private static final long RECHECK_MILLIS = 20;

    private final ManualClock clock;
    private final Leat leat;

    private TestLeat(ManualClock clock, UnaryOperator<Leat.Builder> settings) {
        this.clock = clock;
        Storage storage = Storages.open("memory:", StorageSettings.at(clock));
        this.leat = settings.apply(Leat.builder("memory:")
                        .storage(storage)
                        .heartbeat(HEARTBEAT, DEAD_AFTER)
                        .shutdownHook(false))
                .open();
    }

    /** Opens an empty Leat whose clock stands at noon of an ordinary day. */
    public static TestLeat open() {
        return open(UnaryOperator.identity());
    }

    /** The same with settings of yours, such as a codec. Leave storage and heartbeat as they are. */
    public static TestLeat open(UnaryOperator<Leat.Builder> settings) {
        return new TestLeat(new ManualClock(), settings);
    }

    /** The Leat under test; {@link #close} closes it. */
    public Leat leat() {
        return leat;
    }

    /** The clock of the storage. Moving it runs nothing by itself; {@link #advance} does both. */
    public ManualClock clock() {
        return clock;
    }

    /** Moves the clock, then runs what is due: delayed tasks, retries, runs of schedules. */
    public void advance(Duration by) {
        clock.advance(by);
        runDue();
    }

    /** Runs what is due now and waits until the workers are idle, including tasks that handlers put meanwhile. */
    public void runDue() {
        leat.housekeep();
        awaitIdle(TIMEOUT);
    }

    /**
     * Waits until no queue has a READY or a TAKEN task.
     *
     * @throws AssertionError if the queues are not idle in time, with the queues and their counts
     */
    public void awaitIdle(Duration timeout) {
        Semaphore changes = new Semaphore(0);
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Registration listening = leat.onTaskChange(change -> changes.release())) {
            List<QueueStats> busy = busyQueues();
            while (!busy.isEmpty()) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("after " + timeout.toMillis() + " ms " + describe(busy)
                            + ". Does a started worker handle these queues and types?");
                }
                if (changes.tryAcquire(RECHECK_MILLIS, TimeUnit.MILLISECONDS)) {
                    changes.drainPermits();
                }
                busy = busyQueues();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for idle workers", e);
        }
    }

    private List<QueueStats> busyQueues() {
        return leat.stats().stream()
                .filter(queue -> queue.count(TaskState.READY) + queue.count(TaskState.TAKEN) > 0)
                .toList();
    }

    private static String describe(List<QueueStats> busy) {
        return busy.stream()
                .map(queue -> "queue '" + queue.queue() + "' has " + queue.count(TaskState.READY) + " READY and "
                        + queue.count(TaskState.TAKEN) + " TAKEN tasks")
                .collect(Collectors.joining(", "));
    }

    /** Closes the Leat with its workers; the tasks are gone. */
    @Override
    public void close() {
        leat.close();
    }
}
