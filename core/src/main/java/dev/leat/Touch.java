package dev.leat;

import dev.leat.internal.Checks;
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
     * @param queue the task's queue; empty when the lease is lost
     * @param leaseUntil the deadline after it, if there is one
     */
    public record Result(Status status, String queue, Optional<Instant> leaseUntil) {
        public static Result extended(String queue, Instant leaseUntil) {
            return new Result(Status.EXTENDED, queue, Optional.of(leaseUntil));
        }

        public static Result unlimited(String queue) {
            return new Result(Status.UNLIMITED, queue, Optional.empty());
        }

        public static Result gone() {
            return new Result(Status.GONE, "", Optional.empty());
        }

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
