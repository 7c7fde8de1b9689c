package dev.leat.tenant;

import dev.leat.error.LeatException;

/** A tenant's database cannot be reached. The message names the tenant and the reason, without passwords and tokens. */
public final class TenantException extends LeatException {
    private static final long serialVersionUID = 1L;

    public TenantException(String message) {
        super(message);
    }

    public TenantException(String message, Throwable cause) {
        super(message, cause);
    }
}
