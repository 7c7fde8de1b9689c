package dev.leat.storage;

import dev.leat.Outcome;

/** How a task stands, for somebody who waits for its end. */
public sealed interface TaskStatus {

    /**
     * It has not ended.
     *
     * @param queue the task's queue
     * @param chunk the last part of its result that its present holder has told of, 0 for none
     */
    record Lives(String queue, int chunk) implements TaskStatus {}

    /**
     * It has ended, or was put aside.
     *
     * @param queue the task's queue
     * @param outcome how
     */
    record Ended(String queue, Outcome outcome) implements TaskStatus {}

    /** It has ended so long ago that nobody knows how. */
    record Forgotten() implements TaskStatus {}

    /** There was never such a task. */
    record Unknown() implements TaskStatus {}
}
