package dev.leat.queue;

import dev.leat.TaskState;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many tasks of a queue one tenant has in each state, or one business group of a tenant.
 *
 * @param tenant empty for tasks without one
 * @param businessGroup empty for tasks without one
 * @param counts tasks by state; finished states count what is still kept
 * @param exact false when a queue has more tasks in a state than were counted, so that counts are "at least" that
 */
public record TenantStats(
        Optional<String> tenant, Optional<String> businessGroup, Map<TaskState, Long> counts, boolean exact) {
    /** By tenant and business group; those without come first. */
    public static final Comparator<TenantStats> ORDER = Comparator.comparing(
                    (TenantStats stats) -> stats.tenant.orElse(""))
            .thenComparing(stats -> stats.businessGroup.orElse(""));

    public TenantStats {
        Map<TaskState, Long> copy = new EnumMap<>(TaskState.class);
        for (TaskState state : TaskState.values()) {
            copy.put(state, counts.getOrDefault(state, 0L));
        }
        counts = Collections.unmodifiableMap(copy);
    }

    public long count(TaskState state) {
        return counts.getOrDefault(state, 0L);
    }
}
