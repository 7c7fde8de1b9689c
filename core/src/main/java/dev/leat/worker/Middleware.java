package dev.leat.worker;

/**
 * Wraps each run of a handler for a single task, for example for tracing; batches are not wrapped. The first added middleware is the outermost.
 */
@FunctionalInterface
public interface Middleware {
    /** Must call {@code next} or settle the task. An exception fails the task. */
    void around(RunningTask task, Next next) throws Exception;

    /** Runs the next middleware, or the handler. */
    @FunctionalInterface
    interface Next {
        void run() throws Exception;
    }
}
