package dev.leat.sql.internal.work;

import dev.leat.TaskState;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the tasks of queues, within one unit of work, by index only and up to a limit. */
public final class TaskCounts {
    /** Larger counts are marked as "at least" (rule 25). */
    static final int LIMIT = 100_000;

    private static final Map<RowState, String> LIVE = new EnumMap<>(Map.of(
            RowState.WAITING_GROUP, "count-waiting-group",
            RowState.SCHEDULED, "count-scheduled",
            RowState.WAITING_KEY, "count-waiting-key",
            RowState.READY, "count-ready",
            RowState.TAKEN, "count-taken",
            RowState.BURIED, "count-buried"));

    private final UnitOfWork unit;

    public TaskCounts(UnitOfWork unit) {
        this.unit = unit;
    }

    /** The number of live tasks of the queue, up to {@code most}. */
    public long live(QueueRow queue, int most) {
        long count = 0;
        for (String statement : LIVE.values()) {
            if (count < most) {
                count += unit.tx.number(statement, queue.id(), most - (int) count);
            }
        }
        return count;
    }

    public QueueStats stats(QueueRow queue) {
        Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
        LIVE.forEach((state, statement) ->
                counts.merge(state.task, unit.tx.number(statement, queue.id(), LIMIT + 1), Long::sum));
        for (TaskState state : TaskState.finished()) {
            int code = RowState.ofEnd(state).code;
            counts.put(state, unit.tx.number("count-finished", queue.id(), code, unit.now, LIMIT + 1));
        }
        boolean exact = counts.values().stream().allMatch(count -> count <= LIMIT);
        counts.replaceAll((state, count) -> Math.min(count, LIMIT));
        int consumers = unit.queues.waitingTakes(queue.name());
        return new QueueStats(queue.name(), queue.options().number(), counts, exact, consumers);
    }

    public List<TenantStats> tenantStats(QueueRow queue) {
        record Owner(Optional<String> tenant, Optional<String> businessGroup) {}
        Map<Owner, Map<TaskState, Long>> counts = new HashMap<>();
        Map<RowState, Long> byState = new EnumMap<>(RowState.class);
        unit.tx.list(
                unit.tx
                        .values("count-by-tenant")
                        .set("queue_id", queue.id())
                        .set("now", unit.now)
                        .set("limit", LIMIT + 1),
                row -> {
                    Owner owner =
                            new Owner(Optional.ofNullable(row.getString(1)), Optional.ofNullable(row.getString(2)));
                    RowState state = RowState.of(row.getInt(3));
                    long count = row.getLong(4);
                    byState.merge(state, count, Long::sum);
                    counts.computeIfAbsent(owner, o -> new EnumMap<>(TaskState.class))
                            .merge(state.task, count, Long::sum);
                    return row;
                });
        boolean exact = byState.values().stream().allMatch(count -> count <= LIMIT);
        return counts.entrySet().stream()
                .map(entry ->
                        new TenantStats(entry.getKey().tenant, entry.getKey().businessGroup, entry.getValue(), exact))
                .sorted(TenantStats.ORDER)
                .toList();
    }
}
