package dev.leat.worker;

import dev.leat.Task;
import java.time.Instant;
import java.util.Optional;

/**
 * A failed attempt at a task, or a task that its handler buried, as {@link Worker.Builder#onFailure} is told of it.
 *
 * @param task the task as it was taken; its counters do not include this failure
 * @param attempt how often the task was taken, this time included
 * @param message what the task remembers of the failure
 * @param error what the handler threw, or gave to {@code fail}; empty when the handler gave a message, or the worker has no handler for
 *     the task
 * @param last whether the task is not tried again
 * @param nextAttempt about when the task is tried again, by the clock of this process; empty when it was the last attempt. A backoff with jitter
 *     may end a little before or after.
 */
public record Failure(
        Task task,
        int attempt,
        String message,
        Optional<Throwable> error,
        boolean last,
        Optional<Instant> nextAttempt) {}
