package dev.leat.storage;

import dev.leat.TaskEvent;
import java.util.List;
import java.util.OptionalLong;

/**
 * What came of letting a block of buried tasks run again.
 *
 * @param kicked those that run again
 * @param next the last task that was looked at, to go on after; empty when there are surely no more
 */
public record Redriven(List<TaskEvent> kicked, OptionalLong next) {
    public Redriven {
        kicked = List.copyOf(kicked);
    }
}
