package dev.leat.internal.worker;

import dev.leat.Leat;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.worker.WorkerStats;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One queue that a worker serves: its handlers, its buffered tasks and its counters. */
final class ServedQueue {
    private static final Logger log = LoggerFactory.getLogger(ServedQueue.class);
    private static final int DEFAULT_BATCH_SIZE = 10;
    /** The options are read again after this time, and only while tasks fail. */
    private static final long OPTIONS_HOLD_NANOS = TimeUnit.SECONDS.toNanos(10);

    final String name;
    final QueueHandlers handlers;

    @Nullable
    Supplier<Set<String>> types;

    /** By type: the worker takes the type only while its condition is true. */
    final Map<String, BooleanSupplier> conditions = new HashMap<>();

    TakeOrder order = TakeOrder.oldest();
    int batchSize = DEFAULT_BATCH_SIZE;
    /** Whether to take only the types that have a handler here, so that other workers get the rest. */
    boolean takesOwnTypesOnly;

    /** Taken and not started; guarded by the buffer's lock. */
    final Deque<TakenTask> buffered = new ArrayDeque<>();

    final Prefetch prefetch = new Prefetch(System.nanoTime());

    final UnhandledTasks unhandled;

    private volatile QueueOptions options = QueueOptions.standard();
    private final AtomicLong optionsRead = new AtomicLong();

    final LongAdder processed = new LongAdder();
    final LongAdder errors = new LongAdder();
    final LongAdder retried = new LongAdder();
    final LongAdder busyNanos = new LongAdder();
    volatile @Nullable String lastError;

    ServedQueue(String name) {
        this.name = name;
        this.handlers = new QueueHandlers(name);
        this.unhandled = new UnhandledTasks(name);
    }

    void options(QueueOptions read) {
        options = read;
        optionsRead.set(System.nanoTime());
    }

    /** Returns the options of the queue, which operators may change. One thread reads them again when they are 10 seconds old. */
    QueueOptions currentOptions(Leat leat) {
        long read = optionsRead.get();
        long now = System.nanoTime();
        if (now - read > OPTIONS_HOLD_NANOS && optionsRead.compareAndSet(read, now)) {
            try {
                leat.queue(name).info().ifPresent(info -> options = info.options());
            } catch (RuntimeException e) {
                log.debug("The options of queue '{}' could not be read; the worker uses the last ones", name, e);
            }
        }
        return options;
    }

    /** How many tasks one free processor starts at once. */
    int perProcessor() {
        return handlers.batch() == null ? 1 : batchSize;
    }

    boolean hasChangingTypes() {
        return types != null || !conditions.isEmpty();
    }

    /** The types to take now; empty for all types. */
    Optional<Set<String>> typesNow() {
        Set<String> named = types != null ? types.get() : takesOwnTypesOnly ? handlers.types() : null;
        return Optional.ofNullable(named)
                .map(all -> all.stream().filter(this::isOn).collect(Collectors.toUnmodifiableSet()));
    }

    private boolean isOn(String type) {
        BooleanSupplier condition = conditions.get(type);
        return condition == null || condition.getAsBoolean();
    }

    /** Whether other workers are to run the task: {@code leave} says so, or this worker has no handler for its kind. */
    boolean isForOthers(Task task) {
        return unhandled.isLeft(task) || !handlers.serve(task);
    }

    WorkerStats.QueueWork work() {
        return new WorkerStats.QueueWork(
                processed.sum(),
                errors.sum(),
                retried.sum(),
                Duration.ofNanos(busyNanos.sum()),
                Optional.ofNullable(lastError));
    }
}
