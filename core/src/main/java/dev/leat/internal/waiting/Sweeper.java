package dev.leat.internal.waiting;

import dev.leat.Registration;
import dev.leat.internal.Events;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.util.Optional;

/**
 * Does what time demands, at the moment it demands it: sleeps until the next due task, expiry, time limit or silent
 * session, and is woken when an earlier one appears.
 */
public final class Sweeper implements AutoCloseable {
    /** One round changes at most this many tasks, so that it stays short. */
    private static final int BLOCK = 1_000;

    private final Storage storage;
    private final Events events;
    private final Contact contact;
    private final Duration deadAfter;
    private final Duration atLeastEvery;
    private final Loop loop;
    private final Registration registration;

    public Sweeper(Storage storage, Events events, Contact contact, Duration deadAfter, Duration heartbeat) {
        this.storage = storage;
        this.events = events;
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
        boolean mayEnd = contact.unbrokenFor(deadAfter);
        Sweep.Sessions sessions = mayEnd ? Sweep.Sessions.END_SILENT : Sweep.Sessions.SPARE;
        Sweep.Result result;
        try {
            result = storage.sweep(new Sweep(sessions, BLOCK));
        } catch (RuntimeException e) {
            contact.failed();
            throw e;
        }
        contact.seen();
        events.tell(result.events());
        Optional<Duration> next = result.nextIn();
        return next.isPresent() && next.get().compareTo(atLeastEvery) < 0 ? next.get() : atLeastEvery;
    }

    @Override
    public void close() {
        registration.close();
        loop.close();
    }
}
