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
 * Serves takes that wait. One thread per Leat does it for all queues and all waiters: it sleeps until a queue is said to
 * have something, takes for everybody who waits there in one call, and hands out in the order they came.
 *
 * <p>A waiter is completed at most once. Tasks that were taken for somebody who has gone meanwhile go to the next in
 * line, and with nobody left, back to the storage as if they had never been taken.
 *
 * <p>To those who wait, a queue that does not exist is like an empty one: they get tasks once somebody makes it. The name may be misspelled, so
 * the log says so once. A queue that is dropped while takes wait for it is treated alike.
 *
 * <p>No wake-up is lost between a take that found nothing and the waiter it becomes: each line counts the notices of its
 * queue, and a waiter that sees the count changed asks to be served at once.
 */
public final class Dispatcher implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);
    /** The most tasks one call takes for all who wait. */
    private static final int MAX_TAKE = 1_000;
    /** How long a withdrawal waits for a take at most; what comes later is given back. */
    private static final long LONGEST_WITHDRAWAL_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** Stands for a count of notices where nobody looked into the queue. */
    private static final long NOT_LOOKED = -1;
    /** How many names of missing queues are remembered: callers of a server choose them, and may choose any number. */
    private static final int MOST_MISSING_NAMES = 1_000;

    private final Storage storage;
    private final Function<TakeRequest, List<TakenTask>> taker;
    private final Loop loop;
    private final Registration registration;
    private final Map<String, Line> lines = new ConcurrentHashMap<>();
    /** Queues that the log has called missing. */
    private final Set<String> toldMissing = ConcurrentHashMap.newKeySet();

    private final Set<Waiter> deadlines = new TreeSet<>();
    private final Set<Line> dirty = new LinkedHashSet<>();
    private final List<Settle> toGiveBack = new ArrayList<>();
    /** Those whom tasks are being taken for just now. */
    private List<Waiter> beingServed = List.of();

    private long arrivals;
    private long lastLook = System.nanoTime();
    private boolean started;
    private volatile boolean closed;

    /** Those who wait for one queue, in the order they came. Guarded by the dispatcher, but for what can be read at any moment. */
    private static final class Line {
        final String queue;
        final Set<Waiter> waiters = new LinkedHashSet<>();
        final AtomicLong notices = new AtomicLong();
        volatile boolean occupied;
        volatile @Nullable Look lastInVain;
        /** Whether the queue did not exist at the last look. */
        volatile boolean isMissing;
        /** Whether not all who wait look for the same. */
        boolean isMixed;

        Line(String queue) {
            this.queue = queue;
        }

        /** Whether the last look found nothing for the like of this request, and nothing was heard since. */
        boolean isKnownEmpty(TakeRequest request) {
            Look look = lastInVain;
            return look != null && look.notices == notices.get() && look.request.wantsSameTasks(request);
        }
    }

    /**
     * A look into a queue.
     *
     * @param notices how many there had been before
     */
    private record Look(TakeRequest request, long notices) {}

    /** One take that waits, in the line of each queue it accepts tasks from. */
    private static final class Waiter implements Comparable<Waiter> {
        final long arrival;
        final long deadline;
        final List<TakeRequest> requests;
        /** Where it stands with each request. */
        final List<Line> lines;

        final CompletableFuture<List<TakenTask>> answer = new CompletableFuture<>();
        /** Whether a look was its own: what others do not find says nothing about a session that has ended. */
        boolean wasLookedFor;

        Waiter(long arrival, long deadline, List<TakeRequest> requests, List<Line> lines) {
            this.arrival = arrival;
            this.deadline = deadline;
            this.requests = requests;
            this.lines = lines;
        }

        TakeRequest requestFor(Line line) {
            return requests.get(lines.indexOf(line));
        }

        @Override
        public int compareTo(Waiter other) {
            int byDeadline = Long.compare(deadline - other.deadline, 0);
            return byDeadline != 0 ? byDeadline : Long.compare(arrival, other.arrival);
        }
    }

    /** @param taker takes at once from the storage, in the right session */
    public Dispatcher(Storage storage, Function<TakeRequest, List<TakenTask>> taker) {
        this.storage = storage;
        this.taker = taker;
        this.loop = new Loop("leat-dispatcher", this::serve);
        this.registration = storage.signal().listen(this::hear);
    }

    /**
     * Takes from the first of the queues that has something, waiting up to {@code timeout}. The answer is empty when the
     * time is over. With no time to wait, a queue that does not exist is an error. Canceling the answer ends the waiting;
     * nothing is lost by it. What is attached to the answer may run on the dispatcher's thread, so it must be quick.
     *
     * @param requests in the order of preference; one per queue
     */
    public CompletableFuture<List<TakenTask>> take(List<TakeRequest> requests, Duration timeout) {
        boolean waits = !timeout.isZero() && !timeout.isNegative();
        Line[] looked = new Line[requests.size()];
        long[] noticesBefore = new long[requests.size()];
        for (int i = 0; i < noticesBefore.length; i++) {
            Line line = line(requests.get(i).queue());
            looked[i] = line;
            TakeRequest request = requests.get(i);
            long notices = line.notices.get();
            if (line.occupied && !timeout.isZero()) {
                // Others came first. One with a session has to know whether that lives, and takes nobody's task by it.
                boolean isKnownEmpty = line.isKnownEmpty(request);
                noticesBefore[i] = isKnownEmpty ? notices : NOT_LOOKED;
                if (!isKnownEmpty || request.session().isEmpty()) {
                    continue;
                }
            }
            noticesBefore[i] = notices;
            List<TakenTask> taken = waits ? takeIfThere(request, line) : takeNow(request, line);
            if (!taken.isEmpty()) {
                return CompletableFuture.completedFuture(taken);
            }
        }
        if (!waits) {
            return CompletableFuture.completedFuture(List.of());
        }
        return enqueue(requests, timeout, looked, noticesBefore).answer;
    }

    /** For those who wait: nothing, where there is no queue yet. */
    private List<TakenTask> takeIfThere(TakeRequest request, Line line) {
        try {
            List<TakenTask> taken = taker.apply(request);
            if (line.isMissing) { // read first: the write of a volatile field costs more, and each take comes by
                line.isMissing = false;
            }
            return taken;
        } catch (QueueNotFoundException e) {
            line.isMissing = true;
            tellMissing(line.queue);
            return List.of();
        }
    }

    private void tellMissing(String queue) {
        if (toldMissing.size() >= MOST_MISSING_NAMES) {
            toldMissing.clear();
        }
        if (toldMissing.add(queue)) {
            log.warn(
                    "A take waits for queue '{}', which does not exist: is the name right? It gets tasks as soon as a put makes the queue",
                    queue);
        }
    }

    /** A queue that nobody knows leaves no line behind. */
    private List<TakenTask> takeNow(TakeRequest request, Line line) {
        try {
            return taker.apply(request);
        } catch (QueueNotFoundException e) {
            synchronized (this) {
                if (line.waiters.isEmpty() && line.notices.get() == 0) {
                    lines.remove(request.queue(), line);
                }
            }
            throw e;
        }
    }

    /**
     * Ends the waiting of somebody who will use what has come by then. A take that is just being made for him may end
     * first, unless that takes too long: otherwise its tasks would have to be given back, and if he asked again at once,
     * he would be given less important ones meanwhile.
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

    private Line line(String queue) {
        Line line = lines.get(queue);
        return line != null ? line : lines.computeIfAbsent(queue, Line::new);
    }

    /** @param looked the lines that {@code noticesBefore} was read from */
    private synchronized Waiter enqueue(
            List<TakeRequest> requests, Duration timeout, Line[] looked, long[] noticesBefore) {
        if (closed) {
            throw new ClosedException("This Leat");
        }
        List<Line> stands =
                requests.stream().map(request -> line(request.queue())).toList();
        for (int i = 0; i < noticesBefore.length; i++) {
            if (stands.get(i) != looked[i]) {
                noticesBefore[i] = NOT_LOOKED; // the line of a missing queue is gone, and a notice with it
            }
        }
        Waiter waiter = new Waiter(arrivals++, Deadlines.after(timeout), requests, stands);
        waiter.wasLookedFor = Arrays.stream(noticesBefore).noneMatch(notices -> notices == NOT_LOOKED);
        deadlines.add(waiter);
        var unused = waiter.answer.whenComplete((tasks, error) -> leave(waiter));
        for (int i = 0; i < noticesBefore.length; i++) {
            Line line = stands.get(i);
            line.isMixed = !line.waiters.isEmpty()
                    && (line.isMixed || !firstRequestOf(line).wantsSameTasks(requests.get(i)));
            line.waiters.add(waiter);
            line.occupied = true;
            // A notice since our look or the last one in vain, or no look because others stood in line: somebody must
            // look
            // again. Those others may have left meanwhile, so their presence now says nothing.
            if (line.notices.get() != noticesBefore[i]) {
                dirty.add(line);
            }
        }
        startLoop();
        boolean isUrgent = waiter.deadline - System.nanoTime()
                < storage.signal().missInterval().toNanos();
        if (isUrgent || !dirty.isEmpty()) {
            loop.wake(); // otherwise it looks in time by itself
        }
        return waiter;
    }

    private static TakeRequest firstRequestOf(Line line) {
        return line.waiters.iterator().next().requestFor(line);
    }

    private synchronized void leave(Waiter waiter) {
        deadlines.remove(waiter);
        for (Line line : waiter.lines) {
            line.waiters.remove(waiter);
            line.occupied = !line.waiters.isEmpty();
            if (line.isMissing && !line.occupied) {
                lines.remove(line.queue, line); // anybody may wait for any name, and nothing may pile up by it
            }
        }
    }

    /** How many takes wait for each queue. */
    public synchronized Map<String, Integer> waiting() {
        Map<String, Integer> counts = new HashMap<>();
        lines.forEach((queue, line) -> {
            if (!line.waiters.isEmpty()) {
                counts.put(queue, line.waiters.size());
            }
        });
        return counts;
    }

    /** How often the queue was said to have something. */
    public long notices(String queue) {
        return line(queue).notices.get();
    }

    /** Waits until {@link #notices} is no longer {@code seen}, for at most {@code nanos}. */
    public void awaitNotice(String queue, long seen, long nanos) throws InterruptedException {
        Line line = line(queue);
        long deadline = System.nanoTime()
                + Math.min(nanos, storage.signal().missInterval().toNanos());
        synchronized (line.notices) {
            long left = deadline - System.nanoTime();
            while (line.notices.get() == seen && left > 0) {
                line.notices.wait(left / 1_000_000 + 1);
                left = deadline - System.nanoTime();
            }
        }
    }

    private void hear(Notice notice) {
        if (!(notice instanceof Notice.Ready ready)) {
            return;
        }
        Line line = lines.get(ready.queue());
        if (line == null) {
            return;
        }
        line.notices.incrementAndGet();
        synchronized (line.notices) {
            line.notices.notifyAll();
        }
        if (line.occupied) {
            synchronized (this) {
                dirty.add(line);
            }
            loop.wake();
        }
    }

    private Duration serve() {
        answerOverdue();
        retryGiveBacks();
        lookAgainAfterMisses();
        for (Line line = pollDirty(); line != null; line = pollDirty()) {
            try {
                serve(line, waitersOf(line));
            } catch (RuntimeException e) {
                synchronized (this) {
                    dirty.add(line);
                }
                throw e;
            }
        }
        return untilNextDeadline();
    }

    /** A notice may have been lost: now and then every line is looked at, whatever was heard. */
    private void lookAgainAfterMisses() {
        long now = System.nanoTime();
        if (now - lastLook < storage.signal().missInterval().toNanos()) {
            return;
        }
        lastLook = now;
        for (Line line : lines.values()) {
            if (line.occupied && !isEmptyForAll(line)) {
                synchronized (this) {
                    dirty.add(line);
                }
            }
        }
    }

    /** Mostly there is nothing: that is found out by a look for the first, however many others wait for the same. */
    private boolean isEmptyForAll(Line line) {
        Waiter first;
        synchronized (this) {
            first = line.isMixed || line.waiters.isEmpty()
                    ? null
                    : line.waiters.iterator().next();
        }
        if (first == null) {
            return false;
        }
        Set<Waiter> alone = new LinkedHashSet<>();
        alone.add(first);
        serve(line, alone);
        return line.isKnownEmpty(first.requestFor(line));
    }

    private synchronized @Nullable Line pollDirty() {
        var first = dirty.iterator();
        if (!first.hasNext()) {
            return null;
        }
        Line line = first.next();
        first.remove();
        return line;
    }

    /**
     * Takes for those who wait in the line, the ones with like requests together, until the queue gives no more. What is not there for
     * one is not asked for again for the others.
     *
     * @param unserved whom for; emptied
     */
    private void serve(Line line, Set<Waiter> unserved) {
        while (!unserved.isEmpty()) {
            List<Waiter> alike = beginToServe(unserved, line);
            if (alike.isEmpty()) {
                return;
            }
            int wanted = alike.stream()
                    .mapToInt(waiter -> atMostOneTake(waiter.requestFor(line)))
                    .sum();
            TakeRequest request = alike.get(0).requestFor(line).count(wanted);
            long notices = line.notices.get();
            try {
                List<TakenTask> taken = takeIfThere(request, line);
                handOut(taken, alike, line);
                line.lastInVain = taken.isEmpty() ? new Look(request, notices) : null;
                if (taken.isEmpty()) {
                    unserved.removeIf(waiter ->
                            waiter.wasLookedFor && waiter.requestFor(line).wantsSameTasks(request));
                }
            } catch (StorageException e) {
                throw e;
            } catch (RuntimeException e) {
                alike.forEach(waiter -> waiter.answer.completeExceptionally(e));
            } finally {
                endToServe();
            }
        }
    }

    /** Chooses those who are served together: the first who is still there, and whoever wants the like. */
    private synchronized List<Waiter> beginToServe(Set<Waiter> unserved, Line line) {
        unserved.removeIf(waiter -> waiter.answer.isDone());
        List<Waiter> alike = new ArrayList<>();
        int wanted = 0;
        for (Waiter waiter : unserved) {
            TakeRequest own = waiter.requestFor(line);
            boolean isAlike = alike.isEmpty() || own.differsOnlyInCount(alike.get(0).requestFor(line));
            if (isAlike && wanted < MAX_TAKE) {
                alike.add(waiter);
                wanted += atMostOneTake(own);
            }
        }
        for (Waiter waiter : alike) {
            waiter.wasLookedFor = true;
            unserved.remove(waiter);
        }
        beingServed = alike;
        return alike;
    }

    private synchronized void endToServe() {
        beingServed = List.of();
        notifyAll();
    }

    private static int atMostOneTake(TakeRequest request) {
        return Math.min(request.count(), MAX_TAKE);
    }

    private void handOut(List<TakenTask> tasks, List<Waiter> waiters, Line line) {
        int next = 0;
        for (Waiter waiter : waiters) {
            if (next == tasks.size()) {
                return;
            }
            int end = Math.min(tasks.size(), next + atMostOneTake(waiter.requestFor(line)));
            if (waiter.answer.complete(List.copyOf(tasks.subList(next, end)))) {
                next = end;
            }
        }
        if (next < tasks.size()) {
            giveBack(tasks.subList(next, tasks.size()));
        }
    }

    private synchronized Set<Waiter> waitersOf(Line line) {
        return new LinkedHashSet<>(line.waiters);
    }

    /** Returns tasks that nobody has started, as if they had not been taken; when the storage fails now, then later. */
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
            log.debug("giving back {} tasks that nobody waits for any more", batch.size());
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

    /** Not longer than until the next look for what was missed. */
    private synchronized Duration untilNextDeadline() {
        Duration untilLook = storage.signal().missInterval();
        var first = deadlines.iterator();
        if (!first.hasNext()) {
            return untilLook;
        }
        Duration untilFirst = Loop.ofNanos(first.next().deadline - System.nanoTime());
        return untilFirst.compareTo(untilLook) < 0 ? untilFirst : untilLook;
    }

    /** Ends all waiting: whoever waits gets nothing. */
    @Override
    public void close() {
        registration.close();
        List<Waiter> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(deadlines);
        }
        left.forEach(waiter -> waiter.answer.complete(List.of()));
        for (Line line : lines.values()) {
            synchronized (line.notices) {
                line.notices.notifyAll();
            }
        }
        loop.close();
    }
}
