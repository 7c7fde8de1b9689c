package dev.leat.worker;

/**
 * Wraps every execution of a single task, for tracing, logging context and the like; batches are not wrapped. The first
 * one given is outermost.
 */
@FunctionalInterface
public interface Middleware {
    /** Must call {@code next}, or settle the task itself; what it throws fails the task. */
    void around(RunningTask task, Next next) throws Exception;

    /** The rest of the way to the handler. */
    @FunctionalInterface
    interface Next {
        void run() throws Exception;
    }
}
