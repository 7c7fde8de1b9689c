package dev.leat.worker;

import dev.leat.Task;
import java.time.Instant;
import java.util.Optional;

/**
 * A failed attempt, or a task that its handler buried; passed to the listeners of {@link Worker.Builder#onFailure}.
 *
 * @param task the task as it was taken; its counters do not include this failure
 * @param attempt the number of the attempt, from 1
 * @param message the message that is kept with the task
 * @param error what the handler threw, or gave to {@code fail}; empty when the handler gave a message, or the worker has no handler for
 *     the task
 * @param last whether this was the last attempt
 * @param nextAttempt the approximate time of the next attempt, by the clock of this process; empty after the last attempt. Jitter can move it a
 *     little
 */
public record Failure(
        Task task,
        int attempt,
        String message,
        Optional<Throwable> error,
        boolean last,
        Optional<Instant> nextAttempt) {}
