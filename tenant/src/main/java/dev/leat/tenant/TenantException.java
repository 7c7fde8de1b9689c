package dev.leat.tenant;

import dev.leat.error.LeatException;

/** There is no connection to a tenant's database; the message tells whose and why, without passwords and tokens. */
public final class TenantException extends LeatException {
    private static final long serialVersionUID = 1L;

    public TenantException(String message) {
        super(message);
    }

    public TenantException(String message, Throwable cause) {
        super(message, cause);
    }
}
