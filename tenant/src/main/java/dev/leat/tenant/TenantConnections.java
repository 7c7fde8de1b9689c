package dev.leat.tenant;

import java.sql.Connection;

/**
 * Where connections to the databases of tenants come from. Safe from any thread.
 *
 * <p>The work on such a connection and the settle of a task are two transactions in two databases. The first can be committed
 * without the second if the process crashes between them: handlers must be idempotent.
 */
public interface TenantConnections extends AutoCloseable {
    /**
     * A connection to the tenant's database, in a transaction of its own: nothing counts before {@code commit}. The caller closes
     * it. Throws {@link TenantException} if there is none.
     */
    Connection connection(String tenant);

    /** Hands out no more connections, and may cut off those in use. Stop the workers first. */
    @Override
    void close();
}
