package dev.leat.server.internal.access;

import dev.leat.LeatException;

/** The token is right, but not for this. */
public final class AccessDeniedException extends LeatException {
    private static final long serialVersionUID = 1L;

    AccessDeniedException(String message) {
        super(message);
    }
}
