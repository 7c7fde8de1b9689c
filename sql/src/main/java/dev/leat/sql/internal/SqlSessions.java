package dev.leat.sql.internal;

import dev.leat.Lease;
import dev.leat.SessionSpec;
import dev.leat.TaskEvent;
import dev.leat.error.LeatException;
import dev.leat.sql.internal.fast.FastPath;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.operation.SessionRows;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.SessionStorage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions of an SQL storage. */
final class SqlSessions implements SessionStorage {
    private static final Logger log = LoggerFactory.getLogger(SqlSessions.class);

    private final Db db;
    private final UnitRunner units;
    private final @Nullable FastPath fastPath;

    SqlSessions(Db db, UnitRunner units, @Nullable FastPath fastPath) {
        this.db = db;
        this.units = units;
        this.fastPath = fastPath;
    }

    @Override
    public String open(SessionSpec spec) {
        return units.write(unit -> new SessionRows(unit).open(spec));
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        return fastPath == null ? heartbeatInUnit(session, waiting) : fastPath.heartbeat(session, waiting);
    }

    private HeartbeatReply heartbeatInUnit(String session, Map<String, Integer> waiting) {
        while (!db.soleWriter().note(session, waiting)) {
            Optional<HeartbeatReply> reply =
                    units.tryWriteAgain(unit -> new SessionRows(unit).heartbeat(session, waiting));
            if (reply.isPresent()) {
                return reply.get();
            }
        }
        return HeartbeatReply.later();
    }

    /** Writes the heartbeats that a handler's transaction kept from being written. */
    void writeKept(Map<String, Map<String, Integer>> waitingBySession) {
        waitingBySession.forEach((session, waiting) -> {
            try {
                heartbeat(session, waiting);
            } catch (LeatException e) {
                log.warn("Could not write a heartbeat that came during a handler's transaction: {}", e.getMessage());
            }
        });
    }

    @Override
    public List<Lease> leases(String session) {
        return units.read(unit -> new SessionRows(unit).leases(session));
    }

    @Override
    public void disconnect(String session) {
        units.runAgain(unit -> new SessionRows(unit).disconnect(session));
    }

    @Override
    public List<TaskEvent> close(String session) {
        return units.write(unit -> new SessionRows(unit).close(session));
    }
}
