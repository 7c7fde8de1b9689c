package dev.leat.storage;

import dev.leat.Outcome;
import dev.leat.TaskState;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.TaskNotFoundException;
import java.util.Optional;

/** What a storage answers about a task that a caller waits for. */
public sealed interface TaskStatus {

    /**
     * The task has not ended.
     *
     * @param queue the task's queue
     * @param chunk the number of the last chunk that the present holder has reported, 0 for none
     */
    record Lives(String queue, int chunk) implements TaskStatus {}

    /**
     * The task has ended, or is buried.
     *
     * @param queue the task's queue
     * @param outcome how the task ended
     */
    record Ended(String queue, Outcome outcome) implements TaskStatus {}

    /** The task has ended, and its outcome is no longer kept. */
    record Forgotten() implements TaskStatus {}

    /** No task ever had this id. */
    record Unknown() implements TaskStatus {}

    /** Whether a task in that state has ended for its waiters, its schedule and the tasks after it (rule 16). */
    static boolean hasEnded(TaskState state) {
        return !state.isLive() || state == TaskState.BURIED;
    }

    /**
     * The status of a task that a storage does not find.
     *
     * @param lastId the largest id that a task has got
     */
    static TaskStatus ofMissing(long taskId, long lastId) {
        return taskId > 0 && taskId <= lastId ? new Forgotten() : new Unknown();
    }

    /** The outcome of the task, or empty while the task lives. */
    default Optional<Outcome> outcome(long taskId) {
        if (this instanceof Forgotten) {
            throw new OutcomeForgottenException(taskId);
        } else if (this instanceof Unknown) {
            throw new TaskNotFoundException(taskId);
        }
        return this instanceof Ended ended ? Optional.of(ended.outcome()) : Optional.empty();
    }
}
