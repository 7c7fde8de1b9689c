package dev.leat.worker;

/**
 * Does the work of one task. Returning acknowledges the task; throwing fails it, and the queue's retry policy decides
 * what follows. A handler may also settle the task itself, through {@code task}.
 *
 * @param <T> what the payload is read as
 */
@FunctionalInterface
public interface Handler<T> {
    void handle(T payload, RunningTask task) throws Exception;
}
