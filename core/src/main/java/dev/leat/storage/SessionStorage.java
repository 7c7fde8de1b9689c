package dev.leat.storage;

import dev.leat.Lease;
import dev.leat.SessionSpec;
import dev.leat.TaskEvent;
import java.util.List;
import java.util.Map;

/** The sessions of a {@link Storage}. */
public interface SessionStorage {
    /** Opens a session and answers its id. */
    String open(SessionSpec spec);

    /**
     * Reports that the session lives, and how many takes of the session wait for each queue. Ends the grace of a disconnect.
     */
    HeartbeatReply heartbeat(String session, Map<String, Integer> waiting);

    /** The leases of the session, for a caller that lost the answer of a take; empty for an ended session. */
    List<Lease> leases(String session);

    /** The session's last connection is closed: the session ends after its grace, unless a heartbeat arrives. */
    void disconnect(String session);

    /** Ends the session and its leases now; answers the lost leases. */
    List<TaskEvent> close(String session);
}
