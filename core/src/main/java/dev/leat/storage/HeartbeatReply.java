package dev.leat.storage;

import dev.leat.Lease;
import java.util.List;

/**
 * What a session hears when it says that it lives.
 *
 * @param alive false when the session has ended and its leases are lost
 * @param cancelRequested leases whose tasks somebody wants to stop
 * @param written false when a transaction of this very process keeps everybody from writing: nobody can end the session
 *     meanwhile, and the heartbeat is written when the transaction ends
 */
public record HeartbeatReply(boolean alive, List<Lease> cancelRequested, boolean written) {
    public HeartbeatReply(boolean alive, List<Lease> cancelRequested) {
        this(alive, cancelRequested, true);
    }

    public static HeartbeatReply later() {
        return new HeartbeatReply(true, List.of(), false);
    }
}
