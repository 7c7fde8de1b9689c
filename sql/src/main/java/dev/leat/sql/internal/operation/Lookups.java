package dev.leat.sql.internal.operation;

import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.queue.QueueStats;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.jdbc.Values;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.row.TaskRowMapper;
import dev.leat.sql.internal.work.Equivalents;
import dev.leat.sql.internal.work.LoadedTasks;
import dev.leat.sql.internal.work.TaskCounts;
import dev.leat.sql.internal.work.TaskInserts;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.TaskStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads tasks, attempts, outcomes and counts, within one unit of work that changes nothing. */
public final class Lookups {
    private final UnitOfWork unit;
    private final Tx tx;

    public Lookups(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    public Optional<Task> peek(long taskId) {
        TaskRow row = unit.tasks.find(taskId);
        return row == null || row.isHidden(unit.now)
                ? Optional.empty()
                : Optional.of(shown(List.of(row)).get(0));
    }

    public List<Task> list(TaskQuery query) {
        return shown(byType(query)
                .flatMap(each -> listOfType(each).stream())
                .sorted(Comparator.comparingLong(row -> row.id))
                .limit(query.limit())
                .toList());
    }

    /** One query for each type, because the statements filter by one type. */
    private static Stream<TaskQuery> byType(TaskQuery query) {
        return query.types().map(types -> types.stream().map(query::type)).orElseGet(() -> Stream.of(query));
    }

    private List<TaskRow> listOfType(TaskQuery query) {
        Long queue = query.queue().map(name -> unit.queues.get(name).id()).orElse(null);
        List<TaskRow> found = new ArrayList<>();
        if (query.states().stream().anyMatch(TaskState::isLive)) {
            Values values =
                    filter(tx.values("list-live"), query).set("queue_id", queue).set("limit", query.limit());
            setStates(values, query, true);
            found.addAll(tx.list(values, unit.rows::live));
        }
        if (query.states().stream().anyMatch(TaskState::isFinished)) {
            Values values = filter(tx.values("list-finished"), query)
                    .set("queue_id", queue)
                    .set("now", unit.now)
                    .set("limit", query.limit());
            setStates(values, query, false);
            found.addAll(tx.list(values, unit.rows::finished));
        }
        return found;
    }

    private List<Task> shown(List<TaskRow> rows) {
        unit.dependencies.show(rows);
        return rows.stream().map(TaskRow::snapshot).toList();
    }

    /** A NULL leaves a filter out. */
    private static Values filter(Values values, TaskQuery query) {
        return values.set("after", query.after())
                .set("type", query.types().map(only -> only.iterator().next()).orElse(null))
                .set("tenant", query.tenant().orElse(null))
                .set("key", query.key().orElse(null))
                .set("address", query.address().orElse(null))
                .set("group", TaskRowMapper.orNull(query.group().orElse(0)))
                .set("subscriber", query.subscriber().orElse(null))
                .set("message", query.message().orElse(null));
    }

    /** Each parameter is the code of a state, or 0, which no row has, for a state that the query leaves out. */
    private static void setStates(Values values, TaskQuery query, boolean live) {
        Arrays.stream(RowState.values())
                .filter(state -> state.isLive() == live)
                .forEach(state -> values.set(
                        state.name().toLowerCase(Locale.ROOT), query.states().contains(state.task) ? state.code : 0));
    }

    public int countBuried(TaskQuery query, int most) {
        long count = 0;
        for (TaskQuery each : byType(query).toList()) {
            for (QueueRow queue : queues(query)) {
                if (count < most) {
                    count += tx.number(setBuried(tx.values("count-matching-buried"), queue, each, most - count));
                }
            }
        }
        return (int) count;
    }

    /** The next buried tasks that match a query, by id and up to its limit. */
    List<Long> buried(TaskQuery query) {
        return byType(query)
                .flatMap(each -> queues(query).stream().flatMap(queue -> buried(queue, each).stream()))
                .sorted()
                .limit(query.limit())
                .toList();
    }

    private List<Long> buried(QueueRow queue, TaskQuery query) {
        return unit.tasks.ids("matching-buried", values -> setBuried(values, queue, query, query.limit()));
    }

    private List<QueueRow> queues(TaskQuery query) {
        return query.queue().map(name -> List.of(unit.queues.get(name))).orElseGet(unit.queues::all);
    }

    private static Values setBuried(Values values, QueueRow queue, TaskQuery query, long limit) {
        return filter(values, query).set("queue_id", queue.id()).set("limit", limit);
    }

    public List<Attempt> attempts(long taskId) {
        unit.tasks.get(taskId);
        return tx.list(
                "attempts",
                row -> new Attempt(
                        row.getInt(1),
                        Times.instant(row.getLong(2)),
                        Times.instant(row.getLong(3)),
                        Attempt.Outcome.valueOf(row.getString(4)),
                        row.getString(5),
                        Optional.ofNullable(row.getString(6)),
                        Times.optional(row.getLong(7)),
                        thrown(row.getString(8), row.getString(9))),
                taskId);
    }

    private static Optional<Thrown> thrown(@Nullable String exception, @Nullable String stackTrace) {
        return exception == null || stackTrace == null
                ? Optional.empty()
                : Optional.of(new Thrown(exception, stackTrace));
    }

    public OptionalLong findAddress(String queue, String address) {
        TaskRow holder = new TaskInserts(unit).holder(unit.queues.get(queue), address);
        return holder == null ? OptionalLong.empty() : OptionalLong.of(holder.id);
    }

    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        QueueRow known = unit.queues.get(queue);
        Map<String, Long> found = new HashMap<>();
        for (String address : addresses) {
            unit.tasks.ids("find-address", known.id(), address).forEach(id -> found.put(address, id));
        }
        return found;
    }

