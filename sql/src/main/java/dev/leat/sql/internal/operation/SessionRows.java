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
import dev.leat.storage.Reasons;
import dev.leat.storage.SessionLife;
import dev.leat.storage.Sweep;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sessions, within one unit of work: their heartbeats hold their leases. */
public final class SessionRows {

    private record Session(String id, SessionLife life) {
        static Session read(ResultSet row) throws SQLException {
            return new Session(
                    row.getString(1),
                    new SessionLife(
                            Times.instant(row.getLong(4)),
                            Times.optional(row.getLong(5)),
                            Times.duration(row.getLong(2)),
                            Times.duration(row.getLong(3))));
        }
    }

    private final UnitOfWork unit;
    private final Tx tx;

    public SessionRows(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    public String open(SessionSpec spec) {
        String id = SessionLife.newId(spec);
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
        if (session.get().life.grace().isZero()) {
            end(session.get(), Reasons.SESSION_DISCONNECTED).forEach(unit::tellLater);
        } else if (session.get().life.disconnected().isEmpty()) {
            tx.update("disconnect", unit.now, id);
            unit.notice(Notice.TimerMoved.INSTANCE);
        }
    }

    public List<TaskEvent> close(String id) {
        return tx.first("lock-session", Session::read, id)
                .map(session -> end(session, Reasons.SESSION_CLOSED))
                .orElse(List.of());
    }

    /** The row goes first: a take that holds it is waited for, and later ones find it gone. */
    private List<TaskEvent> end(Session session, String why) {
        if (tx.update("delete-session", session.id, Times.micros(session.life.heard())) == 0) {
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
        if (sessions.stream().noneMatch(session -> session.life.isAhead(unit.instant()))) {
            return sessions;
        }
        long now = tx.now();
        if (sessions.stream().noneMatch(session -> session.life.isAhead(Times.instant(now)))) {
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
            if (session.life.mayEnd(silent)) {
                long endsAt = Times.micros(session.life.endsAt());
                if (endsAt <= asked) {
                    end(session, Reasons.SESSION_SILENT).forEach(unit::tellLater);
                } else if (next == 0 || endsAt < next) {
                    next = endsAt;
                }
            }
        }
        return next;
    }
}
