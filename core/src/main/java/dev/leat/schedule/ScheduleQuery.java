package dev.leat.schedule;

import dev.leat.internal.Checks;
import java.util.Optional;

/**
 * Selects schedules to list, in the order of their names.
 *
 * @param tenant only schedules of this tenant
 * @param queue only schedules that put into this queue
 * @param after only names after this one; pass the last name of a page to read the next page
 */
public record ScheduleQuery(Optional<String> tenant, Optional<String> queue, String after, int limit) {
    public static final int MAX_LIMIT = 10_000;

    private static final int PAGE = 100;

    public ScheduleQuery {
        queue.ifPresent(Checks::queueName);
        limit = Math.min(Checks.atLeast("limit", 1, limit), MAX_LIMIT);
    }

    /** All schedules, at most 100. */
    public static ScheduleQuery all() {
        return new ScheduleQuery(Optional.empty(), Optional.empty(), "", PAGE);
    }

    public ScheduleQuery tenant(String only) {
        return new ScheduleQuery(Optional.of(only), queue, after, limit);
    }

    public ScheduleQuery queue(String only) {
        return new ScheduleQuery(tenant, Optional.of(only), after, limit);
    }

    public ScheduleQuery after(String name) {
        return new ScheduleQuery(tenant, queue, name, limit);
    }

    public ScheduleQuery limit(int most) {
        return new ScheduleQuery(tenant, queue, after, most);
    }
}
