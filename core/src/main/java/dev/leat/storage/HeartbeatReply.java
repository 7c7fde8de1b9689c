package dev.leat.storage;

import dev.leat.Lease;
import java.util.List;

/**
 * The answer to a heartbeat.
 *
 * @param alive false if the session has ended and its leases are lost
 * @param cancelRequested leases whose tasks are asked to stop
 * @param written false if a handler's transaction of this process keeps every process from writing: no sweep can end the session meanwhile, and
 *     the storage writes the heartbeat after the transaction
 */
public record HeartbeatReply(boolean alive, List<Lease> cancelRequested, boolean written) {
    public HeartbeatReply(boolean alive, List<Lease> cancelRequested) {
        this(alive, cancelRequested, true);
    }

    public static HeartbeatReply later() {
        return new HeartbeatReply(true, List.of(), false);
    }
}
