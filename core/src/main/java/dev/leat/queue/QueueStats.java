package dev.leat.queue;

import dev.leat.TaskState;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How many tasks of a queue are in each state.
 *
 * @param queue the queue's name
 * @param number the queue's number, if it has one
 * @param counts tasks by state; finished states count what is still kept
 * @param exact false when a count was cut off, and is "at least" that
 * @param consumers how many takes are waiting for tasks of this queue
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

    /** All tasks that can still run; finished ones are not counted. */
    public long live() {
        return TaskState.live().stream().mapToLong(this::count).sum();
    }
}
