package dev.leat.internal.memory;

import dev.leat.storage.Reasons;
import dev.leat.storage.SessionLife;
import dev.leat.Lease;
import dev.leat.SessionSpec;
import dev.leat.TaskEvent;
import dev.leat.error.SessionEndedException;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Notice;
import dev.leat.storage.SessionStorage;
import dev.leat.storage.Sweep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The sessions of the memory storage. */
final class MemorySessionStorage implements SessionStorage {
    private final UnderLock lock;
    private final EntryLifecycle lifecycle;
    private final PendingNotices notices;
    private final Map<String, MemorySession> sessions = new HashMap<>();

    MemorySessionStorage(UnderLock lock, EntryLifecycle lifecycle, PendingNotices notices) {
        this.lock = lock;
        this.lifecycle = lifecycle;
        this.notices = notices;
    }

    @Override
    public String open(SessionSpec spec) {
        return lock.call(now -> {
            String id = SessionLife.newId(spec);
            sessions.put(id, new MemorySession(id, spec, now));
            notices.add(Notice.TimerMoved.INSTANCE);
            return id;
        });
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        return lock.call(now -> {
            MemorySession s = sessions.get(session);
            if (s == null) {
                return new HeartbeatReply(false, List.of());
            }
            s.life = s.life.heartbeat(now);
            s.waiting = Map.copyOf(waiting);
            return new HeartbeatReply(true, leases(s, e -> e.cancelRequested));
        });
    }

    @Override
    public List<Lease> leases(String session) {
        return lock.call(now -> {
            MemorySession s = sessions.get(session);
            return s == null ? List.<Lease>of() : leases(s, e -> true);
        });
    }

    private static List<Lease> leases(MemorySession session, Predicate<Entry> which) {
        List<Lease> leases = new ArrayList<>();
        for (Entry e = session.held.head; e != null; e = e.next) {
            if (which.test(e)) {
                leases.add(Lease.of(e.id, e.nonce));
            }
        }
        return leases;
    }

    @Override
    public void disconnect(String session) {
        lock.call(now -> {
            MemorySession s = sessions.get(session);
            if (s != null && s.spec.grace().isZero()) {
                endSession(s, Reasons.SESSION_DISCONNECTED, now).forEach(notices::addEvent);
            } else if (s != null && s.life.disconnected().isEmpty()) {
                s.life = s.life.disconnect(now);
                s.waiting = Map.of();
                notices.add(Notice.TimerMoved.INSTANCE);
            }
            return session;
        });
    }

    @Override
    public List<TaskEvent> close(String session) {
        return lock.call(now -> {
            MemorySession s = sessions.get(session);
            return s == null ? List.<TaskEvent>of() : endSession(s, Reasons.SESSION_CLOSED, now);
        });
    }

    private List<TaskEvent> endSession(MemorySession session, String why, Instant now) {
        sessions.remove(session.id);
        List<TaskEvent> events = new ArrayList<>();
        for (Entry e = session.held.head; e != null; e = session.held.head) {
            lifecycle.lose(e, why, now);
            events.add(PendingNotices.event(TaskEvent.Kind.LOST, e));
        }
        return events;
    }

    /** The session, or {@link SessionEndedException}. */
    MemorySession find(String session) {
        MemorySession found = sessions.get(session);
        if (found == null) {
            throw new SessionEndedException(session);
        }
        return found;
    }

    /** How many takes wait for the queue. */
    int consumers(String queue) {
        return sessions.values().stream()
                .mapToInt(s -> s.waiting.getOrDefault(queue, 0))
                .sum();
    }

    /** Ends the sessions whose time is over: silent sessions only if {@code silent} allows it. */
    void endOver(Sweep.Sessions silent, Instant now) {
        for (MemorySession session : List.copyOf(sessions.values())) {
            session.life = session.life.withoutFuture(now);
            if (session.life.mayEnd(silent) && !session.life.endsAt().isAfter(now)) {
                endSession(session, Reasons.SESSION_SILENT, now).forEach(notices::addEvent);
            }
        }
    }

    /** When the next session ends; null for never. Leaves out silent sessions that {@code silent} spares. */
    @Nullable
    Instant nextEnd(Sweep.Sessions silent) {
        return sessions.values().stream()
                .filter(session -> session.life.mayEnd(silent))
                .map(session -> session.life.endsAt())
                .min(Comparator.naturalOrder())
                .orElse(null);
    }
}
