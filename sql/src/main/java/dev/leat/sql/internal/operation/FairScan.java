package dev.leat.sql.internal.operation;

import dev.leat.TakeRequest;
import dev.leat.queue.TakeOrder;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.UnitOfWork;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;

/** Reads first the ready rows of the tag value that the fewest running tasks have. Walks the values, not the tasks. */
final class FairScan extends ReadyScan {
    private static final int MAX_ROWS_PER_VALUE = 16;

    private final TakeOrder.Simple ties;
    private final Random random = new Random();
    private final Map<String, Integer> running = new HashMap<>();

    FairScan(UnitOfWork unit, QueueRow queue, TakeRequest request, TakeOrder.Simple ties) {
        super(unit, queue, request);
        this.ties = ties;
        unit.tx.list("running-by-spread", row -> running.put(row.getString(1), row.getInt(2)), queue.id());
    }

    @Override
    void run(int count, Taker taker) {
        int left = count;
        OptionalInt priority = priorityAfter(Long.MIN_VALUE);
        while (priority.isPresent() && left > 0) {
            left -= takeFrom(priority.getAsInt(), left, taker);
            priority = priorityAfter(priority.getAsInt());
        }
    }

    private int takeFrom(int priority, int count, Taker taker) {
        Map<String, List<TaskRow>> heads = new HashMap<>();
        for (String value : values(priority)) {
            fill(priority, value, heads);
        }
        int taken = 0;
        while (taken < count && !heads.isEmpty()) {
            String value = fairest(heads);
            List<TaskRow> rows = heads.get(value);
            if (rows == null) {
                return taken;
            }
            if (taker.take(rows.remove(0))) {
                running.merge(value, 1, Integer::sum);
                taken++;
            }
            if (rows.isEmpty()) {
                if (taker.wrote()) {
                    fill(priority, value, heads);
                } else {
                    heads.remove(value);
                }
            }
        }
        return taken;
    }

    private void fill(int priority, String value, Map<String, List<TaskRow>> heads) {
        List<TaskRow> rows = rowsOf(priority, value);
        if (rows.isEmpty()) {
            heads.remove(value);
        } else {
            heads.put(value, rows);
        }
    }

    private List<TaskRow> rowsOf(int priority, String value) {
        boolean newest = ties == TakeOrder.Simple.NEWEST;
        String statement = newest ? "take-newest-of-spread" : "take-oldest-of-spread";
        Comparator<TaskRow> order = newest ? BY_PLACE.reversed() : BY_PLACE;
        int limit = Math.min(request.count(), MAX_ROWS_PER_VALUE);
        return new ArrayList<>(best(rows(statement, priority, value, limit), order, limit));
    }

    /** Tasks without the tag come first, then the value with the fewest running tasks; {@code ties} decides between equal values. */
    private String fairest(Map<String, List<TaskRow>> heads) {
        if (heads.containsKey(QueueRow.NO_TAG)) {
            return QueueRow.NO_TAG;
        }
        List<String> fewest = new ArrayList<>();
        int least = Integer.MAX_VALUE;
        for (String value : heads.keySet()) {
            int runs = running.getOrDefault(value, 0);
            if (runs < least) {
                least = runs;
                fewest.clear();
            }
            if (runs == least) {
                fewest.add(value);
            }
        }
        if (ties == TakeOrder.Simple.RANDOM) {
            return fewest.get(random.nextInt(fewest.size()));
        }
        Comparator<TaskRow> order = ties == TakeOrder.Simple.NEWEST ? BY_PLACE.reversed() : BY_PLACE;
        return Collections.min(fewest, Comparator.comparing(value -> first(heads, value), order));
    }

    private static TaskRow first(Map<String, List<TaskRow>> heads, String value) {
        return heads.getOrDefault(value, List.of()).get(0);
    }

    /** All values with ready rows. All but the empty value, which is always added, sort after a space. */
    private Set<String> values(int priority) {
        Set<String> values = spreadsAfter(" ", priority, Integer.MAX_VALUE, Set.of());
        values.add(QueueRow.NO_TAG);
        return values;
    }
}
