package dev.leat.worker;

import java.util.Map;

/**
 * What {@code leat worker} runs: a class of yours that says which handlers a worker has, while the command opens the storage, starts the
 * worker and stops it. It is public and has a public constructor without parameters.
 *
 * <pre>{@code
 * public class MyWorker implements WorkerProgram {
 *     @Override
 *     public void configure(Worker.Builder worker, Map<String, String> environment) {
 *         worker.handle(environment.get("QUEUE_NAME"), String.class, (address, task) -> send(address));
 *     }
 * }
 * }</pre>
 *
 * <p>It gets a builder and nothing that it could open, start or stop, so that the same class does its work under the command, in a test and
 * in a program of your own.
 */
public interface WorkerProgram extends AutoCloseable {
    /**
     * Adds the handlers, once, before anything is taken. Whoever calls it builds and starts the worker.
     *
     * @param environment the variables of the process, for what differs from one installation to another
     */
    void configure(Worker.Builder worker, Map<String, String> environment) throws Exception;

    /** Lets go of what the handlers needed, when the worker has stopped; does nothing unless overridden. */
    @Override
    default void close() throws Exception {}
}
