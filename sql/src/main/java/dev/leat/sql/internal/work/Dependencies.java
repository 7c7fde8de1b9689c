package dev.leat.sql.internal.work;

import dev.leat.Predecessor.Until;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.GroupRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.upkeep.Followers;
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
 * Which tasks of a group wait for which, within one unit of work.
 *
 * <p>Nobody locks the tasks that one waits for: they may be anybody's. Whoever ends a task looks after his commit at those that wait for it, and
 * whoever puts one that waits looks at it after his; so the one who commits last sees what the other did. {@link Followers} does both.
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

    /** A new row waits for these; it knows afterwards whether it still has to, or can no longer run. */
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

    /** Whether the end has come that the row waits for. If not, it goes on to wait, or was waiting in vain. */
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

    /** @param isOurs whether nobody else can have seen the task yet */
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

    /** A task of a group has ended: those that wait for it are to be looked at when this turn is committed. */
    public void ended(TaskRow row) {
        ended.computeIfAbsent(row.groupId(), group -> new LinkedHashSet<>()).add(row.id);
    }

    /** The tasks that have ended in this turn, by their groups. */
    public Map<Long, Set<Long>> ended() {
        return ended;
    }

    /** The tasks put by this turn that wait for others which may have ended meanwhile, by their groups. */
    public Map<Long, Set<Long>> unsure() {
        return unsure;
    }

    // Going on

    /**
     * Lets those of the tasks go on, or ends them, whose wait is over; answers false, without waiting, when somebody else holds the group where
     * that may take long.
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
                unit.tellLater(row.event(TaskEvent.Kind.DELETE));
            } else if (!row.waitsForOthers) {
                unit.lifecycle.passGates(row);
            }
        }
        return true;
    }

    /** Finds out whether the rows, which nobody else can change, still have to wait, or can no longer run. */
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

    /** One that is forgotten has ended, but nobody can say how. */
    private static boolean meetsForgotten(TaskRow row, Edge edge) {
        if (edge.until == Until.DONE && row.predecessorFailure == null) {
            row.predecessorFailure = Predecessors.forgotten(edge.before);
        }
        return edge.until == Until.ENDED;
    }

    /** Those of the tasks that wait for others. */
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

    // Seeing

    /** Adds to rows, which are only looked at, what they wait for or waited for. */
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
