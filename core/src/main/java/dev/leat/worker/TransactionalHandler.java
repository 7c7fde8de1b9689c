package dev.leat.worker;

import java.sql.Connection;

/**
 * Does the work of one task in a transaction of Leat's database: the changes on {@code connection} and the settle commit together, or not at all.
 *
 * <p>A return commits, with the settle that the handler chose with {@code task}, or an ack. An exception rolls back, including a chosen settle, and
 * fails the task. A deadlock, a serialization failure or a lost connection rolls back without a charge, and the task comes again. A lost lease
 * rolls back too.
 *
 * @param <T> the class that the payload is read as
 */
@FunctionalInterface
public interface TransactionalHandler<T> {
    /**
     * Does the work.
     *
     * @param connection refuses commit, rollback and close, which Leat calls; savepoints are allowed. Put tasks in this transaction with
     *     {@code task.leat().with(connection)}
     */
    void handle(T payload, RunningTask task, Connection connection) throws Exception;
}
