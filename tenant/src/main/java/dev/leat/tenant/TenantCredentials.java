package dev.leat.tenant;

/**
 * Knows how to log in to the database of a tenant. Asked when a tenant is used first, and again when its database refuses the
 * login, because the password may have been changed; by several threads at once, for different tenants.
 */
@FunctionalInterface
public interface TenantCredentials {
    /** Throws if the tenant is unknown or the service cannot be reached; the message must not contain secrets. */
    TenantDatabase read(String tenant) throws Exception;
}
