package dev.leat.sql.internal.work;

import dev.leat.Predecessor.Until;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.GroupRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.storage.Predecessors;
import dev.leat.storage.TaskStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which tasks of a group come after which, within one unit of work.
 *
 * <p>A put does not lock the tasks that its tasks come after. Instead, a process that ends a task checks the followers after its commit, and a
 * process that puts a follower checks the follower after its commit. So the process that commits last sees the other's change. {@code Followers}
 * makes both checks.
 */
public final class Dependencies {
    private final UnitOfWork unit;
    private final Tx tx;
    private final List<Object[]> added = new ArrayList<>(0);
    private final Map<Long, Set<Long>> unsure = new LinkedHashMap<>(0);
    private final Map<Long, Set<Long>> ended = new LinkedHashMap<>(2);

    Dependencies(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    // Putting

    /** Adds what a new row comes after, and sets whether the row has to wait or to be canceled. */
    void follow(TaskRow row, Map<Long, Until> before) {
        Map<Long, End> ends = ends(before.keySet());
        before.forEach((id, until) -> {
            End end = ends.get(id);
            if (end == null || end.group != row.groupId()) {
                throw Predecessors.notInGroup(id, row.groupId());
            }
            boolean met = meets(row, id, until, end);
            added.add(new Object[] {row.groupId(), row.id, id, until == Until.DONE, met});
            if (!met && row.predecessorFailure == null && !end.isOurs) {
                unsure.computeIfAbsent(row.groupId(), group -> new LinkedHashSet<>())
                        .add(row.id);
            }
        });
    }

    /** Whether the predecessor has ended as the row needs. If not, the row has to wait, or to be canceled. */
    private static boolean meets(TaskRow row, long before, Until until, End end) {
        if (!TaskStatus.hasEnded(end.state)) {
            row.waitsForOthers = true;
            return false;
        }
        boolean met = Predecessors.isMet(until, end.state);
        if (!met && row.predecessorFailure == null) {
            row.predecessorFailure = Predecessors.reason(before, end.state);
        }
        return met;
    }

    /** @param isOurs whether this unit of work has made the task, so that no other process has seen it */
    private record End(TaskState state, long group, boolean isOurs) {}

    private Map<Long, End> ends(Collection<Long> ids) {
        Map<Long, End> ends = new HashMap<>();
        List<Long> others = new ArrayList<>();
        for (long id : ids) {
            TaskRow own = unit.tasks.madeHere(id);
            if (own == null) {
                others.add(id);
            } else {
                ends.put(id, new End(own.state.task, own.groupId(), true));
            }
        }
        if (!others.isEmpty()) {
            unit.tasks.flush();
            Object list = tx.dialect().ids(others);
            tx.list(
                    "task-ends",
                    row -> ends.put(row.getLong(1), new End(RowState.of(row.getInt(2)).task, row.getLong(3), false)),
                    list,
                    list);
        }
        return ends;
    }

    // Ending

    /** Called when a task of a group has ended: its followers are checked after the commit. */
    public void ended(TaskRow row) {
        ended.computeIfAbsent(row.groupId(), group -> new LinkedHashSet<>()).add(row.id);
    }

    /** The tasks that this unit of work has ended, by their groups. */
    public Map<Long, Set<Long>> ended() {
        return ended;
    }

    /** The new tasks whose predecessors may have ended meanwhile, by their groups. */
    public Map<Long, Set<Long>> unsure() {
        return unsure;
    }

    // Going on

    /**
     * Moves on, or cancels, the tasks whose predecessors have ended. Returns false, without waiting, where a caller's transaction can lock the
     * group for long.
     */
    public boolean letFollow(long groupId, Collection<Long> ids) {
        if (!unit.groups.holdUnlessForLong(groupId)) {
            return false;
        }
        GroupRow group = unit.groups.find(groupId);
        if (group == null || !group.takesTasks()) {
            return true;
        }
        List<TaskRow> rows = unit.tasks.load(ids, RowState.WAITING_GROUP);
        recheck(rows);
        for (TaskRow row : rows) {
            if (row.predecessorFailure != null) {
                unit.lifecycle.drop(row, TaskState.CANCELED, row.predecessorFailure);
                unit.addEvent(row.event(TaskEvent.Kind.DELETE));
            } else if (!row.waitsForOthers) {
                unit.lifecycle.passGates(row);
            }
        }
        return true;
    }

    /** Reads again whether locked rows have to wait or to be canceled. */
    void recheck(List<TaskRow> rows) {
        List<Edge> unmet =
                edges("unmet-dependencies", rows.stream().map(row -> row.id).toList());
        if (unmet.isEmpty()) {
            return;
        }
        Map<Long, TaskRow> byId = rows.stream().collect(Collectors.toMap(row -> row.id, row -> row));
        Map<Long, End> ends = ends(unmet.stream().map(Edge::before).collect(Collectors.toSet()));
        Tx.Batch meet = tx.batch("meet-dependency");
        for (Edge edge : unmet) {
            TaskRow row = byId.get(edge.task);
            End end = ends.get(edge.before);
            if (row != null && (end == null ? meetsForgotten(row, edge) : meets(row, edge.before, edge.until, end))) {
                meet.add(edge.task, edge.before);
            }
        }
        meet.run();
    }

    /** A forgotten predecessor has ended, with an unknown outcome. */
    private static boolean meetsForgotten(TaskRow row, Edge edge) {
        if (edge.until == Until.DONE && row.predecessorFailure == null) {
            row.predecessorFailure = Predecessors.forgotten(edge.before);
        }
        return edge.until == Until.ENDED;
    }

    /** The tasks among these whose predecessors have not ended. */
    Set<Long> waiting(List<Long> ids) {
        return edges("unmet-dependencies", ids).stream().map(Edge::task).collect(Collectors.toSet());
    }

    private record Edge(long task, long before, Until until) {}

    private List<Edge> edges(String statement, List<Long> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        flush();
        return tx.list(
                statement,
                row -> new Edge(row.getLong(1), row.getLong(2), row.getBoolean(3) ? Until.DONE : Until.ENDED),
                tx.dialect().ids(ids));
    }

    // Showing

    /** Adds their predecessors to rows that are only read. */
    public void show(List<TaskRow> rows) {
        List<TaskRow> members = rows.stream().filter(row -> row.groupId() != 0).toList();
        Map<Long, Map<Long, Until>> before = new HashMap<>();
        edges("dependencies", members.stream().map(row -> row.id).toList())
                .forEach(edge -> before.computeIfAbsent(edge.task, id -> new LinkedHashMap<>())
                        .put(edge.before, edge.until));
        for (TaskRow row : members) {
            Map<Long, Until> ofRow = before.get(row.id);
            if (ofRow != null) {
                row.given = Predecessors.following(row.given, ofRow);
            }
        }
    }

    void flush() {
        if (!added.isEmpty()) {
            Tx.Batch batch = tx.batch("insert-dependency");
            added.forEach(batch::add);
            added.clear();
            batch.run();
        }
    }
}
