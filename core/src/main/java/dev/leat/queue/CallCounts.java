package dev.leat.queue;

import dev.leat.TaskEvent;
import java.util.Map;

/**
 * How often this process changed tasks of a queue, by kind of change.
 *
 * @param counts calls that took effect
 */
public record CallCounts(Map<TaskEvent.Kind, Long> counts) {

    public long count(TaskEvent.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** Tasks that left the queue for good: acknowledged, deleted or canceled, and expired. */
    public long done() {
        return count(TaskEvent.Kind.ACK) + count(TaskEvent.Kind.DELETE) + count(TaskEvent.Kind.EXPIRE);
    }
}
