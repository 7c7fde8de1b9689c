package dev.leat;

import java.util.Optional;

/**
 * How a task ended.
 *
 * @param taskId the task
 * @param state DONE, FAILED, EXPIRED, CANCELED, or BURIED, which ends the waiting too
 * @param message the message of the last settle, or of the operator who ended the task
 * @param failureCode the number that the handler gave to {@code fail}, 0 for none
 * @param result the result that the handler gave to {@code ackWith}
 */
public record Outcome(long taskId, TaskState state, String message, int failureCode, Optional<Payload> result) {
    public boolean ok() {
        return state == TaskState.DONE;
    }
}
