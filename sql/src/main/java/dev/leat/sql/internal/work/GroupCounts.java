package dev.leat.sql.internal.work;

import dev.leat.GroupInfo;
import dev.leat.TaskState;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.GroupRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.storage.GroupRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The task counts of groups, within one unit of work. A unit of work appends one row of counts for each group that tasks have joined or left. It does
 * not write the row of the group, so that puts into one group do not wait for each other. The live tasks are counted by index, up to a limit, so that
 * the cost of an answer does not grow with the group.
 */
public final class GroupCounts {
    /** What this unit of work adds to the counts of a group. */
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

    /** Counts a task that has ended. A buried task is counted with the live tasks. */
    void left(long group, TaskState state) {
        if (state == TaskState.BURIED) {
            return;
        }
        switch (GroupRules.Count.of(state)) {
            case DONE -> added(group).done++;
            case FAILED -> added(group).failed++;
            case CANCELED -> added(group).canceled++;
            case OPEN, RUNNING -> throw new IllegalArgumentException(state + " is not an end");
        }
    }

    /** Counts a buried task that is kicked after the end of its group, and so runs outside of it, as failed for ever. */
    void leftBuried(long group) {
        added(group).failed++;
    }

    void flush() {
        added.forEach((group, more) -> {
            append(tx, group, new Sums(more.put, more.done, more.failed, more.canceled));
            appended.add(group);
        });
        added.clear();
    }

    /** The groups for which this unit of work has appended a row. */
    public Set<Long> appended() {
        return appended;
    }

    GroupInfo info(GroupRow group) {
        flush();
        Sums sums = tx.first("group-counts", row -> Sums.read(row, 1), group.id).orElseThrow();
        Map<GroupRules.Count, Long> live = new EnumMap<>(GroupRules.Count.class);
        boolean exact = countLive(group.id, live);
        long running = live.getOrDefault(GroupRules.Count.RUNNING, 0L);
        long failed = sums.failed + live.getOrDefault(GroupRules.Count.FAILED, 0L);
        long known = running + sums.done + failed + sums.canceled;
        long open = live.getOrDefault(GroupRules.Count.OPEN, 0L);
        // Above the limit, the number of puts is the better lower bound; it lacks the tasks of plain INSERTs.
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

    /**
     * Adds up the rows of a group, up to a limit, and replaces them by one. Of two processes that do so at once, each gets other rows, or one
     * begins again.
     */
    public static void fold(Tx tx, long group, int maxRows) {
        record Row(long id, Sums sums) {}
        List<Row> rows =
                tx.list("some-group-counts", row -> new Row(row.getLong(1), Sums.read(row, 2)), group, maxRows);
        if (rows.isEmpty()) {
            return;
        }
        Tx.Batch delete = tx.batch("delete-group-count");
        rows.forEach(row -> delete.add(row.id));
        delete.runAll();
        append(tx, group, rows.stream().map(Row::sums).reduce(new Sums(0, 0, 0, 0), Sums::plus));
    }

    private static void append(Tx tx, long group, Sums sums) {
        tx.update("insert-group-count", group, sums.put, sums.done, sums.failed, sums.canceled);
    }

    /** The columns of a row of counts. */
    private record Sums(long put, long done, long failed, long canceled) {
        static Sums read(ResultSet row, int first) throws SQLException {
            return new Sums(row.getLong(first), row.getLong(first + 1), row.getLong(first + 2), row.getLong(first + 3));
        }

        Sums plus(Sums other) {
            return new Sums(put + other.put, done + other.done, failed + other.failed, canceled + other.canceled);
        }
    }

    /** Counts the live tasks of a group, and returns whether the counts are exact. */
    private boolean countLive(long group, Map<GroupRules.Count, Long> live) {
        int limit = TaskCounts.LIMIT + 1;
        return tx
                .list(tx.values("group-live-counts").set("group_id", group).set("limit", limit), row -> {
                    long count = row.getLong(2);
                    live.merge(
                            GroupRules.Count.of(RowState.of(row.getInt(1)).task),
                            Math.min(count, TaskCounts.LIMIT),
                            Long::sum);
                    return count <= TaskCounts.LIMIT;
                })
                .stream()
                .allMatch(all -> all);
    }
}
