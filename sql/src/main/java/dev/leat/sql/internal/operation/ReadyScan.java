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
 * Brings the ready rows of a queue in the order a take asked for. Each statement reads one range of one index. Several
 * types are read one by one and merged; orders other than oldest first are read priority by priority.
 */
abstract class ReadyScan {
    /** When many rows are parked behind busy keys, this many are read at once. */
    private static final int MOST_AT_ONCE = 1_000;

    static final Comparator<TaskRow> BY_PLACE =
            Comparator.comparingLong(TaskRow::place).thenComparingLong(row -> row.id);
    private static final Comparator<TaskRow> BY_PRIORITY =
            Comparator.<TaskRow>comparingInt(row -> row.priority).thenComparing(BY_PLACE);

    /** What is done with the rows. */
    interface Taker {
        /** Answers false when the row was parked or left alone instead. */
        boolean take(TaskRow row);

        /** Writes what was taken and parked, so that it is not read again; answers whether there was any. */
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

    /** Hands rows to {@code taker} until it has taken {@code count}, or there are no more. */
    abstract void run(int count, Taker taker);

    /** Runs a statement once, or its variant for each wanted type. */
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

    /** The same for rows of whatever type. */
    final OptionalInt anyPriorityAfter(long priority) {
        return toInt(unit.tx.list("next-priority", row -> row.getInt(1), with(priority, (long) request.maxPriority())));
    }

    /**
     * Values of what takes spread over, after {@code last}, that have ready rows: up to {@code most}, or fewer if enough of them are
     * not among {@code busy}.
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

    /** All of them in one list of values, those in arrays too. */
    private static @Nullable Object[] join(Object... parts) {
        return Stream.of(parts)
                .flatMap(part -> part instanceof Object[] values ? Stream.of(values) : Stream.of(part))
                .toArray();
    }

    private static OptionalInt toInt(List<Integer> priorities) {
        return priorities.stream().mapToInt(p -> p).min();
    }

    /** Reads rows block by block, from the first one each time, since those before are taken or parked by then. */
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
                // Rows that were left alone come again: then only a larger block has others.
                boolean isSame = !taker.wrote() && (rows.size() < limit || limit >= MOST_AT_ONCE);
                if (rows.isEmpty() || isSame) {
                    return;
                }
                if (left > 0) {
                    limit = Math.max(left, Math.min(MOST_AT_ONCE, 2 * limit));
                }
            }
        }

        /** Up to {@code limit} ready rows in their order; empty when there are none. */
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
        private static final int LEAST_AT_RANDOM = 16;

        private final Random random = new Random();

        AtRandom(UnitOfWork unit, QueueRow queue, TakeRequest request) {
            super(unit, queue, request);
        }

        /**
         * Of the rows whose random numbers follow one drawn now, round the end. More are read than wanted, and shuffled: they
         * are always neighbours, and a row with a near one before it would hardly ever be the first.
         */
        @Override
        List<TaskRow> nextOf(int priority, int limit) {
            long from = unit.randomPlace();
            int read = Math.max(limit, LEAST_AT_RANDOM);
            List<TaskRow> rows = new ArrayList<>(rows("take-random", priority, from, Long.MAX_VALUE, read));
            if (rows.size() < read) {
                rows.addAll(rows("take-random", priority, 0L, from, read - rows.size()));
            }
            Collections.shuffle(rows, random);
            return rows.size() <= limit ? rows : rows.subList(0, limit);
        }
    }
}