    /** Reads the live tasks first: a task that ends between the statements is then found among the finished ones. */
    public Map<Long, TaskStatus> standings(Set<Long> ids) {
        Map<Long, TaskStatus> standings = new HashMap<>();
        tx.list(
                "task-statuses",
                row -> standings.put(row.getLong(1), live(row)),
                tx.dialect().ids(ids));
        Set<Long> left = new HashSet<>(ids);
        left.removeAll(standings.keySet());
        if (!left.isEmpty()) {
            tx.list(
                    "finished-statuses",
                    row -> standings.put(row.getLong(1), ended(row, TaskRowMapper.result(row, 6))),
                    tx.dialect().ids(left),
                    unit.now,
                    unit.now - LoadedTasks.KNOWN_MICROS);
            left.removeAll(standings.keySet());
        }
        if (!left.isEmpty()) {
            long last = tx.number("last-id");
            left.forEach(id -> standings.put(id, TaskStatus.ofMissing(id, last)));
        }
        return standings;
    }

    private TaskStatus live(ResultSet row) throws SQLException {
        return TaskStatus.hasEnded(RowState.of(row.getInt(3)).task)
                ? ended(row, Optional.empty())
                : new TaskStatus.Lives(unit.queues.byId(row.getLong(2)).name(), row.getInt(6));
    }

    private TaskStatus ended(ResultSet row, Optional<Payload> result) throws SQLException {
        String message = row.getString(4);
        return new TaskStatus.Ended(
                unit.queues.byId(row.getLong(2)).name(),
                new Outcome(
                        row.getLong(1),
                        RowState.of(row.getInt(3)).task,
                        message == null ? "" : message,
                        row.getInt(5),
                        result));
    }

    public Optional<Outcome> outcome(long taskId) {
        TaskRow row = unit.tasks.find(taskId);
        if (row == null) {
            return TaskStatus.ofMissing(taskId, tx.number("last-id")).outcome(taskId);
        }
        if (!TaskStatus.hasEnded(row.state.task)) {
            return Optional.empty();
        }
        String message = row.message == null ? "" : row.message;
        return Optional.of(
                new Outcome(row.id, row.state.task, message, row.errorCode, Optional.ofNullable(row.result)));
    }

    public List<Task> findEquivalent(Equivalence equivalence) {
        return new Equivalents(unit).find(equivalence).map(TaskRow::snapshot).toList();
    }

    public List<QueueStats> stats() {
        TaskCounts counts = new TaskCounts(unit);
        return unit.queues.all().stream().map(counts::stats).toList();
    }
}
