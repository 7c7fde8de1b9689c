package dev.leat.internal.leading;

import dev.leat.Leadership;
import dev.leat.error.LeatException;
import dev.leat.internal.waiting.Loop;
import dev.leat.storage.Lock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries to get the lock of the leader, and works while it holds the lock.
 *
 * <p>Two threads per candidate: {@code leat-leader} acquires and renews the lock, and may block on the storage; {@code leat-leader-watch} ends a
 * term that was not renewed in time. Each piece of work has a thread of its own. A new term begins only after all work of the last one has ended,
 * so this process never does the same work twice at once.
 */
final class Candidate implements Leadership {
    private static final Logger log = LoggerFactory.getLogger(Candidate.class);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofHours(1);

    private final String name;
    private final Lock lock;
    private final Duration lease;
    private final List<Assignment> assignments;
    private final Loop keeper;
    private final Loop watch;
    /** Set by the keeper only, and by close() after the keeper has stopped. */
    private volatile @Nullable ActiveTerm term;
    /** After a step-down, other processes come first until this {@link System#nanoTime}. */
    private volatile long restUntil = System.nanoTime();

    private volatile boolean closed;

    Candidate(String name, Lock lock, Duration lease, List<Assignment> assignments) {
        this.name = name;
        this.lock = lock;
        this.lease = lease;
        this.assignments = assignments;
        this.keeper = new Loop("leat-leader " + name, this::keep);
        this.watch = new Loop("leat-leader-watch " + name, this::watch);
    }

    void start() {
        keeper.start();
        watch.start();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isLeading() {
        ActiveTerm current = term;
        return current != null && !current.isOver();
    }

    @Override
    public void stepDown() {
        ActiveTerm current = term;
        if (current != null) {
            stepDown(current);
        }
    }

    private void stepDown(ActiveTerm current) {
        restUntil = System.nanoTime() + lease.toNanos();
        end(current, "stepped down");
    }

    // The lock

    private Duration keep() {
        ActiveTerm current = term;
        if (current == null) {
            return apply();
        }
        if (!current.isOver()) {
            return renew(current);
        }
        end(current, "could not be renewed in time");
        if (current.isWorkRunning()) {
            return LONG; // the last work to end wakes the keeper
        }
        release(current);
        term = null;
        return Duration.ZERO;
    }

    private Duration apply() {
        Duration rest = Duration.ofNanos(restUntil - System.nanoTime());
        if (!rest.isNegative()) {
            return rest;
        }
        long asked = System.nanoTime();
        Optional<Lock.Held> held = lock.tryAcquire("leader " + name, lease);
        if (held.isEmpty()) {
            return lease.dividedBy(4);
        }
        ActiveTerm begun = new ActiveTerm(held.get(), asked + lease.toNanos());
        if (closed || begun.isOver()) {
            release(begun);
            return lease.dividedBy(4);
        }
        term = begun;
        log.info("This process leads '{}'", name);
        watch.wake();
        assignments.forEach(assignment -> begun.work(thread(assignment, begun)));
        return lease.dividedBy(3);
    }

    private Duration renew(ActiveTerm current) {
        long asked = System.nanoTime();
        if (!current.held.renew()) {
            end(current, "was lost to another");
            return Duration.ZERO;
        }
        return current.extend(asked + lease.toNanos()) ? lease.dividedBy(3) : Duration.ZERO;
    }

    private static void release(ActiveTerm ended) {
        try {
            ended.held.close();
        } catch (LeatException e) {
            log.debug("A lock ends with its lease", e);
        }
    }

    /** Ends a term in time even while the keeper waits for the storage. */
    private Duration watch() {
        ActiveTerm current = term;
        if (current == null) {
            return LONG;
        }
        if (current.isOver()) {
            end(current, "could not be renewed in time");
            return LONG;
        }
        return current.left();
    }

    private void end(ActiveTerm current, String why) {
        if (current.end()) {
            log.info("This process does not lead '{}' any more: its term {}", name, why);
            keeper.wake();
        }
    }

    // The work

    private Thread thread(Assignment assignment, ActiveTerm current) {
        Thread thread = new Thread(
                () -> {
                    try {
                        if (assignment instanceof Assignment.Repeated repeated) {
                            workRepeatedly(repeated, current);
                        } else {
                            workOnce(assignment, current);
                        }
                    } finally {
                        current.workEnded();
                        keeper.wake(); // the keeper may wait for the last work
                    }
                },
                "leat-leader-work " + name);
        thread.setDaemon(true);
        return thread;
    }

    private void workOnce(Assignment assignment, ActiveTerm current) {
        try {
            assignment.work().run(current);
        } catch (Throwable e) {
            if (current.isOver()) {
                log.debug("The work of leader '{}' ended with its term", name, e);
            } else {
                log.warn("The work of leader '{}' failed; this process steps down", name, e);
                stepDown(current);
            }
        }
    }

    private void workRepeatedly(Assignment.Repeated repeated, ActiveTerm current) {
        int errorsInARow = 0;
        while (!current.isOver()) {
            try {
                repeated.work().run(current);
                errorsInARow = 0;
            } catch (Throwable e) {
                errorsInARow++;
                if (!current.isOver() && errorsInARow == 1) {
                    log.warn("The work of leader '{}' failed, and is done again every {}", name, repeated.pause(), e);
                }
            }
            try {
                current.rest(repeated.pause());
            } catch (InterruptedException e) {
                log.debug("The work of leader '{}' was interrupted", name);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        watch.close();
        keeper.close();
        ActiveTerm current = term;
        if (current != null) {
            end(current, "ended with its Leat");
            current.awaitWork(STOP_TIMEOUT);
            release(current);
            term = null;
        }
    }
}
