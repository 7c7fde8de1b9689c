package dev.leat.sql.internal.upkeep;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Tx;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Adds up the rows that turns have appended to the counts of a group, so that the counts of a group with a million tasks are a few thousand
 * rows at most. Safe from any thread.
 */
public final class GroupFolds {
    /** So many rows are left alone: to add them up costs less than to write them anew. */
    private static final int ROWS = 1_000;
    /** Of more groups than this one loses count; those whose rows matter are few, and soon noticed again. */
    private static final int MOST_GROUPS = 10_000;

    private final Db db;
    /** How many rows this process has appended since they were added up. */
    private final Map<Long, Integer> appended = new ConcurrentHashMap<>();

    public GroupFolds(Db db) {
        this.db = db;
    }

    /** Each of the groups has got a row. */
    public void appended(Collection<Long> groups) {
        if (appended.size() > MOST_GROUPS) {
            appended.clear();
        }
        groups.forEach(group -> appended.merge(group, 1, Integer::sum));
    }

    public void fold() {
        appended.forEach((group, rows) -> {
            if (rows >= ROWS) {
                appended.remove(group);
                for (int folded = 0; folded < rows; folded += ROWS) {
                    db.write(Db.Repeat.HARMLESS, tx -> fold(tx, group));
                }
            }
        });
    }

    private record Row(long id, long put, long done, long failed, long canceled) {}

    /** Those who do the same at the same moment have others, or begin anew. */
    private static int fold(Tx tx, long group) {
        List<Row> rows = tx.list(
                "some-group-counts",
                row -> new Row(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                group,
                ROWS + 1);
        if (rows.isEmpty()) {
            return 0;
        }
        Tx.Batch delete = tx.batch("delete-group-count");
        rows.forEach(row -> delete.add(row.id));
        delete.runAll();
        tx.update(
                "insert-group-count",
                group,
                rows.stream().mapToLong(Row::put).sum(),
                rows.stream().mapToLong(Row::done).sum(),
                rows.stream().mapToLong(Row::failed).sum(),
                rows.stream().mapToLong(Row::canceled).sum());
        return rows.size();
    }
}
