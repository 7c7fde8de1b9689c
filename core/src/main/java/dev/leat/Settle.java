package dev.leat;

import dev.leat.internal.Checks;
import dev.leat.internal.StoredText;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * How one delivery ends. Each settle carries the lease of its delivery; a storage refuses a settle whose lease is lost.
 *
 * <p>{@code fail} and {@code retry} charge a failure; {@code release} and {@code giveBack} charge nothing. A message is cut to 4,096 bytes of
 * UTF-8, and then ends with {@code …}; null counts as an empty message.
 */
public sealed interface Settle {
    Lease lease();

    /** The message of the holder, or an empty text. */
    default String message() {
        return "";
    }

    /** The exception that ended the attempt; empty when the holder gave only a message. */
    default Optional<Thrown> thrown() {
        return Optional.empty();
    }

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(
            Function<? super Ack, T> ack,
            Function<? super Fail, T> fail,
            Function<? super Retry, T> retry,
            Function<? super Release, T> release,
            Function<? super Bury, T> bury,
            Function<? super Cancel, T> cancel,
            Function<? super GiveBack, T> giveBack);

    static Ack ack(Lease lease) {
        return new Ack(lease, "", Optional.empty());
    }

    static Fail fail(Lease lease, String message) {
        return new Fail(lease, message, 0);
    }

    /** The attempt failed with this exception; its class, message and stack trace are kept with the attempt. */
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

        @Override
        public <T> T match(
                Function<? super Ack, T> ack,
                Function<? super Fail, T> fail,
                Function<? super Retry, T> retry,
                Function<? super Release, T> release,
                Function<? super Bury, T> bury,
                Function<? super Cancel, T> cancel,
                Function<? super GiveBack, T> giveBack) {
            return ack.apply(this);
        }
    }

    /**
     * The attempt failed. The queue's retry policy decides about the next attempt.
     *
     * @param failureCode a number of the handler's own, kept with the task; 0 for none
     */
    record Fail(Lease lease, String message, int failureCode, Optional<Thrown> thrown) implements Settle {
        public Fail {
            message = StoredText.bounded(message);
        }

        /** A failure without an exception. */
        public Fail(Lease lease, String message, int failureCode) {
            this(lease, message, failureCode, Optional.empty());
        }

        @Override
        public <T> T match(
                Function<? super Ack, T> ack,
                Function<? super Fail, T> fail,
                Function<? super Retry, T> retry,
                Function<? super Release, T> release,
                Function<? super Bury, T> bury,
                Function<? super Cancel, T> cancel,
                Function<? super GiveBack, T> giveBack) {
            return fail.apply(this);
        }
    }

    /** The attempt failed, and the holder names the time of the next attempt. */
    record Retry(Lease lease, When due, String message) implements Settle {
        public Retry {
            message = StoredText.bounded(message);
        }

        @Override
        public <T> T match(
                Function<? super Ack, T> ack,
                Function<? super Fail, T> fail,
                Function<? super Retry, T> retry,
                Function<? super Release, T> release,
                Function<? super Bury, T> bury,
                Function<? super Cancel, T> cancel,
                Function<? super GiveBack, T> giveBack) {
            return retry.apply(this);
        }
    }

    /** Returns the task to its own place, after the delay. */
    record Release(Lease lease, Duration delay) implements Settle {
        public Release {
            Checks.notNegative("delay", delay);
        }

        @Override
        public <T> T match(
                Function<? super Ack, T> ack,
                Function<? super Fail, T> fail,
                Function<? super Retry, T> retry,
                Function<? super Release, T> release,
                Function<? super Bury, T> bury,
                Function<? super Cancel, T> cancel,
                Function<? super GiveBack, T> giveBack) {
            return release.apply(this);
        }
    }

    /** Puts the task on the dead-letter list. */
    record Bury(Lease lease, String message) implements Settle {
        public Bury {
            message = StoredText.bounded(message);
        }

        @Override
        public <T> T match(
                Function<? super Ack, T> ack,
                Function<? super Fail, T> fail,
                Function<? super Retry, T> retry,
                Function<? super Release, T> release,
                Function<? super Bury, T> bury,
                Function<? super Cancel, T> cancel,
                Function<? super GiveBack, T> giveBack) {
            return bury.apply(this);
        }
    }

    /** The task is not needed any more and becomes CANCELED. */
    record Cancel(Lease lease, String message) implements Settle {
        public Cancel {
            message = StoredText.bounded(message);
        }

        @Override
        public <T> T match(
                Function<? super Ack, T> ack,
                Function<? super Fail, T> fail,
                Function<? super Retry, T> retry,
                Function<? super Release, T> release,
                Function<? super Bury, T> bury,
                Function<? super Cancel, T> cancel,
                Function<? super GiveBack, T> giveBack) {
            return cancel.apply(this);
        }
    }

    /**
     * Undoes the take of a task that was never started, such as a prefetched task at a stop. A delay leaves the task to another worker; the
     * time to live is not extended by it.
     */
    record GiveBack(Lease lease, Duration delay) implements Settle {
        public GiveBack {
            Checks.notNegative("delay", delay);
        }

        @Override
        public <T> T match(
                Function<? super Ack, T> ack,
                Function<? super Fail, T> fail,
                Function<? super Retry, T> retry,
                Function<? super Release, T> release,
                Function<? super Bury, T> bury,
                Function<? super Cancel, T> cancel,
                Function<? super GiveBack, T> giveBack) {
            return giveBack.apply(this);
        }
    }
}
