package dev.leat.internal.worker;

import dev.leat.Leat;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.error.InvalidRequestException;
import dev.leat.internal.waiting.Dispatcher;
import dev.leat.internal.waiting.Loop;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Undeclared;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the buffer filled. Its thread {@code leat-feeder} takes what the buffer wants. When all queues are empty, it leaves one waiting take and
 * sleeps. This one take waits for all queues, so it never brings more tasks than the worker has room for.
 */
final class Feeder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Feeder.class);
    private static final Duration FOR_EVER = Duration.ofDays(365);
    /** How often an idle feeder reads the types that conditions switch on and off. */
    private static final Duration TYPES_READ_EVERY = Duration.ofSeconds(1);
    /** How often to check whether processors start the buffered tasks. */
    private static final Duration STALE_CHECKED_EVERY = Duration.ofMillis(100);

    /**
     * The waiting take. It is over when its tasks are in the buffer, and not already when its answer is there: in between, the buffer would ask for
     * the same tasks again.
     */
    private record WaitingTake(
            List<TakeRequest> requests, CompletableFuture<List<TakenTask>> answer, CompletableFuture<?> accepted) {
        boolean isOver() {
            return accepted.isDone();
        }

        /** Waits until the tasks of an ended take are in the buffer. */
        void awaitEnd() {
            accepted.exceptionally(canceled -> null).join();
        }
    }

    private final Leat leat;
    private final Dispatcher dispatcher;
    private final Map<String, ServedQueue> queues;
    private final Buffer buffer;
    private final Consumer<List<TakenTask>> giveBack;
    private final Loop loop;
    /** Held by the thread that feeds: the feeder's own, or a processor in feedAround. */
    private final ReentrantLock feeding = new ReentrantLock();

    /** Queues that were paused since the last round; a take from before the pause may still bring tasks. */
    private final Set<String> paused = ConcurrentHashMap.newKeySet();

    private volatile @Nullable WaitingTake pending;
    private volatile boolean closed;
    /** The queue that comes first in the next take. This field and the next are guarded by {@link #feeding}. */
    private int firstQueue;

    /** The types to take, as of the last reading, for queues that are not asked for all types. */
    private Map<ServedQueue, Set<String>> types = Map.of();

    Feeder(
            WorkerHost host,
            List<ServedQueue> queues,
            Function<Runnable, Buffer> buffer,
            Consumer<List<TakenTask>> giveBack) {
        this.leat = host.leat();
        this.dispatcher = host.dispatcher();
        this.queues = queues.stream().collect(Collectors.toMap(queue -> queue.name, queue -> queue));
        this.giveBack = giveBack;
        this.loop = new Loop("leat-feeder", this::feed);
        this.buffer = buffer.apply(loop::wake);
    }

    Buffer buffer() {
        return buffer;
    }

    /** Makes missing queues where the Leat may, and reads the options of all queues. */
    void prepare() {
        for (ServedQueue queue : queues.values()) {
            adopt(queue, leat.queue(queue.name).ensure().options());
        }
    }

    private static void adopt(ServedQueue queue, QueueOptions options) {
        boolean filters = options.typeFilter() == QueueOptions.TypeFilter.ON;
        if (queue.hasChangingTypes()) {
            Undeclared.checkTypes(queue.name, options);
        }
        Undeclared.checkOrder(queue.name, options, queue.order);
        queue.takesOwnTypesOnly = filters && queue.handlers.areForTypesOnly();
        queue.prefetch.timeLimited(options.ttr().isPresent());
        queue.options(options);
    }

    void start() {
        loop.start();
    }

    /**
     * Settles tasks with keys and takes the next tasks of these keys, on the caller's thread. This saves the way through the storage's signal, the
     * dispatcher and the feeder, three threads in turn, which is most of the time of a keyed task.
     */
    void feedAround(Runnable settle) {
        if (closed || !feeding.tryLock()) {
            settle.run();
            return;
        }
        boolean fed = false;
        try {
            cancelWaiting();
            settle.run();
            feedNow();
            fed = true;
        } catch (RuntimeException e) {
            log.debug("the feeder's own thread repeats this", e);
        } finally {
            feeding.unlock();
            if (!fed) {
                loop.wake();
            }
        }
    }

    /** Gives back the buffered tasks of a paused queue, and those that a running take still brings. */
    void pause(String queue) {
        if (queues.containsKey(queue)) {
            paused.add(queue);
            giveBack.accept(buffer.removeAll(queue));
            loop.wake();
        }
    }

    private Duration feed() {
        feeding.lock();
        try {
            return feedNow();
        } finally {
            feeding.unlock();
        }
    }

    /** Ends the waiting take. Tasks that have come for it are in the buffer afterwards. */
    private void stopWaiting() {
        WaitingTake waiting = pending;
        if (waiting != null && !waiting.isOver()) {
            dispatcher.withdraw(waiting.answer());
            waiting.awaitEnd();
        }
    }

    /** Ends the waiting take at once; later tasks of it are given back. */
    private void cancelWaiting() {
        WaitingTake waiting = pending;
        if (waiting != null) {
            waiting.answer().cancel(false);
            waiting.awaitEnd();
        }
    }

    /** Gives back tasks that came before the pause was known. After this no take can bring more. */
    private void endPauses() {
        stopWaiting();
        for (String queue : paused) {
            paused.remove(queue);
            giveBack.accept(buffer.removeAll(queue));
        }
    }

    private Duration feedNow() {
        if (!paused.isEmpty()) {
            endPauses();
        }
        List<TakenTask> stale = buffer.removeStale();
        if (!stale.isEmpty()) {
            giveBack.accept(stale);
        }
        narrow();
        readTypes();
        WaitingTake last = pending;
        WaitingTake waiting = last == null || last.isOver() ? null : last; // read before the buffer
        List<TakeRequest> wanted = buffer.wanted(firstQueue++, types);
        if (waiting != null) {
            if (wanted.isEmpty() || differOnlyInCount(wanted, waiting.requests())) {
                return idle();
            }
            stopWaiting();
            wanted = buffer.wanted(firstQueue++, types);
        }
        while (!wanted.isEmpty()) {
            CompletableFuture<List<TakenTask>> answer;
            try {
                answer = dispatcher.take(wanted, FOR_EVER);
            } catch (InvalidRequestException e) {
                wanted = wantedByNewOptions();
                if (wanted.isEmpty()) {
                    break;
                }
                answer = dispatcher.take(wanted, FOR_EVER);
            }
            if (!answer.isDone()) {
                wait(answer, wanted);
                return idle();
            }
            accept(answer.join());
            readTypes();
            wanted = buffer.wanted(firstQueue++, types);
        }
        return idle();
    }

    private void wait(CompletableFuture<List<TakenTask>> answer, List<TakeRequest> requests) {
        CompletableFuture<?> accepted = answer.thenAccept(this::accept);
        pending = new WaitingTake(requests, answer, accepted);
        if (closed) {
            answer.cancel(false);
        }
        var unused = accepted.whenComplete((nothing, error) -> {
            if (!answer.isCancelled()) {
                loop.wake();
            }
        });
    }

    private void narrow() {
        if (buffer.wasNarrowed()) {
            stopWaiting();
        }
    }

    /** Reads the types to take, and gives back tasks of types that are off now. */
    private void readTypes() {
        Map<ServedQueue, Set<String>> now = new HashMap<>();
        try {
            queues.values().forEach(queue -> queue.typesNow().ifPresent(on -> now.put(queue, on)));
        } catch (RuntimeException e) {
            stopWaiting(); // it could bring tasks of a type that is off now
            throw e;
        }
        if (!now.equals(types)) {
            stopWaiting();
            types = now;
            giveBack.accept(buffer.removeOthers(now));
        }
    }

    /** Reads the limits and types again. After this, no task comes that they exclude. */
    void refresh() {
        feeding.lock();
        try {
            narrow();
            readTypes();
        } finally {
            feeding.unlock();
            loop.wake();
        }
    }

    /** Reads the options of all queues after a refused take. A dropped queue is not made again. */
    private List<TakeRequest> wantedByNewOptions() {
        for (ServedQueue queue : queues.values()) {
            leat.queue(queue.name).info().ifPresent(info -> adopt(queue, info.options()));
        }
        readTypes();
        return buffer.wanted(firstQueue++, types);
    }

    private void accept(List<TakenTask> tasks) {
        ServedQueue queue =
                tasks.isEmpty() ? null : queues.get(tasks.get(0).task().queue());
        if (queue != null && (paused.contains(queue.name) || !buffer.add(queue, tasks))) {
            giveBack.accept(tasks);
        }
    }

    private Duration idle() {
        if (buffer.load().buffered() > 0) {
            return STALE_CHECKED_EVERY;
        }
        boolean hasChangingTypes = queues.values().stream().anyMatch(ServedQueue::hasChangingTypes);
        return hasChangingTypes ? TYPES_READ_EVERY : FOR_EVER;
    }

    private static boolean differOnlyInCount(List<TakeRequest> a, List<TakeRequest> b) {
        return a.size() == b.size()
                && a.stream().allMatch(request -> b.stream().anyMatch(other -> other.differsOnlyInCount(request)));
    }

    /** Ends all takes; their tasks are given back. */
    @Override
    public void close() {
        closed = true;
        loop.close();
        cancelWaiting();
    }
}
