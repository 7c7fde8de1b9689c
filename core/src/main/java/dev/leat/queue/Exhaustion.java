package dev.leat.queue;

import dev.leat.Task;

/** What happens to a task that has used up its attempts. */
public enum Exhaustion {
    /** It is buried: it stays in the dead-letter list until somebody kicks or deletes it. */
    BURY,
    /**
     * It fails, and a new task with the same payload, linked by {@link Task#deadOf()}, runs the queue's dead handler
     * with attempts of its own. When that one is used up too, it is buried.
     */
    DEAD_HANDLER,
    /** It is finished with its error. */
    FAIL,
    /** It is finished with its error, and its group is canceled. Without a group this is {@link #FAIL}. */
    FAIL_GROUP
}
