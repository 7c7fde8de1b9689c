package dev.leat.sql.internal;

import dev.leat.Lease;
import dev.leat.SessionSpec;
import dev.leat.TaskEvent;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Notice;
import dev.leat.storage.Sweep;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sessions, within one turn: their heartbeats hold their leases. */
final class Sessions {
    private static final SecureRandom RANDOM = new SecureRandom();

    private record Session(String id, long deadAfter, long grace, long heard, long disconnected) {
        static Session read(ResultSet row) throws SQLException {
            return new Session(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
        }

        /** When the session ends unless it is heard of before. */
        long endsAt() {
            return disconnected == 0 ? heard + deadAfter : disconnected + grace;
        }

        /** Silence is only believed of a sweeper who has listened all the time; a disconnect was told. */
        boolean mayEnd(Sweep.Sessions silent) {
            return disconnected != 0 || silent == Sweep.Sessions.END_SILENT;
        }
    }

    private final Turn turn;
    private final Tx tx;

    Sessions(Turn turn) {
        this.turn = turn;
        this.tx = turn.tx;
    }

    String open(SessionSpec spec) {
        String id = spec.name() + "#" + Long.toUnsignedString(RANDOM.nextLong(), Character.MAX_RADIX);
        tx.update("insert-session", id, Times.micros(spec.deadAfter()), Times.micros(spec.grace()), turn.now);
        turn.notice(Notice.TimerMoved.INSTANCE);
        return id;
    }

    HeartbeatReply heartbeat(String id, Map<String, Integer> waiting) {
        if (tx.update("heartbeat", turn.now, id) == 0) {
            return new HeartbeatReply(false, List.of());
        }
        tx.update("forget-waiting", id);
        waiting.forEach((queue, takes) -> tx.update("insert-waiting", id, queue, takes));
        turn.tasks.flush();
        return new HeartbeatReply(true, tx.list("to-stop", row -> Lease.of(row.getLong(1), row.getLong(2)), id));
    }

    void disconnect(String id) {
        Optional<Session> session = tx.first("session", Session::read, id);
        if (session.isEmpty()) {
            return;
        }
        if (session.get().grace == 0) {
            end(id, "disconnected").forEach(turn::tellLater);
        } else if (session.get().disconnected == 0) {
            tx.update("disconnect", turn.now, id);
            tx.update("forget-waiting", id);
            turn.notice(Notice.TimerMoved.INSTANCE);
        }
    }

    List<TaskEvent> close(String id) {
        return tx.first("session", Session::read, id).isEmpty() ? List.of() : end(id, "session closed");
    }

    private List<TaskEvent> end(String id, String why) {
        tx.update("delete-session", id);
        tx.update("forget-waiting", id);
        List<Long> held = turn.tasks.ids("held-by-session", id);
        if (!held.isEmpty()) {
            turn.tasks.load(held);
        }
        List<TaskEvent> events = new ArrayList<>(held.size());
        for (long taskId : held) {
            TaskRow row = turn.tasks.get(taskId);
            turn.lifecycle.lose(row, why);
            events.add(row.event(TaskEvent.Kind.LOST));
        }
        return events;
    }

    /** Ends those whose time has come; answers when the next one ends, 0 for never. */
    long sweep(Sweep.Sessions silent) {
        List<Session> all = tx.list("sessions", Session::read);
        if (all.stream().anyMatch(s -> s.heard > turn.now || s.disconnected > turn.now)) {
            tx.update("forget-future", turn.now, turn.now);
            tx.update("forget-future-disconnects", turn.now, turn.now);
            all = tx.list("sessions", Session::read);
        }
        long next = 0;
        for (Session session : all) {
            if (session.mayEnd(silent)) {
                if (session.endsAt() <= turn.now) {
                    end(session.id, "session silent for too long").forEach(turn::tellLater);
                } else if (next == 0 || session.endsAt() < next) {
                    next = session.endsAt();
                }
            }
        }
        return next;
    }
}
