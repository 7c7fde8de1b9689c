package dev.leat.sql.internal.upkeep;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.work.GroupCounts;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides when the rows of counts of a group are added up. So a group of a million tasks has a few thousand rows at most. {@link GroupCounts} writes
 * and adds up the rows. Safe from any thread.
 */
public final class GroupFolds {
    /** The number of rows that is worth a fold: to sum up fewer rows in each read is cheaper than to replace them. */
    private static final int MIN_ROWS = 1_000;
    /** Above this number of groups all counters start again. Groups with many rows are few, and soon counted again. */
    private static final int MAX_GROUPS = 10_000;

    private final Db db;
    /** The rows that this process has appended since the last fold, by group. */
    private final Map<Long, Integer> appended = new ConcurrentHashMap<>();

    public GroupFolds(Db db) {
        this.db = db;
    }

    /** Called after a unit of work has appended a row for each of the groups. */
    public void appended(Collection<Long> groups) {
        if (appended.size() > MAX_GROUPS) {
            appended.clear();
        }
        groups.forEach(group -> appended.merge(group, 1, Integer::sum));
    }

    public void fold() {
        appended.forEach((group, rows) -> {
            if (rows >= MIN_ROWS) {
                appended.remove(group);
                for (int folded = 0; folded < rows; folded += MIN_ROWS) {
                    db.write(Db.Repeat.HARMLESS, tx -> {
                        GroupCounts.fold(tx, group, MIN_ROWS + 1);
                        return group;
                    });
                }
            }
        });
    }
}
