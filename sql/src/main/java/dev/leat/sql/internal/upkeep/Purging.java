package dev.leat.sql.internal.upkeep;

import dev.leat.TaskState;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.Operators;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.work.LoadedTasks;
import dev.leat.sql.internal.work.QueueRows;
import dev.leat.sql.internal.work.UnitOfWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Deletes the rows whose retention is over, within one unit of work: one step of {@link PurgeRuns}. */
public final class Purging {
    /** The number of rows of each table that one step removes at most. A sweep can ask for fewer. */
    static final int ROWS_PER_STEP = 1_000;

    /** How long an ended group can be read. */
    private static final long GROUPS_KNOWN = Times.micros(Duration.ofDays(30));

    private final UnitOfWork unit;
    private final Tx tx;
    private final int limit;
    private int tasks;
    private long rows;
    private boolean isMore;

    /** @param limit the number of rows of each table that are deleted at most, which keeps the transaction short */
    public Purging(UnitOfWork unit, int limit) {
        this.unit = unit;
        this.tx = unit.tx;
        this.limit = limit;
    }

    public PurgeRuns.Removed run() {
        long known = unit.now - LoadedTasks.KNOWN_MICROS;
        for (QueueRow queue : tx.list("dropped-queues", QueueRows::read)) {
            new Operators(unit).dropLeftovers(queue);
        }
        unit.tasks.flush();
        List<Long> queues = new ArrayList<>(tx.ids("queue-ids"));
        Collections.shuffle(
                queues,
                ThreadLocalRandom.current()); // so that a queue that always fills the limit does not starve the others
        for (long queue : queues) {
            for (TaskState state : TaskState.finished()) {
                finished(queue, RowState.ofEnd(state), known);
            }
            tx.update("forget-queue", queue);
        }
        givenBack(known);
        idempotencyKeys();
        if (tx.dialect().hasFastPath()) {
            count(tx.update("purge-forgotten-acks", known, limit));
        }
        List<Long> groups = tx.ids("old-groups", unit.now - GROUPS_KNOWN, limit);
        for (long group : groups) {
            tx.update("delete-group", group);
            tx.update("delete-group-counts", group);
            tx.update("delete-group-dependencies", group);
        }
        count(groups.size());
        return new PurgeRuns.Removed(tasks, rows, isMore);
    }

    private void finished(long queue, RowState state, long known) {
        int left = limit - tasks;
        if (left == 0) {
            return;
        }
        List<Long> old = tx.ids("old-finished", queue, state.code, unit.now, known, left);
        Tx.Batch finished = tx.batch("delete-finished");
        Tx.Batch attempts = tx.batch("delete-attempts");
        for (long id : old) {
            finished.add(id);
            attempts.add(id);
        }
        finished.run();
        attempts.run();
        tasks += old.size();
        rows += old.size();
        isMore |= tasks >= limit;
    }

    private void givenBack(long known) {
        Tx.Batch attempts = tx.batch("delete-attempt");
        List<Long> old = tx.ids("old-given-back", known, limit);
        old.forEach(attempts::add);
        attempts.run();
        count(old.size());
    }

    private void idempotencyKeys() {
        record Key(long queue, String name) {}
        Tx.Batch keys = tx.batch("delete-idempotency");
        List<Key> old = tx.list("old-idempotency", row -> new Key(row.getLong(1), row.getString(2)), unit.now, limit);
        old.forEach(key -> keys.add(key.queue, key.name, unit.now));
        keys.run();
        count(old.size());
    }

    private void count(int gone) {
        rows += gone;
        isMore |= gone >= limit;
    }
}
