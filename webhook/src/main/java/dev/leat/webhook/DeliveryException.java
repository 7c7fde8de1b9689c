package dev.leat.webhook;

import dev.leat.error.LeatException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A message was not delivered; the exception tells whether and when to try again. */
public final class DeliveryException extends LeatException {
    private static final long serialVersionUID = 1L;
    private static final int NO_STATUS = 0;
    private static final int GONE = 410;

    /** Where it ended. */
    public enum Reason {
        /** The receiver answered, and not with 2xx. */
        ANSWERED,
        /** No connection, no answer in time, or no HTTP. The receiver may have got the message all the same. */
        NO_ANSWER,
        /** Its host is an address that must not be called; nothing was sent. */
        REFUSED,
        /** The receiver is paused or busy; nothing was sent. It should come again later, and not count as an attempt. */
        HELD_BACK
    }

    private final Reason reason;
    private final int status;
    private final @Nullable Duration retryAfter;

    private DeliveryException(Reason reason, int status, @Nullable Duration retryAfter, String message) {
        super(message);
        this.reason = reason;
        this.status = status;
        this.retryAfter = retryAfter;
    }

    static DeliveryException answered(Endpoint endpoint, int status, String answer, Optional<Duration> retryAfter) {
        String message = endpoint + " answered " + status + (answer.isEmpty() ? "" : ": " + answer);
        return new DeliveryException(Reason.ANSWERED, status, retryAfter.orElse(null), message);
    }

    static DeliveryException noAnswer(Endpoint endpoint, Throwable cause) {
        String message = endpoint + " failed: " + cause.getMessage();
        return new DeliveryException(Reason.NO_ANSWER, NO_STATUS, null, message).causedBy(cause);
    }

    static DeliveryException refused(Endpoint endpoint, Throwable cause) {
        String message = endpoint + " is not called: " + cause.getMessage();
        return new DeliveryException(Reason.REFUSED, NO_STATUS, null, message).causedBy(cause);
    }

    static DeliveryException heldBack(Endpoint endpoint, Throwable cause, Duration until) {
        String message =
                endpoint + " is not called now: " + cause.getMessage() + "; again in " + until.toSeconds() + " s";
        return new DeliveryException(Reason.HELD_BACK, NO_STATUS, until, message).causedBy(cause);
    }

    private DeliveryException causedBy(Throwable cause) {
        initCause(cause);
        return this;
    }

    public Reason reason() {
        return reason;
    }

    /** The answer of the receiver, if there was one. */
    public OptionalInt status() {
        return status == NO_STATUS ? OptionalInt.empty() : OptionalInt.of(status);
    }

    /** Whether it may go better the next time: unless the receiver is gone, or must not be called. */
    public boolean retry() {
        return reason != Reason.REFUSED && !gone();
    }

    /** How long to wait at least: as the receiver asks (429 and 503), or until it is not held back any more. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Whether the receiver asks for no more webhooks (410). */
    public boolean gone() {
        return status == GONE;
    }
}
