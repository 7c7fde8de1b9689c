package dev.leat.sql.internal.operation;

import dev.leat.TakeRequest;
import dev.leat.queue.TakeOrder;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.UnitOfWork;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ready rows of a queue in the order of a take. Each statement reads one range of one index. Several types are read one by one and
 * merged. Orders other than oldest first are read priority by priority.
 */
abstract class ReadyScan {
    /** The largest block, reached when many rows wait behind busy keys. */
    private static final int MAX_BLOCK = 1_000;

    static final Comparator<TaskRow> BY_PLACE =
            Comparator.comparingLong(TaskRow::place).thenComparingLong(row -> row.id);
    private static final Comparator<TaskRow> BY_PRIORITY =
            Comparator.<TaskRow>comparingInt(row -> row.priority).thenComparing(BY_PLACE);

    /** Takes or parks the rows. */
    interface Taker {
        /** Returns false if the row was parked behind its key, or left as it is. */
        boolean take(TaskRow row);

        /** Writes the taken and parked rows, so that they are not read again. Returns whether there were any. */
        boolean wrote();
    }

    final UnitOfWork unit;
    final QueueRow queue;
    final TakeRequest request;

    ReadyScan(UnitOfWork unit, QueueRow queue, TakeRequest request) {
        this.unit = unit;
        this.queue = queue;
        this.request = request;
    }

    static ReadyScan of(UnitOfWork unit, QueueRow queue, TakeRequest request, TenantTurns turns) {
        if (queue.takesTenantsInTurn()) {
            return new TenantScan(unit, queue, request, turns);
        }
        if (request.order() instanceof TakeOrder.PreferDistinct distinct) {
            return new FairScan(unit, queue, request, distinct.ties());
        } else if (request.order() == TakeOrder.Simple.NEWEST) {
            return new Newest(unit, queue, request);
        } else if (request.order() == TakeOrder.Simple.RANDOM) {
            return new AtRandom(unit, queue, request);
        }
        return new Oldest(unit, queue, request);
    }

    /** Passes rows to {@code taker} until it has taken {@code count}, or no row is left. */
    abstract void run(int count, Taker taker);

    /** Runs a statement once, or its variant once for each type. */
    final List<TaskRow> rows(String statement, @Nullable Object... values) {
        if (request.types().isEmpty()) {
            return unit.tx.list(statement, unit.rows::live, with(values));
        }
        List<TaskRow> rows = new ArrayList<>();
        for (String type : request.types().get()) {
            rows.addAll(unit.tx.list(statement + "-of-type", unit.rows::live, with(type, values)));
        }
        return rows;
    }

    final @Nullable Object[] with(@Nullable Object... values) {
        @Nullable Object[] all = new @Nullable Object[values.length + 1];
        all[0] = queue.id();
        System.arraycopy(values, 0, all, 1, values.length);
        return all;
    }

    final @Nullable Object[] with(String type, @Nullable Object... values) {
        @Nullable Object[] typed = new @Nullable Object[values.length + 1];
        typed[0] = type;
        System.arraycopy(values, 0, typed, 1, values.length);
        return with(typed);
    }

    final List<TaskRow> best(List<TaskRow> rows, Comparator<TaskRow> order, int limit) {
        if (request.types().isPresent()) {
            rows.sort(order);
        }
        return rows.size() <= limit ? rows : rows.subList(0, limit);
    }

    /** The most important priority after {@code priority} that has ready rows. */
    final OptionalInt priorityAfter(long priority) {
        @Nullable Object[] range = {priority, (long) request.maxPriority()};
        if (request.types().isEmpty()) {
            return anyPriorityAfter(priority);
        }
        List<Integer> found = new ArrayList<>();
        for (String type : request.types().get()) {
            found.addAll(unit.tx.list("next-priority-of-type", row -> row.getInt(1), with(type, range)));
        }
        return toInt(found);
    }

    /** As {@link #priorityAfter}, for rows of all types. */
    final OptionalInt anyPriorityAfter(long priority) {
        return toInt(unit.tx.list("next-priority", row -> row.getInt(1), with(priority, (long) request.maxPriority())));
    }

    /**
     * The values of the spread column, after {@code last}, that have ready rows. Stops at {@code most} values, or once enough of them are not among
     * {@code busy}.
     */
    final Set<String> spreadsAfter(String last, int priority, int most, Set<String> busy) {
        if (request.types().isEmpty()) {
            return spreads("", last, most, busy, new Object[] {queue.id(), priority});
        }
        TreeSet<String> ofAnyType = new TreeSet<>();
        for (String type : request.types().get()) {
            ofAnyType.addAll(spreads("-of-type", last, most, busy, new Object[] {queue.id(), type, priority}));
        }
        while (ofAnyType.size() > most) {
            ofAnyType.pollLast();
        }
        return ofAnyType;
    }

