package dev.leat.sql.internal.operation;

import dev.leat.Lease;
import dev.leat.SessionSpec;
import dev.leat.TaskEvent;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.FlatJson;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Notice;
import dev.leat.storage.Sweep;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sessions, within one unit of work: their heartbeats hold their leases. */
public final class SessionRows {
    private static final SecureRandom RANDOM = new SecureRandom();

    private record Session(String id, long deadAfter, long grace, long heard, long disconnected) {
        static Session read(ResultSet row) throws SQLException {
            return new Session(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
        }

        /** When the session ends unless it is heard of before. */
        long endsAt() {
            return disconnected == 0 ? heard + deadAfter : disconnected + grace;
        }

        boolean isAfter(long moment) {
            return heard > moment || disconnected > moment;
        }

        /** Silence is only believed of a sweeper who has listened all the time; a disconnect was told. */
        boolean mayEnd(Sweep.Sessions silent) {
            return disconnected != 0 || silent == Sweep.Sessions.END_SILENT;
        }
    }

    private final UnitOfWork unit;
    private final Tx tx;

    public SessionRows(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    public String open(SessionSpec spec) {
        String id = spec.name() + "#" + Long.toUnsignedString(RANDOM.nextLong(), Character.MAX_RADIX);
        tx.update("insert-session", id, Times.micros(spec.deadAfter()), Times.micros(spec.grace()), unit.now);
        unit.notice(Notice.TimerMoved.INSTANCE);
        return id;
    }

    public HeartbeatReply heartbeat(String id, Map<String, Integer> waiting) {
        if (tx.update("heartbeat", unit.now, FlatJson.write(waiting), id) == 0) {
            return new HeartbeatReply(false, List.of());
        }
        unit.tasks.flush();
        return new HeartbeatReply(true, leases("to-stop", id));
    }

    public List<Lease> leases(String id) {
        return leases("leases", id);
    }

    private List<Lease> leases(String statement, String id) {
        return tx.list(statement, row -> Lease.of(row.getLong(1), row.getLong(2)), id);
    }

    public void disconnect(String id) {
        Optional<Session> session = tx.first("lock-session", Session::read, id);
        if (session.isEmpty()) {
            return;
        }
        if (session.get().grace == 0) {
            end(session.get(), "disconnected").forEach(unit::tellLater);
        } else if (session.get().disconnected == 0) {
            tx.update("disconnect", unit.now, id);
            unit.notice(Notice.TimerMoved.INSTANCE);
        }
    }

    public List<TaskEvent> close(String id) {
        return tx.first("lock-session", Session::read, id)
                .map(session -> end(session, "session closed"))
                .orElse(List.of());
    }

    /** The row goes first: a take that holds it is waited for, and later ones find it gone. */
    private List<TaskEvent> end(Session session, String why) {
        if (tx.update("delete-session", session.id, session.heard) == 0) {
            return List.of(); // it was heard of, or ended, meanwhile
        }
        List<TaskEvent> events = new ArrayList<>();
        List<TaskRow> held = unit.tasks.load(unit.tasks.ids("held-by-session", session.id), RowState.TAKEN);
        held.sort(Comparator.comparing(row -> unit.tasks.keyOf(row.id)));
        for (TaskRow row : held) {
            if (session.id.equals(row.session)) {
                unit.lifecycle.lose(row, why);
                events.add(row.event(TaskEvent.Kind.LOST));
            }
        }
        return events;
    }

    /**
     * The sessions, none of them heard of in the future. That future begins now and not when the turn began: a turn that had to
     * wait would otherwise set back the heartbeats that came meanwhile, and others would end living sessions.
     */
    private List<Session> forgetFuture(List<Session> sessions) {
        if (sessions.stream().noneMatch(session -> session.isAfter(unit.now))) {
            return sessions;
        }
        long now = tx.now();
        if (sessions.stream().noneMatch(session -> session.isAfter(now))) {
            return sessions;
        }
        tx.update("forget-future", now, now);
        tx.update("forget-future-disconnects", now, now);
        return tx.list("sessions", Session::read);
    }

    /**
     * Ends those whose time has come; answers when the next one ends, 0 for never.
     *
     * @param asked when the sweep was asked for. Silence since then proves nothing: what kept the sweep from beginning may have
     *     kept heartbeats from being written.
     */
    public long sweep(Sweep.Sessions silent, long asked) {
        List<Session> all = forgetFuture(tx.list("sessions", Session::read));
        long next = 0;
        for (Session session : all) {
            if (session.mayEnd(silent)) {
                if (session.endsAt() <= asked) {
                    end(session, "session silent for too long").forEach(unit::tellLater);
                } else if (next == 0 || session.endsAt() < next) {
                    next = session.endsAt();
                }
            }
        }
        return next;
    }
}
