package dev.leat.queue;

import dev.leat.TaskEvent;
import java.util.Map;

/**
 * Counts of the changes that this process made to tasks of a queue, by kind.
 *
 * @param counts calls that took effect
 */
public record CallCounts(Map<TaskEvent.Kind, Long> counts) {

    public long count(TaskEvent.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** Tasks that have ended: acks, deletes, cancels and expiries. */
    public long done() {
        return count(TaskEvent.Kind.ACK) + count(TaskEvent.Kind.DELETE) + count(TaskEvent.Kind.EXPIRE);
    }
}
