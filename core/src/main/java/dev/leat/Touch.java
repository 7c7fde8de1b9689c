package dev.leat;

import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A request for more time: moves the deadline of the lease and the time to live of the task by {@code by}.
 *
 * @param lease the held lease
 * @param by the additional time, more than zero
 */
public record Touch(Lease lease, Duration by) {
    public Touch {
        Checks.positive("by", by);
    }

    /**
     * The result of a touch.
     *
     * @param status whether a deadline has moved
     * @param queue the task's queue; an empty text when the lease is lost
     * @param leaseUntil the new deadline, if the lease has one
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
            /** The lease is held and has no time limit. */
            UNLIMITED,
            /** The lease is lost. */
            GONE
        }
    }
}
