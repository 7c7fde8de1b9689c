package dev.leat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A wish for more time: the lease's deadline and the task's time to live move by {@code by}.
 *
 * @param lease the held lease
 * @param by how much more; more than zero
 */
public record Touch(Lease lease, Duration by) {
    public Touch {
        Checks.positive("by", by);
    }

    /**
     * What became of a touch.
     *
     * @param status whether there was a deadline to move
     * @param leaseUntil the deadline after it, if there is one
     */
    public record Result(Status status, Optional<Instant> leaseUntil) {
        public enum Status {
            /** The deadline has moved. */
            EXTENDED,
            /** The lease is held, but has no time limit to extend. */
            UNLIMITED,
            /** The lease is lost. */
            GONE
        }
    }
}
