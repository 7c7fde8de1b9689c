package dev.leat.sql.internal.work;

import dev.leat.Attempt;
import dev.leat.Thrown;
import dev.leat.error.TaskNotFoundException;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.jdbc.Values;
import dev.leat.sql.internal.row.PlainTasks;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.row.TaskRowMapper;
import dev.leat.storage.Remembered;
import dev.leat.storage.SettledBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that one unit of work has loaded and changed. Changes stay in memory until {@link #flush} writes them in batches. A query that finds
 * tasks other than by id flushes first.
 */
public final class LoadedTasks {
    /** How long repeated settles and outcomes are known after the retention, in microseconds: the longer time of both. */
    public static final long KNOWN_MICROS = Times.micros(Remembered.OUTCOMES);

    private final UnitOfWork unit;
    private final Tx tx;
    private final Map<Long, TaskRow> loaded = new HashMap<>();
    private final Set<TaskRow> changed = new LinkedHashSet<>();
    private final List<Values> attempts = new ArrayList<>();
    private final Queue<Long> newIds = new ArrayDeque<>();

    LoadedTasks(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    // Reading

    /** Reads, and for writes locks, the live tasks in one statement. */
    public void load(Collection<Long> ids) {
        if (ids.isEmpty()) {
            return;
        }
        String statement = unit.access == Dialect.Access.WRITE ? "lock-tasks" : "live-tasks";
        for (TaskRow row : tx.list(statement, unit.rows::live, tx.dialect().ids(ids))) {
            loaded.putIfAbsent(row.id, row);
        }
    }

    /** The key of a loaded task; empty without one. */
    public String keyOf(long id) {
        TaskRow row = loaded.get(id);
        String key = row == null ? null : row.key();
        return key == null ? "" : key;
    }

    /** Locks the tasks and returns those in one of the states. */
    public List<TaskRow> load(Collection<Long> ids, RowState... states) {
        load(ids);
        List<RowState> wanted = List.of(states);
        List<TaskRow> found = new ArrayList<>(ids.size());
        for (long id : ids) {
            TaskRow row = loaded.get(id);
            if (row != null && wanted.contains(row.state)) {
                found.add(row);
            }
        }
        return found;
    }

    /** The live or finished task, even if its retention is over; null if it is unknown or forgotten. */
    @Nullable
    public TaskRow find(long id) {
        TaskRow row = loaded.get(id);
        if (row == null) {
            row = read(id);
            if (row != null) {
                loaded.put(id, row);
            }
        }
        return row;
    }

    private @Nullable TaskRow read(long id) {
        String statement = unit.access == Dialect.Access.WRITE ? "lock-task" : "live-task";
        TaskRow live = tx.first(statement, unit.rows::live, id).orElse(null);
        return live != null
                ? live
                : tx.first("finished-task", unit.rows::finished, id, unit.now, unit.now - KNOWN_MICROS)
                        .orElse(null);
    }

    /** A task that this unit of work has made and not written yet; null for all others. */
    @Nullable
    TaskRow madeHere(long id) {
        TaskRow row = loaded.get(id);
        return row == null || row.stored ? null : row;
    }

    /** The task, unless its retention is over. */
    public TaskRow get(long id) {
        TaskRow row = find(id);
        if (row == null || row.isHidden(unit.now)) {
            throw new TaskNotFoundException(id);
        }
        return row;
    }

    /** Writes all changes, and then returns the ids that a statement finds. */
    public List<Long> ids(String statement, @Nullable Object... values) {
        flush();
        return tx.ids(statement, values);
    }

    /** The ids that a statement with named parameters finds, with all changes taken into account. */
    public List<Long> ids(String statement, Consumer<Values> fill) {
        flush();
        Values values = tx.values(statement);
        fill.accept(values);
        return tx.ids(values);
    }

    // Changing

    /** Fetches the ids of new tasks from the database. */
    public void reserveIds(int count) {
        flush();
        newIds.addAll(tx.dialect().newIds(tx, count));
    }

    public long newId() {
        if (newIds.isEmpty()) {
            reserveIds(1);
        }
        return newIds.remove();
    }

    void changed(TaskRow row) {
        loaded.put(row.id, row);
        changed.add(row);
        unit.timer(row.timerAt());
    }

    void remember(
            TaskRow row, SettledBy by, Attempt.Outcome outcome, String message, Optional<Thrown> thrown, long nextDue) {
        attempt(row, row.counts.attempts(), by, outcome, message, thrown, nextDue);
    }

    void rememberGivenBack(TaskRow row) {
        attempt(row, 0, SettledBy.GIVE_BACK, Attempt.Outcome.RELEASED, "", Optional.empty(), 0);
    }

    private void attempt(
            TaskRow row,
            int number,
            SettledBy by,
            Attempt.Outcome outcome,
            String message,
            Optional<Thrown> thrown,
            long nextDue) {
        attempts.add(tx.values("insert-attempt")
                .set("task_id", row.id)
                .set("number", number)
                .set("started", row.takenAt == 0 ? unit.now : row.takenAt)
                .set("ended", unit.now)
                .set("outcome", outcome.name())
                .set("message", message)
                .set("session_id", row.session)
                .set("next_due", TaskRowMapper.orNull(nextDue))
                .set("nonce", row.nonce)
                .set("settled_by", by.code())
                .set("due", row.due)
                .set("exception", thrown.map(Thrown::exception).orElse(null))
                .set("stack_trace", thrown.map(Thrown::stackTrace).orElse(null)));
        if (number > Remembered.ATTEMPTS_PER_TASK && number % 100 == 0) {
            tx.update("trim-attempts", row.id, row.id, Remembered.ATTEMPTS_PER_TASK);
        }
    }

    public boolean wasSettled(TaskRow row, long nonce, SettledBy by) {
        if (row.settledNonce == nonce) {
            return row.settledBy == by;
        }
        flush();
        return tx.first("was-settled", found -> 1, row.id, nonce, by.code()).isPresent();
    }

    /** Writes all changes. Ends, which free addresses, are written before inserts, which use them. */
    public void flush() {
        if (!changed.isEmpty()) {
            List<TaskRow> rows = new ArrayList<>(changed);
            changed.clear();
            finish(rows);
            update(rows);
            insert(rows);
        }
        if (!attempts.isEmpty()) {
            Tx.Batch batch = tx.batch("insert-attempt");
            attempts.forEach(values -> batch.add(values));
            attempts.clear();
            batch.run();
        }
    }

    private void finish(List<TaskRow> rows) {
        Tx.Batch insert = tx.batch("insert-finished");
        Tx.Batch delete = tx.batch("delete-task");
        for (TaskRow row : rows) {
            if (!row.state.isLive()) {
                insert.add(TaskRowMapper.insertFinished(insert.values(), row));
                if (row.stored) {
                    delete.add(row.id);
                }
            }
        }
        delete.run();
        insert.run();
    }

    private void update(List<TaskRow> rows) {
        Tx.Batch batch = tx.batch("update-task");
        for (TaskRow row : rows) {
            if (row.state.isLive() && row.stored) {
                batch.add(TaskRowMapper.update(batch.values(), row));
            }
        }
        batch.run();
    }

    private void insert(List<TaskRow> rows) {
        Tx.Batch plain = tx.batch("insert-plain");
        Tx.Batch full = tx.batch("insert-full");
        for (TaskRow row : rows) {
            if (row.state.isLive() && !row.stored) {
                if (PlainTasks.fitPlainColumns(row)) {
                    plain.add(TaskRowMapper.insertPlain(plain.values(), row));
                } else {
                    full.add(TaskRowMapper.insertFull(full.values(), row));
                }
                row.stored = true;
                if (row.state == RowState.READY) {
                    unit.fresh(row);
                }
            }
        }
        plain.run();
        full.run();
    }
}
