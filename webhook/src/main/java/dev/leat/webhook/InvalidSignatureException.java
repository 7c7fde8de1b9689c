package dev.leat.webhook;

import dev.leat.error.LeatException;

/** What came in is not, or not just now, from somebody who has the key. */
public final class InvalidSignatureException extends LeatException {
    private static final long serialVersionUID = 1L;

    InvalidSignatureException(String message) {
        super(message);
    }
}
