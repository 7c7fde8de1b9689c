package dev.leat.sql.internal.work;

import dev.leat.GroupInfo;
import dev.leat.TaskState;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.GroupRow;
import dev.leat.sql.internal.row.RowState;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How many tasks groups have, within one unit of work. A turn appends one row for each group that tasks have joined or left, and never writes the
 * group itself; what is still there is counted by the index, up to a limit. So the cost of an answer does not grow with the group.
 */
public final class GroupCounts {
    /** What a turn adds to the counts of a group. */
    private static final class Added {
        long put;
        long done;
        long failed;
        long canceled;
    }

    private final Tx tx;
    private final Map<Long, Added> added = new HashMap<>(2);
    private final Set<Long> appended = new LinkedHashSet<>(2);

    GroupCounts(Tx tx) {
        this.tx = tx;
    }

    private Added added(long group) {
        return added.computeIfAbsent(group, id -> new Added());
    }

    void joined(long group) {
        added(group).put++;
    }

    /** A task has reached its end. One that is buried is still there, and counted so. */
    void left(long group, TaskState state) {
        switch (state) {
            case DONE -> added(group).done++;
            case FAILED, EXPIRED -> added(group).failed++;
            case CANCELED -> added(group).canceled++;
            case BURIED -> {}
            case WAITING, SCHEDULED, READY, TAKEN -> throw new IllegalArgumentException(state + " is not an end");
        }
    }

    /** A task that was buried when the group ended runs again, outside of it; the group remembers it as failed. */
    void leftBuried(long group) {
        added(group).failed++;
    }

    void flush() {
        added.forEach((group, more) -> {
            tx.update("insert-group-count", group, more.put, more.done, more.failed, more.canceled);
            appended.add(group);
        });
        added.clear();
    }

    /** The groups that have got a row by this turn. */
    public Set<Long> appended() {
        return appended;
    }

    GroupInfo info(GroupRow group) {
        flush();
        record Sums(long put, long done, long failed, long canceled) {}
        Sums sums = tx.first(
                        "group-counts",
                        row -> new Sums(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)),
                        group.id)
                .orElseThrow();
        Map<TaskState, Long> live = new EnumMap<>(TaskState.class);
        boolean exact = countLive(group.id, live);
        long running = live.getOrDefault(TaskState.TAKEN, 0L);
        long failed = sums.failed + live.getOrDefault(TaskState.BURIED, 0L);
        long known = running + sums.done + failed + sums.canceled;
        long open = live.getOrDefault(TaskState.WAITING, 0L)
                + live.getOrDefault(TaskState.SCHEDULED, 0L)
                + live.getOrDefault(TaskState.READY, 0L);
        // Where too many were left to count them, those that were ever put say more; plain inserts are not among them.
        open = exact ? open : Math.max(open, sums.put - known);
        return new GroupInfo(
                group.id,
                group.name,
                group.state,
                open + known,
                open,
                running,
                sums.done,
                failed,
                sums.canceled,
                exact,
                group.closingTask == 0 ? OptionalLong.empty() : OptionalLong.of(group.closingTask));
    }

    /** Answers whether all were counted. */
    private boolean countLive(long group, Map<TaskState, Long> live) {
        int limit = TaskCounts.MOST + 1;
        return tx
                .list(tx.values("group-live-counts").set("group_id", group).set("limit", limit), row -> {
                    long count = row.getLong(2);
                    live.merge(RowState.of(row.getInt(1)).task, Math.min(count, TaskCounts.MOST), Long::sum);
                    return count <= TaskCounts.MOST;
                })
                .stream()
                .allMatch(all -> all);
    }
}
