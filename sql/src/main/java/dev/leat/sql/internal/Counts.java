package dev.leat.sql.internal;

import dev.leat.QueueStats;
import dev.leat.TaskState;
import dev.leat.TenantStats;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the tasks of a queue, within one turn: by index alone, and only so far as somebody wants to know. */
final class Counts {
    /** Larger counts are told as "at least". */
    static final int MOST = 100_000;

    private static final Map<RowState, String> LIVE = new EnumMap<>(Map.of(
            RowState.WAITING_GROUP, "count-waiting-group",
            RowState.SCHEDULED, "count-scheduled",
            RowState.WAITING_KEY, "count-waiting-key",
            RowState.READY, "count-ready",
            RowState.TAKEN, "count-taken",
            RowState.BURIED, "count-buried"));

    private final Turn turn;

    Counts(Turn turn) {
        this.turn = turn;
    }

    /** How many tasks of the queue are live; stops at {@code most}. */
    long live(QueueRow queue, int most) {
        long count = 0;
        for (String statement : LIVE.values()) {
            if (count < most) {
                count += turn.tx.number(statement, queue.id(), most - (int) count);
            }
        }
        return count;
    }

    QueueStats stats(QueueRow queue) {
        Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
        LIVE.forEach((state, statement) ->
                counts.merge(state.task, turn.tx.number(statement, queue.id(), MOST + 1), Long::sum));
        for (TaskState state : TaskState.finished()) {
            int code = RowState.ofEnd(state).code;
            counts.put(state, turn.tx.number("count-finished", queue.id(), code, turn.now, MOST + 1));
        }
        boolean exact = counts.values().stream().allMatch(count -> count <= MOST);
        counts.replaceAll((state, count) -> Math.min(count, MOST));
        int consumers = turn.queues.waitingTakes(queue.name());
        return new QueueStats(queue.name(), queue.options().number(), counts, exact, consumers);
    }

    List<TenantStats> tenantStats(QueueRow queue) {
        record Owner(Optional<String> tenant, Optional<String> businessGroup) {}
        Map<Owner, Map<TaskState, Long>> counts = new HashMap<>();
        Map<RowState, Long> byState = new EnumMap<>(RowState.class);
        List<Object> values = new ArrayList<>();
        LIVE.keySet().forEach(state -> Collections.addAll(values, queue.id(), MOST + 1));
        TaskState.finished().forEach(state -> Collections.addAll(values, queue.id(), turn.now, MOST + 1));
        turn.tx.list(
                "count-by-tenant",
                row -> {
                    Owner owner =
                            new Owner(Optional.ofNullable(row.getString(1)), Optional.ofNullable(row.getString(2)));
                    RowState state = RowState.of(row.getInt(3));
                    long count = row.getLong(4);
                    byState.merge(state, count, Long::sum);
                    counts.computeIfAbsent(owner, o -> new EnumMap<>(TaskState.class))
                            .merge(state.task, count, Long::sum);
                    return row;
                },
                values.toArray());
        boolean exact = byState.values().stream().allMatch(count -> count <= MOST);
        return counts.entrySet().stream()
                .map(entry ->
                        new TenantStats(entry.getKey().tenant, entry.getKey().businessGroup, entry.getValue(), exact))
                .sorted(TenantStats.ORDER)
                .toList();
    }
}
