package dev.leat.queue;

import dev.leat.TaskState;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The number of tasks of one tenant and business group in each state of a queue.
 *
 * @param tenant empty for tasks without one
 * @param businessGroup empty for tasks without one
 * @param counts tasks by state; finished tasks count until their retention is over
 * @param exact false when counting stopped at its limit, so that counts are lower bounds
 */
public record TenantStats(
        Optional<String> tenant, Optional<String> businessGroup, Map<TaskState, Long> counts, boolean exact) {
    /** By tenant and business group; missing values come first. */
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
