package dev.leat.tenant;

import java.sql.Connection;

/**
 * Where connections to the databases of tenants come from. Safe from any thread.
 *
 * <p>What is done on such a connection and the end of a task are two transactions in two databases. The one can be committed
 * without the other, by a crash between them: a handler must bear that its task comes again.
 */
public interface TenantConnections extends AutoCloseable {
    /**
     * A connection to the tenant's database, in a transaction of its own: nothing counts before {@code commit}. The caller closes
     * it. Throws {@link TenantException} when there is none to be had.
     */
    Connection connection(String tenant);

    /** Gives no more connections; those still in use may be cut off. Stop the workers before. */
    @Override
    void close();
}
