package dev.leat.storage;

import dev.leat.TaskEvent;
import java.util.List;
import java.util.OptionalLong;

/**
 * The result of one block of a redrive.
 *
 * @param kicked the tasks that run again
 * @param next the last task of this block, which the next block begins after; empty if no task is left
 */
public record Redriven(List<TaskEvent> kicked, OptionalLong next) {
    public Redriven {
        kicked = List.copyOf(kicked);
    }
}
