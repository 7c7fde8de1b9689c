package dev.leat.webhook.internal;

import java.io.IOException;

/** The host is, or resolves to, an address that must not be called. */
public final class RefusedAddressException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedAddressException(String message) {
        super(message);
    }
}
