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
 * <p>The class gets only a builder. The caller opens, starts and stops, so the same class runs under the command, in a test and in your own program.
 */
public interface WorkerProgram extends AutoCloseable {
    /**
     * Adds the handlers, once, before the worker starts. The caller builds and starts the worker.
     *
     * @param environment the environment variables of the process
     */
    void configure(Worker.Builder worker, Map<String, String> environment) throws Exception;

    /** Releases the resources of the handlers after the stop of the worker. */
    @Override
    default void close() throws Exception {}
}
