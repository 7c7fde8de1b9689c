package dev.leat.internal.waiting;

import dev.leat.Lease;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.error.ClosedException;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the session of one Leat alive. The session is opened when the first lease is wanted; its heartbeat holds all of
 * them. When the session was ended from outside, the next one who needs it gets a new one.
 */
public final class Heartbeat implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    /** Whoever runs tasks under the session. Called on the heartbeat's thread: be quick. */
    public interface Listener {
        /** Somebody wants these running tasks to stop. */
        void cancelRequested(List<Lease> leases);

        /** No heartbeat has succeeded for so long that the leases may be lost: start nothing, stop what runs. */
        void outage();

        /** The storage is back; what ran before the outage may or may not be held still. */
        void recovered();

        /** The session was ended from outside: nothing that was taken before is held any more. */
        void leasesLost();
    }

    private final Storage storage;
    private final SessionSpec spec;
    private final Duration interval;
    private final Contact contact;
    private final Supplier<Map<String, Integer>> waiting;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Loop loop;
    private final Registration registration;
    /** Written under the lock; read without it, since notices must not wait for a session that is being opened. */
    private volatile @Nullable String session;

    private volatile long lastSuccess = System.nanoTime();
    /** Held while the listeners are told, so that they hear of the end of an outage after its beginning. */
    private final Object outageLock = new Object();

    private boolean outage;
    private boolean started;
    private boolean closed;

    /** @param waiting how many takes wait for each queue, for others to see */
    public Heartbeat(
            Storage storage,
            SessionSpec spec,
            Duration interval,
            Contact contact,
            Supplier<Map<String, Integer>> waiting) {
        this.storage = storage;
        this.spec = spec;
        this.interval = interval;
        this.contact = contact;
        this.waiting = waiting;
        this.loop = new Loop("leat-heartbeat", this::beat);
        this.registration = storage.signal().listen(this::hear);
    }

    public void listen(Listener listener) {
        listeners.add(listener);
    }

    public void unlisten(Listener listener) {
        listeners.remove(listener);
    }

    /** The live session's id; opens one where there is none. */
    public synchronized String session() {
        if (closed) {
            throw new ClosedException("This Leat");
        }
        if (session == null) {
            long asked = System.nanoTime();
            session = storage.sessions().open(spec);
            lastSuccess = asked;
            if (!started) {
                started = true;
                loop.start();
            }
        }
        return session;
    }

    /** Somebody was told that {@code ended} is no more. */
    public void ended(String ended) {
        synchronized (this) {
            if (!ended.equals(session)) {
                return;
            }
            session = null;
        }
        log.warn("Session {} was ended from outside, after a silence of this process; its leases are lost", ended);
        listeners.forEach(Listener::leasesLost);
    }

    private @Nullable String current() {
        return session;
    }

    private void hear(Notice notice) {
        if (notice instanceof Notice.SessionNews news && news.session().equals(current())) {
            loop.wake();
        }
    }

    /** Tells the storage at once how many takes wait. */
    public void beatNow() {
        String id = current();
        if (id != null) {
            storage.sessions().heartbeat(id, waiting.get());
        }
    }

    private Duration beat() {
        String id = current();
        if (id == null) {
            endOutage(); // it has no leases to fear for, and whoever wants new ones finds out by himself
            return interval;
        }
        HeartbeatReply reply;
        try {
            reply = storage.sessions().heartbeat(id, waiting.get());
        } catch (RuntimeException e) {
            contact.failed();
            watch();
            throw e;
        }
        if (reply.written()) {
            contact.seen();
        }
        lastSuccess = System.nanoTime();
        if (!reply.alive()) {
            ended(id);
        }
        endOutage();
        if (!reply.cancelRequested().isEmpty()) {
            listeners.forEach(listener -> listener.cancelRequested(reply.cancelRequested()));
        }
        return interval;
    }

    /**
     * Tells the listeners when no heartbeat has succeeded for too long, be it that they fail or that one hangs. The leases
     * hold for {@code deadAfter}; whoever uses them stops after two thirds of that. Called after each failure, and from
     * time to time by whoever runs tasks.
     */
    public void watch() {
        synchronized (outageLock) {
            Duration silent = Loop.ofNanos(System.nanoTime() - lastSuccess);
            boolean tooLong = silent.multipliedBy(3).compareTo(spec.deadAfter().multipliedBy(2)) >= 0;
            if (current() == null || outage || !tooLong) {
                return;
            }
            outage = true;
            log.warn(
                    "No heartbeat has reached the storage for {} s; running tasks are interrupted", silent.toSeconds());
            listeners.forEach(Listener::outage);
        }
    }

    private void endOutage() {
        synchronized (outageLock) {
            if (outage) {
                outage = false;
                listeners.forEach(Listener::recovered);
            }
        }
    }

    /** How often to {@link #watch}. */
    public Duration watchEvery() {
        return spec.deadAfter().dividedBy(10);
    }

    /** Ends the session; what it still holds goes back to its queues. */
    @Override
    public void close() {
        registration.close();
        String id;
        synchronized (this) {
            closed = true;
            id = session;
            session = null;
        }
        loop.close();
        if (id != null) {
            try {
                storage.sessions().close(id);
            } catch (RuntimeException e) {
                log.warn("Session {} could not be closed; it ends by itself after {}", id, spec.deadAfter(), e);
            }
        }
    }
}
