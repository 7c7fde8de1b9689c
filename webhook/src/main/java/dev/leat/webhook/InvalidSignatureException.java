package dev.leat.webhook;

import dev.leat.error.LeatException;

/** A received message was not signed with the key, or not within the allowed time. */
public final class InvalidSignatureException extends LeatException {
    private static final long serialVersionUID = 1L;

    InvalidSignatureException(String message) {
        super(message);
    }
}
