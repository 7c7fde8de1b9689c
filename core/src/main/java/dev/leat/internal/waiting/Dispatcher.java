package dev.leat.internal.waiting;

import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.error.ClosedException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.StorageException;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves waiting takes. One thread per Leat, {@code leat-dispatcher}, serves all waiters of all queues: it sleeps until a notice for a queue comes,
 * takes for all its waiters in one call, and hands the tasks out in the order of their arrival.
 *
 * <p>A waiter is completed at most once. Tasks that were taken for a waiter that has left go to the next waiter, or back to the storage.
 *
 * <p>A waiter treats a missing or dropped queue as empty, and gets tasks when a put makes the queue. The log warns once per name, because the name
 * may be misspelled.
 *
 * <p>No notice is lost between an empty take and the start of its wait: the notices of each queue are counted, and a new waiter that finds a
 * changed count is served at once.
 */
public final class Dispatcher implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);
    /** The largest number of tasks that one call takes for all waiters. */
    private static final int MAX_TAKE = 1_000;
    /** The longest time that a withdrawal waits for a running take; later tasks are given back. */
    private static final long LONGEST_WITHDRAWAL_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** Instead of a count of notices, where the caller has not tried to take from the queue. */
    private static final long NOT_TRIED = -1;
    /** Bounds the remembered names of missing queues, because callers of a server can send any number of names. */
    private static final int MOST_MISSING_NAMES = 1_000;

    private final Storage storage;
    private final Function<TakeRequest, List<TakenTask>> taker;
    private final Loop loop;
    private final Registration registration;
    private final Map<String, QueueWaiters> waitersByQueue = new ConcurrentHashMap<>();
    /** Missing queues that the log has warned of. */
    private final Set<String> warnedMissing = ConcurrentHashMap.newKeySet();

    private final Set<Waiter> deadlines = new TreeSet<>();
    private final Set<QueueWaiters> dirty = new LinkedHashSet<>();
    private final List<Settle> toGiveBack = new ArrayList<>();
    /** The waiters of the running take. */
    private List<Waiter> beingServed = List.of();

    private long arrivals;
    private long lastCheck = System.nanoTime();
    private boolean started;
    private volatile boolean closed;

    /** The waiters of one queue, in the order of their arrival. Guarded by the dispatcher, except volatile and atomic fields. */
    private static final class QueueWaiters {
        final String queue;
        final Set<Waiter> waiters = new LinkedHashSet<>();
        final AtomicLong notices = new AtomicLong();
        volatile boolean occupied;
        volatile @Nullable EmptyTake lastEmptyTake;
        /** Whether the queue was missing at the last take. */
        volatile boolean isMissing;
        /** Whether the waiters want different tasks. */
        boolean isMixed;

        QueueWaiters(String queue) {
            this.queue = queue;
        }

        /** Whether the last take for the same tasks was empty, and no notice has come since. */
        boolean isKnownEmpty(TakeRequest request) {
            EmptyTake last = lastEmptyTake;
            return last != null && last.notices == notices.get() && last.request.wantsSameTasks(request);
        }
    }

    /**
     * A take that got no tasks.
     *
     * @param notices the count of notices before the take
     */
    private record EmptyTake(TakeRequest request, long notices) {}

    /** One waiting take, entered for each of its queues. */
    private static final class Waiter implements Comparable<Waiter> {
        final long arrival;
        final long deadline;
        final List<TakeRequest> requests;
        /** In the order of the requests. */
        final List<QueueWaiters> entries;

        final CompletableFuture<List<TakenTask>> answer = new CompletableFuture<>();
        /** Whether a take was made with its own session; an empty take of another session does not show that this session has ended. */
        boolean wasTriedFor;

        Waiter(long arrival, long deadline, List<TakeRequest> requests, List<QueueWaiters> entries) {
            this.arrival = arrival;
            this.deadline = deadline;
            this.requests = requests;
            this.entries = entries;
        }

        TakeRequest requestFor(QueueWaiters entry) {
            return requests.get(entries.indexOf(entry));
        }

        @Override
        public int compareTo(Waiter other) {
            int byDeadline = Long.compare(deadline - other.deadline, 0);
            return byDeadline != 0 ? byDeadline : Long.compare(arrival, other.arrival);
        }
    }

    /** @param taker takes from the storage without waiting, in the right session */
    public Dispatcher(Storage storage, Function<TakeRequest, List<TakenTask>> taker) {
        this.storage = storage;
        this.taker = taker;
        this.loop = new Loop("leat-dispatcher", this::serve);
        this.registration = storage.signal().listen(this::onNotice);
    }

    /**
     * Takes from the first of the queues that has tasks, and waits up to {@code timeout}. The future completes with an empty list after the timeout.
     * With a timeout of zero, a missing queue throws. Cancel the future to stop waiting; its tasks are given back. Code attached to the future
     * can run on the dispatcher's thread, so it must be quick.
     *
     * @param requests in the order of preference; one per queue
     */
    public CompletableFuture<List<TakenTask>> take(List<TakeRequest> requests, Duration timeout) {
        boolean waits = !timeout.isZero() && !timeout.isNegative();
        QueueWaiters[] entriesBefore = new QueueWaiters[requests.size()];
        long[] noticesBefore = new long[requests.size()];
        for (int i = 0; i < noticesBefore.length; i++) {
            QueueWaiters entry = waitersOf(requests.get(i).queue());
            entriesBefore[i] = entry;
            TakeRequest request = requests.get(i);
            long notices = entry.notices.get();
            if (entry.occupied && !timeout.isZero()) {
                // Earlier waiters come first. A take with its own session is still tried, to learn whether the session
                // lives.
                boolean isKnownEmpty = entry.isKnownEmpty(request);
                noticesBefore[i] = isKnownEmpty ? notices : NOT_TRIED;
                if (!isKnownEmpty || request.session().isEmpty()) {
                    continue;
                }
            }
            noticesBefore[i] = notices;
            List<TakenTask> taken = waits ? takeIfThere(request, entry) : takeNow(request, entry);
            if (!taken.isEmpty()) {
                return CompletableFuture.completedFuture(taken);
            }
        }
        if (!waits) {
            return CompletableFuture.completedFuture(List.of());
        }
        return addWaiter(requests, timeout, entriesBefore, noticesBefore).answer;
    }

    /** Takes for a waiter: nothing from a missing queue. */
    private List<TakenTask> takeIfThere(TakeRequest request, QueueWaiters entry) {
        try {
            List<TakenTask> taken = taker.apply(request);
            if (entry.isMissing) { // every take passes here, and a volatile write costs more than a read
                entry.isMissing = false;
            }
            return taken;
        } catch (QueueNotFoundException e) {
            entry.isMissing = true;
            warnMissing(entry.queue);
            return List.of();
        }
    }

    private void warnMissing(String queue) {
        if (warnedMissing.size() >= MOST_MISSING_NAMES) {
            warnedMissing.clear();
        }
        if (warnedMissing.add(queue)) {
            log.warn(
                    "A take waits for queue '{}', which does not exist: is the name right? It gets tasks as soon as a put makes the queue",
                    queue);
        }
    }

    /** Takes without waiting, and leaves no entry for a missing queue. */
    private List<TakenTask> takeNow(TakeRequest request, QueueWaiters entry) {
        try {
            return taker.apply(request);
        } catch (QueueNotFoundException e) {
            synchronized (this) {
                if (entry.waiters.isEmpty() && entry.notices.get() == 0) {
                    waitersByQueue.remove(request.queue(), entry);
                }
            }
            throw e;
        }
    }

    /**
     * Ends a wait whose caller uses the tasks that have come. A running take for this waiter ends first, within a limit. Otherwise its tasks would be
     * given back, and the next take of the caller would get less important tasks meanwhile.
     */
    public synchronized void withdraw(CompletableFuture<List<TakenTask>> answer) {
        long deadline = System.nanoTime() + LONGEST_WITHDRAWAL_NANOS;
        try {
            long left = LONGEST_WITHDRAWAL_NANOS;
            while (left > 0 && beingServed.stream().anyMatch(waiter -> waiter.answer == answer)) {
                wait(left / 1_000_000 + 1);
                left = deadline - System.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        answer.cancel(false);
    }

    private QueueWaiters waitersOf(String queue) {
        QueueWaiters entry = waitersByQueue.get(queue);
        return entry != null ? entry : waitersByQueue.computeIfAbsent(queue, QueueWaiters::new);
    }

    /** @param entriesBefore the entries whose notices {@code noticesBefore} counts */
    private synchronized Waiter addWaiter(
            List<TakeRequest> requests, Duration timeout, QueueWaiters[] entriesBefore, long[] noticesBefore) {
        if (closed) {
            throw new ClosedException("This Leat");
        }
        List<QueueWaiters> entries =
                requests.stream().map(request -> waitersOf(request.queue())).toList();
        for (int i = 0; i < noticesBefore.length; i++) {
            if (entries.get(i) != entriesBefore[i]) {
                noticesBefore[i] = NOT_TRIED; // the entry of a missing queue was removed with its count
            }
        }
        Waiter waiter = new Waiter(arrivals++, Deadlines.after(timeout), requests, entries);
        waiter.wasTriedFor = Arrays.stream(noticesBefore).noneMatch(notices -> notices == NOT_TRIED);
        deadlines.add(waiter);
        var unused = waiter.answer.whenComplete((tasks, error) -> leave(waiter));
        for (int i = 0; i < noticesBefore.length; i++) {
            QueueWaiters entry = entries.get(i);
            entry.isMixed = !entry.waiters.isEmpty()
                    && (entry.isMixed || !firstRequestOf(entry).wantsSameTasks(requests.get(i)));
            entry.waiters.add(waiter);
            entry.occupied = true;
            // A notice has come since the take, or there was no take because of earlier waiters, which may have
            // left by now. In both cases a take is needed.
            if (entry.notices.get() != noticesBefore[i]) {
                dirty.add(entry);
            }
        }
        startLoop();
        boolean isUrgent = waiter.deadline - System.nanoTime()
                < storage.signal().missInterval().toNanos();
        if (isUrgent || !dirty.isEmpty()) {
            loop.wake(); // a later deadline is seen at the next check
        }
        return waiter;
    }

    private static TakeRequest firstRequestOf(QueueWaiters entry) {
        return entry.waiters.iterator().next().requestFor(entry);
    }

    private synchronized void leave(Waiter waiter) {
        deadlines.remove(waiter);
        for (QueueWaiters entry : waiter.entries) {
            entry.waiters.remove(waiter);
            entry.occupied = !entry.waiters.isEmpty();
            if (entry.isMissing && !entry.occupied) {
                waitersByQueue.remove(
                        entry.queue,
                        entry); // callers can wait for any name, so entries of missing queues must not pile up
            }
        }
    }

    /** The number of waiting takes by queue. */
    public synchronized Map<String, Integer> waiting() {
        Map<String, Integer> counts = new HashMap<>();
        waitersByQueue.forEach((queue, entry) -> {
            if (!entry.waiters.isEmpty()) {
                counts.put(queue, entry.waiters.size());
            }
        });
        return counts;
    }

    /** The number of notices for the queue. */
    public long notices(String queue) {
        return waitersOf(queue).notices.get();
    }

    /** Waits until {@link #notices} is no longer {@code seen}, for at most {@code nanos}. */
    public void awaitNotice(String queue, long seen, long nanos) throws InterruptedException {
        QueueWaiters entry = waitersOf(queue);
        long deadline = System.nanoTime()
                + Math.min(nanos, storage.signal().missInterval().toNanos());
        synchronized (entry.notices) {
            long left = deadline - System.nanoTime();
            while (entry.notices.get() == seen && left > 0) {
                entry.notices.wait(left / 1_000_000 + 1);
                left = deadline - System.nanoTime();
            }
        }
    }

    private void onNotice(Notice notice) {
        if (!(notice instanceof Notice.Ready ready)) {
            return;
        }
        QueueWaiters entry = waitersByQueue.get(ready.queue());
        if (entry == null) {
            return;
        }
        entry.notices.incrementAndGet();
        synchronized (entry.notices) {
            entry.notices.notifyAll();
        }
        if (entry.occupied) {
            synchronized (this) {
                dirty.add(entry);
            }
            loop.wake();
        }
    }

    private Duration serve() {
        answerOverdue();
        retryGiveBacks();
        checkAfterMissInterval();
        for (QueueWaiters entry = pollDirty(); entry != null; entry = pollDirty()) {
            try {
                serve(entry, copyOfWaiters(entry));
            } catch (RuntimeException e) {
                synchronized (this) {
                    dirty.add(entry);
                }
                throw e;
            }
        }
        return untilNextDeadline();
    }

    /** Takes for all queues with waiters once per miss interval, because a notice may have been lost. */
    private void checkAfterMissInterval() {
        long now = System.nanoTime();
        if (now - lastCheck < storage.signal().missInterval().toNanos()) {
            return;
        }
        lastCheck = now;
        for (QueueWaiters entry : waitersByQueue.values()) {
            if (entry.occupied && !isEmptyForAll(entry)) {
                synchronized (this) {
                    dirty.add(entry);
                }
            }
        }
    }

    /** Finds a queue empty with one take for the first waiter, if all waiters want the same tasks. */
    private boolean isEmptyForAll(QueueWaiters entry) {
        Waiter first;
        synchronized (this) {
            first = entry.isMixed || entry.waiters.isEmpty()
                    ? null
                    : entry.waiters.iterator().next();
        }
        if (first == null) {
            return false;
        }
        Set<Waiter> alone = new LinkedHashSet<>();
        alone.add(first);
        serve(entry, alone);
        return entry.isKnownEmpty(first.requestFor(entry));
    }

    private synchronized @Nullable QueueWaiters pollDirty() {
        var first = dirty.iterator();
        if (!first.hasNext()) {
            return null;
        }
        QueueWaiters entry = first.next();
        first.remove();
        return entry;
    }

    /**
     * Takes for the waiters of the queue until the queue gives no more tasks. Waiters whose requests differ only in the count share one take. An empty
     * take is not repeated for waiters that want the same tasks.
     *
     * @param unserved the waiters to serve; empty afterwards
     */
    private void serve(QueueWaiters entry, Set<Waiter> unserved) {
        while (!unserved.isEmpty()) {
            List<Waiter> alike = beginServing(unserved, entry);
            if (alike.isEmpty()) {
                return;
            }
            int wanted = alike.stream()
                    .mapToInt(waiter -> atMostOneTake(waiter.requestFor(entry)))
                    .sum();
            TakeRequest request = alike.get(0).requestFor(entry).count(wanted);
            long notices = entry.notices.get();
            try {
                List<TakenTask> taken = takeIfThere(request, entry);
                handOut(taken, alike, entry);
                entry.lastEmptyTake = taken.isEmpty() ? new EmptyTake(request, notices) : null;
                if (taken.isEmpty()) {
                    unserved.removeIf(waiter ->
                            waiter.wasTriedFor && waiter.requestFor(entry).wantsSameTasks(request));
                }
            } catch (StorageException e) {
                throw e;
            } catch (RuntimeException e) {
                alike.forEach(waiter -> waiter.answer.completeExceptionally(e));
            } finally {
                endServing();
            }
        }
    }

    /** Chooses the waiters of one take: the first one that still waits, and all whose requests differ only in the count. */
    private synchronized List<Waiter> beginServing(Set<Waiter> unserved, QueueWaiters entry) {
        unserved.removeIf(waiter -> waiter.answer.isDone());
        List<Waiter> alike = new ArrayList<>();
        int wanted = 0;
        for (Waiter waiter : unserved) {
            TakeRequest own = waiter.requestFor(entry);
            boolean isAlike =
                    alike.isEmpty() || own.differsOnlyInCount(alike.get(0).requestFor(entry));
            if (isAlike && wanted < MAX_TAKE) {
                alike.add(waiter);
                wanted += atMostOneTake(own);
            }
        }
        for (Waiter waiter : alike) {
            waiter.wasTriedFor = true;
            unserved.remove(waiter);
        }
        beingServed = alike;
        return alike;
    }

    private synchronized void endServing() {
        beingServed = List.of();
        notifyAll();
    }

    private static int atMostOneTake(TakeRequest request) {
        return Math.min(request.count(), MAX_TAKE);
    }

    private void handOut(List<TakenTask> tasks, List<Waiter> waiters, QueueWaiters entry) {
        int next = 0;
        for (Waiter waiter : waiters) {
            if (next == tasks.size()) {
                return;
            }
            int end = Math.min(tasks.size(), next + atMostOneTake(waiter.requestFor(entry)));
            if (waiter.answer.complete(List.copyOf(tasks.subList(next, end)))) {
                next = end;
            }
        }
        if (next < tasks.size()) {
            giveBack(tasks.subList(next, tasks.size()));
        }
    }

    private synchronized Set<Waiter> copyOfWaiters(QueueWaiters entry) {
        return new LinkedHashSet<>(entry.waiters);
    }

    /** Gives unstarted tasks back; repeats this until the storage accepts it. */
    public void giveBack(List<TakenTask> tasks) {
        synchronized (this) {
            tasks.forEach(task -> toGiveBack.add(Settle.giveBack(task.lease())));
            startLoop();
        }
        loop.wake();
    }

    private void retryGiveBacks() {
        List<Settle> batch;
        synchronized (this) {
            batch = List.copyOf(toGiveBack);
        }
        if (!batch.isEmpty()) {
            log.debug("giving back {} tasks whose waiters have left", batch.size());
            storage.settle(batch);
            synchronized (this) {
                toGiveBack.subList(0, batch.size()).clear();
            }
        }
    }

    private void startLoop() {
        if (!started) {
            started = true;
            loop.start();
        }
    }

    private void answerOverdue() {
        List<Waiter> overdue = new ArrayList<>();
        synchronized (this) {
            long now = System.nanoTime();
            for (Waiter waiter : deadlines) {
                if (waiter.deadline - now > 0) {
                    break;
                }
                overdue.add(waiter);
            }
        }
        overdue.forEach(waiter -> waiter.answer.complete(List.of()));
    }

    /** The time until the next deadline, at most the miss interval. */
    private synchronized Duration untilNextDeadline() {
        Duration untilCheck = storage.signal().missInterval();
        var first = deadlines.iterator();
        if (!first.hasNext()) {
            return untilCheck;
        }
        Duration untilFirst = Loop.ofNanos(first.next().deadline - System.nanoTime());
        return untilFirst.compareTo(untilCheck) < 0 ? untilFirst : untilCheck;
    }

    /** Ends all waits with an empty list. */
    @Override
    public void close() {
        registration.close();
        List<Waiter> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(deadlines);
        }
        left.forEach(waiter -> waiter.answer.complete(List.of()));
        for (QueueWaiters entry : waitersByQueue.values()) {
            synchronized (entry.notices) {
                entry.notices.notifyAll();
            }
        }
        loop.close();
    }
}
