package dev.leat.internal.waiting;

import dev.leat.Housekeeping;
import dev.leat.Registration;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.internal.InWords;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what time demands, at the moment it demands it: sleeps until the next due task, run of a schedule, expiry, time limit or silent
 * session, and is woken when an earlier one appears. Anybody else may ask for a round too; rounds are done one at a time.
 */
public final class Sweeper implements AutoCloseable {
    /** That of all other failures, so that users set one level. */
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    /** One round changes at most this many tasks, so that it stays short. */
    private static final int BLOCK = 1_000;
    /** There is always more to do where much goes on: at some time somebody who has asked for it gets his answer. */
    private static final int MOST_BLOCKS = 10_000;

    private final Storage storage;
    private final Contact contact;
    private final Duration deadAfter;
    private final Duration atLeastEvery;
    private final Loop loop;
    private final Registration registration;
    private final ReentrantLock round = new ReentrantLock();
    private Housekeeping done = Housekeeping.nothing();

    public Sweeper(Storage storage, Contact contact, Duration deadAfter, Duration heartbeat) {
        this.storage = storage;
        this.contact = contact;
        this.deadAfter = deadAfter;
        this.atLeastEvery = heartbeat.dividedBy(2);
        this.loop = new Loop("leat-sweeper", this::sweep);
        this.registration = storage.signal().listen(this::hear);
        loop.start();
    }

    private void hear(Notice notice) {
        if (notice instanceof Notice.TimerMoved) {
            loop.wake();
        }
    }

    private Duration sweep() {
        Optional<Duration> next = sweep(Sweep.Purge.WHEN_DUE);
        return next.isPresent() && next.get().compareTo(atLeastEvery) < 0 ? next.get() : atLeastEvery;
    }

    /** Does all that there is to do now; answers what was done since the last time. */
    public Housekeeping housekeep() {
        round.lock();
        try {
            Optional<Duration> next = sweep(Sweep.Purge.NOW);
            for (int block = 1;
                    block < MOST_BLOCKS && next.filter(Duration.ZERO::equals).isPresent();
                    block++) {
                next = sweep(Sweep.Purge.WHEN_DUE);
            }
            Housekeeping all = done;
            done = Housekeeping.nothing();
            return all;
        } finally {
            round.unlock();
        }
    }

    private Optional<Duration> sweep(Sweep.Purge purge) {
        round.lock();
        try {
            boolean mayEnd = contact.unbrokenFor(deadAfter);
            Sweep.Sessions sessions = mayEnd ? Sweep.Sessions.END_SILENT : Sweep.Sessions.SPARE;
            Sweep.Result result = storage.sweep(new Sweep(sessions, BLOCK, purge));
            contact.seen();
            done = done.plus(new Housekeeping(
                    count(result, TaskEvent.Kind.DUE),
                    count(result, TaskEvent.Kind.LOST),
                    count(result, TaskEvent.Kind.EXPIRE),
                    result.purged()));
            logGivenUp(result.events());
            return result.nextIn();
        } catch (RuntimeException e) {
            contact.failed();
            throw e;
        } finally {
            round.unlock();
        }
    }

    /** A worker that died has logged nothing. One line per queue, since a dead host may have held many tasks. */
    private static void logGivenUp(List<TaskEvent> events) {
        Map<String, List<TaskEvent>> byQueue = events.stream()
                .filter(event -> event.kind() == TaskEvent.Kind.LOST)
                .filter(event -> event.state() == TaskState.BURIED || event.state() == TaskState.FAILED)
                .collect(Collectors.groupingBy(TaskEvent::queue));
        byQueue.forEach((queue, givenUp) -> log.error(
                "Task {} of queue '{}' has lost its lease once too often, to workers that died or to its time limit, and {}{}",
                givenUp.get(0).taskId(),
                queue,
                givenUp.get(0).state() == TaskState.BURIED ? "is buried" : "has ended as failed",
                givenUp.size() == 1 ? "" : ". The same happened to " + InWords.count(givenUp.size() - 1, "more task")));
    }

    private static long count(Sweep.Result result, TaskEvent.Kind kind) {
        return result.events().stream().filter(event -> event.kind() == kind).count();
    }

    @Override
    public void close() {
        registration.close();
        loop.close();
    }
}
