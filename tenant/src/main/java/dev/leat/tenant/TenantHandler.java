package dev.leat.tenant;

import dev.leat.tenant.internal.SettleLater;
import dev.leat.worker.Handler;
import dev.leat.worker.RunningTask;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Does the work of one task in the database of its tenant. Returning commits there and then settles the task, with the outcome
 * that the handler chose through {@code task}, or an acknowledgement. Throwing rolls back, and fails the task.
 *
 * <p>The commit and the settle are not atomic: a crash between them runs the task again after its work was committed.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface TenantHandler<T> {
    /**
     * Does the work.
     *
     * @param connection the caller commits, rolls back and closes it; the handler may use savepoints
     */
    void handle(T payload, RunningTask task, Connection connection) throws Exception;

    /** A handler for a worker, which works on connections from {@code tenants}. A task without a tenant fails. */
    static <T> Handler<T> using(TenantConnections tenants, TenantHandler<? super T> handler) {
        return (payload, task) -> {
            String tenant = task.task().tenant().orElseThrow(() -> withoutTenant(task));
            SettleLater later = new SettleLater(task);
            try (Connection connection = tenants.connection(tenant)) {
                inTransaction(handler, payload, later, connection);
            }
            later.settle();
        };
    }

    private static <T> void inTransaction(
            TenantHandler<? super T> handler, T payload, RunningTask task, Connection connection) throws Exception {
        try {
            handler.handle(payload, task, connection);
            connection.commit();
        } catch (Throwable e) {
            try {
                connection.rollback();
            } catch (SQLException alsoWrong) {
                e.addSuppressed(alsoWrong);
            }
            throw e;
        }
    }

    private static TenantException withoutTenant(RunningTask task) {
        return new TenantException(
                "task " + task.id() + " of queue '" + task.task().queue()
                        + "' has no tenant, and its handler works in the database of the tenant: put such tasks with a tenant,"
                        + " or into another queue");
    }
}
