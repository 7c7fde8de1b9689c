package dev.leat;

import dev.leat.internal.Checks;
import dev.leat.internal.StoredText;
import java.time.Duration;
import java.util.Optional;

/**
 * How one delivery ends. Each carries the lease it was made with; a storage accepts it only from the holder.
 *
 * <p>{@code fail} and {@code retry} are charged to the task, {@code release} and {@code give back} never are. A message is cut to
 * 4,096 bytes of UTF-8, and then ends with {@code …}; null counts as an empty one.
 */
public sealed interface Settle {
    Lease lease();

    /** What the holder said; empty when nothing. */
    default String message() {
        return "";
    }

    /** The exception that ended the attempt; empty when the holder only has words for it. */
    default Optional<Thrown> thrown() {
        return Optional.empty();
    }

    static Ack ack(Lease lease) {
        return new Ack(lease, "", Optional.empty());
    }

    static Fail fail(Lease lease, String message) {
        return new Fail(lease, message, 0);
    }

    /** The attempt failed with an exception, which is kept with it: its class, what it says, and its stack trace. */
    static Fail fail(Lease lease, Throwable failure) {
        return new Fail(lease, Thrown.message(failure), 0, Optional.of(Thrown.of(failure)));
    }

    static Retry retry(Lease lease, When due, String message) {
        return new Retry(lease, due, message);
    }

    static Release release(Lease lease) {
        return new Release(lease, Duration.ZERO);
    }

    static Release release(Lease lease, Duration delay) {
        return new Release(lease, delay);
    }

    static Bury bury(Lease lease, String message) {
        return new Bury(lease, message);
    }

    static Cancel cancel(Lease lease, String reason) {
        return new Cancel(lease, reason);
    }

    static GiveBack giveBack(Lease lease) {
        return new GiveBack(lease, Duration.ZERO);
    }

    static GiveBack giveBack(Lease lease, Duration delay) {
        return new GiveBack(lease, delay);
    }

    /** The work is done. The message and the result are kept with the finished task. */
    record Ack(Lease lease, String message, Optional<Payload> result) implements Settle {
        public Ack {
            message = StoredText.bounded(message);
        }
    }

    /** The attempt failed; the queue's retry policy says when and whether it is tried again. */
    record Fail(Lease lease, String message, int failureCode, Optional<Thrown> thrown) implements Settle {
        public Fail {
            message = StoredText.bounded(message);
        }

        /** Without an exception. */
        public Fail(Lease lease, String message, int failureCode) {
            this(lease, message, failureCode, Optional.empty());
        }
    }

    /** The attempt failed, and the caller says when to try again. */
    record Retry(Lease lease, When due, String message) implements Settle {
        public Retry {
            message = StoredText.bounded(message);
        }
    }

    /** Not my task: back to its own place, after a delay if there is one. */
    record Release(Lease lease, Duration delay) implements Settle {
        public Release {
            Checks.notNegative("delay", delay);
        }
    }

    /** Put aside for a human. */
    record Bury(Lease lease, String message) implements Settle {
        public Bury {
            message = StoredText.bounded(message);
        }
    }

    /** Nobody needs it any more: it ends as canceled. */
    record Cancel(Lease lease, String message) implements Settle {
        public Cancel {
            message = StoredText.bounded(message);
        }
    }

    /**
     * Taken but never started, such as prefetched work at a stop: as if it had not been taken at all. With a delay, for a task that
     * another worker is to take, it is due after it; its time to live goes on.
     */
    record GiveBack(Lease lease, Duration delay) implements Settle {
        public GiveBack {
            Checks.notNegative("delay", delay);
        }
    }
}
