package dev.leat.queue;

import dev.leat.TaskState;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The number of tasks of a queue in each state.
 *
 * @param queue the queue's name
 * @param number the queue's number, if it has one
 * @param counts tasks by state; finished tasks count until their retention is over
 * @param exact false when a count stopped at its limit and is a lower bound
 * @param consumers the number of waiting takes
 */
public record QueueStats(String queue, OptionalInt number, Map<TaskState, Long> counts, boolean exact, int consumers) {

    public QueueStats {
        EnumMap<TaskState, Long> copy = new EnumMap<>(TaskState.class);
        for (TaskState state : TaskState.values()) {
            copy.put(state, counts.getOrDefault(state, 0L));
        }
        counts = Collections.unmodifiableMap(copy);
    }

    public long count(TaskState state) {
        return counts.getOrDefault(state, 0L);
    }

    /** The number of live tasks. */
    public long live() {
        return TaskState.live().stream().mapToLong(this::count).sum();
    }
}
