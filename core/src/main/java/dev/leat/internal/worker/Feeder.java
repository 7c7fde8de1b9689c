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
 * Keeps the buffer filled. One thread: asks what is wanted, takes it, and when no queue has anything, leaves one waiting
 * take behind and sleeps. The waiting take accepts from every queue at once, so it never gets more than was free.
 */
final class Feeder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Feeder.class);
    private static final Duration FOR_EVER = Duration.ofDays(365);
    /** How often types that a condition switches on and off are asked for while nothing happens. */
    private static final Duration TYPES_ASKED_EVERY = Duration.ofSeconds(1);
    /** How often to look whether tasks at hand are being started. */
    private static final Duration STALE_LOOKED_EVERY = Duration.ofMillis(100);

    /**
     * The take that was left behind. It is over when its tasks are in the buffer, which is later than its answer: who
     * asked the buffer in between would take the same places twice.
     */
    private record WaitingTake(
            List<TakeRequest> requests, CompletableFuture<List<TakenTask>> answer, CompletableFuture<?> accepted) {
        boolean isOver() {
            return accepted.isDone();
        }

        /** For whoever has ended it: the tasks that came before are in the buffer in a moment. */
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
    /** Held by whoever feeds. */
    private final ReentrantLock feeding = new ReentrantLock();

    /** Queues that were paused since the last turn; a take may be under way that was made before. */
    private final Set<String> paused = ConcurrentHashMap.newKeySet();

    private volatile @Nullable WaitingTake pending;
    private volatile boolean closed;
    /** Which queue may be the first to be asked for; guarded by {@link #feeding}, as is the one below. */
    private int turn;

    /** The types that were on when it was asked last, for queues that are not taken from by all. */
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

    /** Makes missing queues where the Leat may, and finds out what the queues allow. */
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
     * Settles tasks that free keys, and takes what they freed, on the caller's thread. Otherwise the freed tasks would go
     * by the storage's signal, the dispatcher and this feeder, one thread after the other, before a processor gets them;
     * for keyed tasks, which come few at a time, that is most of their time.
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
            log.debug("the feeder's own thread tries again", e);
        } finally {
            feeding.unlock();
            if (!fed) {
                loop.wake();
            }
        }
    }

    /** Gives back what is at hand of a queue, and what a take that is under way still brings. */
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

    /** Ends the waiting. Tasks that have come for it are in the buffer when this returns. */
    private void stopWaiting() {
        WaitingTake waiting = pending;
        if (waiting != null && !waiting.isOver()) {
            dispatcher.withdraw(waiting.answer());
            waiting.awaitEnd();
        }
    }

    /** Ends the waiting at once; what is on its way is given back. */
    private void cancelWaiting() {
        WaitingTake waiting = pending;
        if (waiting != null) {
            waiting.answer().cancel(false);
            waiting.awaitEnd();
        }
    }

    /** Also what came just before the pause was known. From now on no take can bring more. */
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
        askTypes();
        WaitingTake last = pending;
        WaitingTake waiting = last == null || last.isOver() ? null : last; // asked before the buffer is
        List<TakeRequest> wanted = buffer.wanted(turn++, types);
        if (waiting != null) {
            if (wanted.isEmpty() || sameButCount(wanted, waiting.requests())) {
                return idle();
            }
            stopWaiting();
            wanted = buffer.wanted(turn++, types);
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
            askTypes();
            wanted = buffer.wanted(turn++, types);
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

    /** What was taken before a type was switched off, or is on its way, goes back. */
    private void askTypes() {
        Map<ServedQueue, Set<String>> now = new HashMap<>();
        try {
            queues.values().forEach(queue -> queue.typesNow().ifPresent(on -> now.put(queue, on)));
        } catch (RuntimeException e) {
            stopWaiting(); // it may bring what would be switched off now
            throw e;
        }
        if (!now.equals(types)) {
            stopWaiting();
            types = now;
            giveBack.accept(buffer.removeOthers(now));
        }
    }

    /** Asks anew what may be taken. When this returns, nothing more comes that may not. */
    void refresh() {
        feeding.lock();
        try {
            narrow();
            askTypes();
        } finally {
            feeding.unlock();
            loop.wake();
        }
    }

    /** For a take that was refused: the options of a queue may have changed. A queue that was dropped is not made again. */
    private List<TakeRequest> wantedByNewOptions() {
        for (ServedQueue queue : queues.values()) {
            leat.queue(queue.name).info().ifPresent(info -> adopt(queue, info.options()));
        }
        askTypes();
        return buffer.wanted(turn++, types);
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
            return STALE_LOOKED_EVERY;
        }
        boolean conditional = queues.values().stream().anyMatch(ServedQueue::hasChangingTypes);
        return conditional ? TYPES_ASKED_EVERY : FOR_EVER;
    }

    private static boolean sameButCount(List<TakeRequest> a, List<TakeRequest> b) {
        return a.size() == b.size()
                && a.stream().allMatch(request -> b.stream().anyMatch(other -> other.isLike(request)));
    }

    /** Takes nothing more. What was on its way is given back. */
    @Override
    public void close() {
        closed = true;
        loop.close();
        cancelWaiting();
    }
}
