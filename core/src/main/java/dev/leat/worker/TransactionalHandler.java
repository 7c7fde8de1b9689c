package dev.leat.worker;

import java.sql.Connection;

/**
 * Does the work of one task in a transaction of Leat's database: what it does on {@code connection} and the end of the task
 * are committed together, or not at all.
 *
 * <p>Returning commits, with the outcome that the handler chose through {@code task}, or an acknowledgement. Throwing rolls
 * everything back, a chosen outcome too, and fails the task. A deadlock, a serialization failure and a lost connection roll
 * back without blame: the task comes again. When the lease was lost meanwhile, everything is rolled back.
 *
 * @param <T> what the payload is read as
 */
@FunctionalInterface
public interface TransactionalHandler<T> {
    /**
     * Does the work.
     *
     * @param connection is Leat's to commit, roll back and close, and refuses these calls; savepoints are the handler's own. Tasks
     *     that are to be put with it go through {@code task.leat().with(connection)}
     */
    void handle(T payload, RunningTask task, Connection connection) throws Exception;
}
