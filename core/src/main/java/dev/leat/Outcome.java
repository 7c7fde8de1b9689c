package dev.leat;

import java.util.Optional;

/**
 * How a task ended, for somebody who waited for it.
 *
 * @param taskId the task
 * @param state DONE, FAILED, EXPIRED, CANCELED, or BURIED, which ends a task for everybody who waits
 * @param message what was said at the end
 * @param failureCode the number that the handler gave to {@code fail}, 0 for none
 * @param result what the handler returned
 */
public record Outcome(long taskId, TaskState state, String message, int failureCode, Optional<Payload> result) {
    public boolean ok() {
        return state == TaskState.DONE;
    }
}