    private Set<String> spreads(String variant, String last, int most, Set<String> busy, Object[] where) {
        Set<String> values = new TreeSet<>();
        if (unit.tx.dialect().seeksInRecursion()) {
            unit.tx.list("next-spreads" + variant, row -> values.add(row.getString(1)), join(where, last, where, most));
            return values;
        }
        int wanted = most - busy.size();
        Optional<String> next = nextSpread(variant, join(where, last));
        while (next.isPresent()) {
            values.add(next.get());
            wanted -= busy.contains(next.get()) ? 0 : 1;
            next = wanted > 0 ? nextSpread(variant, join(where, next.get())) : Optional.empty();
        }
        return values;
    }

    private Optional<String> nextSpread(String variant, @Nullable Object[] values) {
        return unit.tx.first("next-spread" + variant, row -> row.getString(1), values);
    }

    /** All parts in one array, with the elements of arrays among them. */
    private static @Nullable Object[] join(Object... parts) {
        return Stream.of(parts)
                .flatMap(part -> part instanceof Object[] values ? Stream.of(values) : Stream.of(part))
                .toArray();
    }

    private static OptionalInt toInt(List<Integer> priorities) {
        return priorities.stream().mapToInt(p -> p).min();
    }

    /** Reads blocks of rows. Each block starts at the head, because the rows of the block before are taken or parked by then. */
    private abstract static class InBlocks extends ReadyScan {
        InBlocks(UnitOfWork unit, QueueRow queue, TakeRequest request) {
            super(unit, queue, request);
        }

        @Override
        void run(int count, Taker taker) {
            int left = count;
            int limit = count;
            while (left > 0) {
                List<TaskRow> rows = next(limit);
                for (int i = 0; i < rows.size() && left > 0; i++) {
                    left -= taker.take(rows.get(i)) ? 1 : 0;
                }
                // Rows that were left as they are come again: then only a larger block has other rows.
                boolean isSame = !taker.wrote() && (rows.size() < limit || limit >= MAX_BLOCK);
                if (rows.isEmpty() || isSame) {
                    return;
                }
                if (left > 0) {
                    limit = Math.max(left, Math.min(MAX_BLOCK, 2 * limit));
                }
            }
        }

        /** Up to {@code limit} ready rows in their order. */
        abstract List<TaskRow> next(int limit);
    }

    private static final class Oldest extends InBlocks {
        Oldest(UnitOfWork unit, QueueRow queue, TakeRequest request) {
            super(unit, queue, request);
        }

        @Override
        List<TaskRow> next(int limit) {
            return best(rows("take-oldest", request.maxPriority(), limit), BY_PRIORITY, limit);
        }
    }

    /** Reads priority by priority. */
    private abstract static class ByPriority extends InBlocks {
        ByPriority(UnitOfWork unit, QueueRow queue, TakeRequest request) {
            super(unit, queue, request);
        }

        @Override
        List<TaskRow> next(int limit) {
            List<TaskRow> rows = new ArrayList<>();
            OptionalInt priority = priorityAfter(Long.MIN_VALUE);
            while (priority.isPresent() && rows.size() < limit) {
                rows.addAll(nextOf(priority.getAsInt(), limit - rows.size()));
                priority = priorityAfter(priority.getAsInt());
            }
            return rows;
        }

        abstract List<TaskRow> nextOf(int priority, int limit);
    }

    private static final class Newest extends ByPriority {
        Newest(UnitOfWork unit, QueueRow queue, TakeRequest request) {
            super(unit, queue, request);
        }

        @Override
        List<TaskRow> nextOf(int priority, int limit) {
            return best(rows("take-newest", priority, limit), BY_PLACE.reversed(), limit);
        }
    }

    private static final class AtRandom extends ByPriority {
        private static final int MIN_SHUFFLED = 16;

        private final Random random = new Random();

        AtRandom(UnitOfWork unit, QueueRow queue, TakeRequest request) {
            super(unit, queue, request);
        }

        /**
         * Reads the rows whose random places follow a random number, and wraps at the end. Reads at least 16 rows and shuffles them: otherwise
         * a row whose place is just behind that of another row would almost never be taken first.
         */
        @Override
        List<TaskRow> nextOf(int priority, int limit) {
            long from = unit.randomPlace();
            int read = Math.max(limit, MIN_SHUFFLED);
            List<TaskRow> rows = new ArrayList<>(rows("take-random", priority, from, Long.MAX_VALUE, read));
            if (rows.size() < read) {
                rows.addAll(rows("take-random", priority, 0L, from, read - rows.size()));
            }
            Collections.shuffle(rows, random);
            return rows.size() <= limit ? rows : rows.subList(0, limit);
        }
    }
}
