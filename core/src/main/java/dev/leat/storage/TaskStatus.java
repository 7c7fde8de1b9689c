package dev.leat.storage;

import dev.leat.Outcome;

/** What a storage answers about a task that a caller waits for. */
public sealed interface TaskStatus {

    /**
     * The task has not ended.
     *
     * @param queue the task's queue
     * @param chunk the last chunk of its result in this delivery, 0 for none
     */
    record Lives(String queue, int chunk) implements TaskStatus {}

    /**
     * The task has ended or is buried.
     *
     * @param queue the task's queue
     * @param outcome how the task ended
     */
    record Ended(String queue, Outcome outcome) implements TaskStatus {}

    /** The task has ended, and the storage no longer keeps how. */
    record Forgotten() implements TaskStatus {}

    /** The storage has never given out this id. */
    record Unknown() implements TaskStatus {}
}
