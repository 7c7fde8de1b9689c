package dev.leat.storage;

import dev.leat.Lease;
import java.util.List;

/**
 * What a session hears when it says that it lives.
 *
 * @param alive false when the session has ended and its leases are lost
 * @param cancelRequested leases whose tasks somebody wants to stop
 */
public record HeartbeatReply(boolean alive, List<Lease> cancelRequested) {}
