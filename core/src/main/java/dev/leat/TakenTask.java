package dev.leat;

import java.time.Instant;
import java.util.Optional;

/**
 * A taken task and the lease to settle it with.
 *
 * @param task the task as it was taken
 * @param lease the right to settle this delivery
 * @param leaseUntil when the time limit ends the lease; empty when only the session holds it
 */
public record TakenTask(Task task, Lease lease, Optional<Instant> leaseUntil) {

    public long id() {
        return lease.taskId();
    }

    public Payload payload() {
        return task.payload();
    }
}
