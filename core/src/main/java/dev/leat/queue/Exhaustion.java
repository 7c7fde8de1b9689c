package dev.leat.queue;

import dev.leat.Task;

/** What follows for an exhausted task. */
public enum Exhaustion {
    /** The task is buried: it stays on the dead-letter list until an operator kicks or deletes it. */
    BURY,
    /**
     * The task fails, and a dead run with the same payload, linked by {@link Task#deadOf()}, goes to the queue's dead handler. The dead run has
     * attempts of its own, and is buried when they are exhausted.
     */
    DEAD_HANDLER,
    /** The task becomes FAILED. */
    FAIL,
    /** The task becomes FAILED and its group is canceled. Without a group, this is {@link #FAIL}. */
    FAIL_GROUP
}
