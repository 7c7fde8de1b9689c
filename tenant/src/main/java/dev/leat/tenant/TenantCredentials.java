package dev.leat.tenant;

/**
 * Knows how to log in to the database of a tenant. Asked when a tenant is used first, and again when its database refuses the
 * login, because the password may have been changed; by several threads at once, for different tenants.
 */
@FunctionalInterface
public interface TenantCredentials {
    /** Throws when the tenant is not known, or nobody can be asked; the message must not hold secrets. */
    TenantDatabase read(String tenant) throws Exception;
}
