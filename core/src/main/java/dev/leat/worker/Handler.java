package dev.leat.worker;

/**
 * Does the work of one task. A return acks the task; an exception fails it, and the queue's retry policy decides what follows. A handler can also
 * settle the task itself, with {@code task}. Handlers must be idempotent: a task can run more than once.
 *
 * @param <T> the class that the payload is read as
 */
@FunctionalInterface
public interface Handler<T> {
    void handle(T payload, RunningTask task) throws Exception;
}
