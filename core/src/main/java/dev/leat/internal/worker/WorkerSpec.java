package dev.leat.internal.worker;

import dev.leat.worker.Failure;
import dev.leat.worker.Middleware;
import dev.leat.worker.PriorityLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * The options of one worker, checked.
 *
 * @param limits replace {@code concurrency}
 * @param keepAlive whether the JVM lives on while the worker runs
 */
record WorkerSpec(
        List<ServedQueue> queues,
        List<Middleware> middleware,
        List<Consumer<? super Failure>> failureListeners,
        int concurrency,
        Optional<PriorityLimits> limits,
        Duration slowCycle,
        ThreadFactory threads,
        boolean keepAlive) {
    WorkerSpec {
        queues = List.copyOf(queues);
        middleware = List.copyOf(middleware);
        failureListeners = List.copyOf(failureListeners);
    }

    int processors() {
        return limits.map(PriorityLimits::most).orElse(concurrency);
    }
}
