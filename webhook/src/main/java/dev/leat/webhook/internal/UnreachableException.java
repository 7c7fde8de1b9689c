package dev.leat.webhook.internal;

import java.io.IOException;

/** No connection could be made: nothing was sent, and it is the server's trouble, not that of one of its paths. */
public final class UnreachableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnreachableException(String message, Throwable cause) {
        super(message, cause);
    }
}
