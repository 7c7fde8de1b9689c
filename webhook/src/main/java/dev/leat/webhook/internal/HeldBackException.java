package dev.leat.webhook.internal;

import java.time.Duration;

/** Nothing is sent to this receiver now. */
public final class HeldBackException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Duration until;

    HeldBackException(String message, Duration until) {
        super(message);
        this.until = until;
    }

    /** How long to wait before asking again. */
    public Duration until() {
        return until;
    }
}
