/**
 * Handlers that work in the database of their task's tenant: {@link dev.leat.tenant.TenantHandler} is given a connection from
 * {@link dev.leat.tenant.TenantConnections}, which asks {@link dev.leat.tenant.TenantCredentials} where that database is. See
 * {@code docs/tenants.md}.
 *
 * <p>Passwords and tokens are in no log, no exception's message and no {@code toString} of this package.
 */
@NullMarked
package dev.leat.tenant;

import org.jspecify.annotations.NullMarked;
