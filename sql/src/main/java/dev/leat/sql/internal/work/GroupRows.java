package dev.leat.sql.internal.work;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.GroupExistsException;
import dev.leat.error.GroupNotFoundException;
import dev.leat.queue.Exhaustion;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.GroupRow;
import dev.leat.sql.internal.row.NewTaskBytes;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.row.TaskRowMapper;
import dev.leat.storage.GroupRules;
import dev.leat.storage.Reasons;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The groups, within one unit of work. Groups whose last task this unit of work may have ended are checked after the commit, by {@code
 * GroupEnds}. The end of a group and its closing task are one transaction.
 */
public final class GroupRows {
    /** The number of tasks of a started or canceled group that one transaction moves. */
    public static final int TASKS_PER_MOVE = 1_000;

    private static final RowState[] NOT_RUNNING = {
        RowState.WAITING_GROUP, RowState.SCHEDULED, RowState.WAITING_KEY, RowState.READY
    };

    private final UnitOfWork unit;
    private final Tx tx;
    private final Map<Long, GroupRow> loaded = new HashMap<>();
    private final Set<Long> maybeOver = new LinkedHashSet<>();
    private final Map<Long, Place> begun = new HashMap<>(0);
    public final GroupCounts counts;

    GroupRows(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
        this.counts = new GroupCounts(unit.tx);
    }

    // Finding

    @Nullable
    GroupRow find(long id) {
        GroupRow known = loaded.get(id);
        return known != null ? known : read("group", id, GroupRow.Hold.NONE);
    }

    @Nullable
    GroupRow of(TaskRow row) {
        return find(row.groupId());
    }

    /** Locks the group so that it does not change before the commit; other transactions may do the same. */
    @Nullable
    GroupRow hold(long id) {
        GroupRow known = loaded.get(id);
        return known != null && known.isHeld() ? known : read("hold-group", id, GroupRow.Hold.SHARED);
    }

    /** As {@link #hold}, but returns false instead of waiting, where a caller's transaction can lock the group alone. */
    boolean holdUnlessForLong(long id) {
        if (!tx.dialect().locksByWriting()) {
            hold(id);
            return true;
        }
        boolean isFree = ifFree("hold-group-if-free", id, GroupRow.Hold.SHARED).isPresent();
        return isFree || find(id) == null;
    }

    /** Locks the group of a row whose lease ends; alone, if the end may cancel the group. */
    @Nullable
    GroupRow holdFor(TaskRow row) {
        GroupRow group = of(row);
        if (group == null) {
            return null;
        }
        boolean mayCancel = group.onFailure == GroupSpec.OnFailure.CANCEL_GROUP
                || row.queue.options().exhaustion() == Exhaustion.FAIL_GROUP;
        return mayCancel ? own(group.id) : hold(group.id);
    }

    /** Locks the group so that only this transaction can change it. */
    private GroupRow own(long id) {
        GroupRow known = loaded.get(id);
        GroupRow owned = known != null && known.isOwned() ? known : read("lock-group", id, GroupRow.Hold.OWN);
        if (owned == null) {
            throw new GroupNotFoundException(Long.toString(id));
        }
        return owned;
    }

    private @Nullable GroupRow read(String statement, long id, GroupRow.Hold hold) {
        GroupRow found =
                id == 0 ? null : tx.first(statement, GroupRows::read, id).orElse(null);
        if (found != null) {
            found.hold = hold;
            loaded.put(id, found);
        }
        return found;
    }

    /** Throws unless the group takes tasks, and keeps it so until the commit. */
    public void openForPut(long id) {
        GroupRow group = hold(id);
        if (group == null) {
            throw new GroupNotFoundException(Long.toString(id));
        }
        GroupRules.checkTakesTasks(group.id, group.name, group.state);
    }

    private @Nullable GroupRow find(String name) {
        GroupRow found = tx.first("group-by-name", GroupRows::read, name).orElse(null);
        return found == null ? null : loaded.computeIfAbsent(found.id, id -> found);
    }

    private static GroupRow read(ResultSet row) throws SQLException {
        GroupRow group = new GroupRow(
                row.getLong(1),
                row.getString(2),
                GroupSpec.OnFailure.valueOf(row.getString(4)),
                GroupInfo.State.valueOf(row.getString(3)),
                GroupInfo.State.valueOf(row.getString(5)),
                NewTaskBytes.read(row.getBytes(6)),
                NewTaskBytes.read(row.getBytes(7)));
        group.closingTask = row.getLong(8);
        group.moving = row.getBoolean(9);
        group.reason = row.getString(10);
        group.outerId = row.getLong(11);
        return group;
    }

    public Optional<GroupInfo> info(long id) {
        return Optional.ofNullable(find(id)).map(counts::info);
    }

    public Optional<GroupInfo> info(String name) {
        return Optional.ofNullable(find(name)).map(counts::info);
    }

    // Making and changing

    public GroupInfo create(GroupSpec spec) {
        return counts.info(create(spec, GroupInfo.State.OPEN));
    }

    /** Makes a group that is started already, and returns its id. */
    public long createStarted(GroupSpec spec) {
        GroupRow group = create(spec, GroupInfo.State.STARTED);
        mayBeOver(group.id); // the put may return existing tasks only, and so put none into the group
        return group.id;
    }

    private GroupRow create(GroupSpec spec, GroupInfo.State state) {
        if (find(spec.name()) != null) {
            throw new GroupExistsException(spec.name());
        }
        checkClosingTasks(spec.end(), spec.abort());
        tx.update(tx.values("insert-group")
                .set("name", spec.name())
                .set("open_name", spec.name())
                .set("state", state.name())
                .set("on_failure", spec.onFailure().name())
                .set("ends_as", GroupInfo.State.CANCELED.name())
                .set("end_task", NewTaskBytes.write(spec.end()))
                .set("abort_task", NewTaskBytes.write(spec.abort()))
                .set("outer_id", TaskRowMapper.orNull(outer(spec.end(), spec.abort()))));
        return own(tx.number("last-group-id"));
    }

    /** Locks the group that these closing tasks join, and returns its id; 0 without one, or if the group takes no tasks any more. */
    private long outer(Optional<NewTask> end, Optional<NewTask> abort) {
        GroupRow outer = hold(GroupSpec.outer(end, abort).orElse(0));
        return outer != null && outer.takesTasks() ? outer.id : 0;
    }

    private void checkNoCycle(long id, long outer) {
        Set<Long> seen = new HashSet<>();
        for (GroupRow next = find(outer); next != null && seen.add(next.id); next = find(next.outerId)) {
            if (next.id == id) {
                throw GroupSpec.cycle(id, outer);
            }
        }
    }

    private void checkClosingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        end.ifPresent(task -> unit.queues.get(task.queue()));
        abort.ifPresent(task -> unit.queues.get(task.queue()));
    }

    public GroupInfo setTasks(long id, Optional<NewTask> end, Optional<NewTask> abort) {
        GroupRow group = own(id);
        GroupRules.checkMayChange(id, group.name, group.state);
        checkClosingTasks(end, abort);
        checkNoCycle(id, GroupSpec.outer(end, abort).orElse(0));
        mayBeOver(group.outerId);
        group.outerId = outer(end, abort);
        group.end = end;
        group.abort = abort;
        update(group);
        return counts.info(group);
    }

    public void start(long id) {
        GroupRow group = own(id);
        GroupRules.checkTakesTasks(id, group.name, group.state);
        if (group.state == GroupInfo.State.OPEN) {
            group.state = GroupInfo.State.STARTED;
            beginMoving(group);
            endIfOver(group);
        }
    }

    public void cancel(long id, String reason) {
        GroupRow group = own(id);
        GroupRules.checkMayCancel(id, group.name, group.state);
        cancelRest(id, GroupInfo.State.CANCELED, reason);
        endIfOver(group);
    }

    /** Cancels the tasks that do not run. The group ends when its last running task ends. */
    void cancelRest(long id, GroupInfo.State endsAs, String reason) {
        GroupRow group = own(id);
        if (!group.takesTasks()) {
            return;
        }
        group.state = GroupInfo.State.CANCELING;
        group.endsAs = endsAs;
        group.reason = reason;
        mayBeOver(group.id);
        beginMoving(group);
    }

    // Moving the tasks of a group that was started or canceled

    /** The position of a task in the index from which the tasks of a group are read. */
    public record Place(int state, long id) {
        public static final Place START = new Place(0, 0);
    }

    /** Moves the first block, which is all of most groups. {@code GroupMoves} moves the rest after the commit. */
    private void beginMoving(GroupRow group) {
        Optional<Place> next = moveBlock(group, Place.START);
        if (next.isEmpty() && group.state == GroupInfo.State.CANCELING && hasInnerGroups(group.id)) {
            next = Optional.of(Place.START);
        }
        group.moving = next.isPresent();
        next.ifPresent(place -> begun.put(group.id, place));
        update(group);
    }

    /** The groups whose tasks this unit of work has begun to move, and where to go on. */
    public Map<Long, Place> begun() {
        return begun;
    }

    /** What the move of one block has come to. */
    public sealed interface Progress {
        /** The next block starts at {@code place}. */
        record More(Place place) implements Progress {}

        record Done() implements Progress {}

        /** Another transaction has locked the group. */
        record Held() implements Progress {}
    }

    /** Moves the next block of a group's tasks, and ends the group if no work is left. Never waits for a lock on the group. */
    public Progress goOn(long id, Place from) {
        Optional<GroupRow> held = ifFree("hold-group-if-free", id, GroupRow.Hold.SHARED);
        if (held.isEmpty()) {
            return find(id) == null ? new Progress.Done() : new Progress.Held();
        }
        GroupRow group = held.get();
        if (!group.moving || !group.mayEnd()) {
            return new Progress.Done();
        }
        Optional<Place> next = moveBlock(group, from);
        if (next.isPresent()) {
            return new Progress.More(next.get());
        }
        List<Long> inner = group.state == GroupInfo.State.CANCELING ? tx.ids("inner-groups-to-cancel", id) : List.of();
        if (!inner.isEmpty()) {
            return cancelInner(inner.get(0), group);
        }
        return ifFree("lock-group-if-free", id, GroupRow.Hold.OWN)
                .map(owned -> {
                    owned.moving = false;
                    update(owned);
                    endIfOver(owned);
                    return (Progress) new Progress.Done();
                })
                .orElseGet(Progress.Held::new);
    }

    private Progress cancelInner(long inner, GroupRow canceled) {
        if (ifFree("lock-group-if-free", inner, GroupRow.Hold.OWN).isEmpty()) {
            return new Progress.Held();
        }
        cancelRest(inner, GroupInfo.State.CANCELED, String.valueOf(canceled.reason));
        return new Progress.More(Place.START);
    }

    /** Moves a block and returns where to go on; empty when no task is left. */
    private Optional<Place> moveBlock(GroupRow group, Place from) {
        boolean starts = group.state == GroupInfo.State.STARTED;
        List<Place> block = block(group, starts ? RowState.WAITING_GROUP : RowState.READY, from);
        List<Long> ids = block.stream().map(Place::id).toList();
        if (starts) {
            List<TaskRow> rows = unit.tasks.load(ids, RowState.WAITING_GROUP);
            Set<Long> waiting = unit.dependencies.waiting(ids);
            rows.stream().filter(row -> !waiting.contains(row.id)).forEach(unit.lifecycle::passGates);
        } else {
            unit.tasks.load(ids, NOT_RUNNING).forEach(row -> drop(row, group));
        }
        unit.tasks.flush();
        if (block.size() == TASKS_PER_MOVE) {
            return Optional.of(block.get(TASKS_PER_MOVE - 1));
        }
        // The tasks of a canceled group are read once more from the start: meanwhile a take may have moved a READY
        // task back to WAITING, behind its key.
        return starts || from.equals(Place.START) ? Optional.empty() : Optional.of(Place.START);
    }

    private void drop(TaskRow row, GroupRow group) {
        unit.lifecycle.dropWithGroup(row, Reasons.groupCanceled(String.valueOf(group.reason)));
        unit.addEvent(row.event(TaskEvent.Kind.DELETE));
    }

    /** Reads from the end of the block before, because the index still has the dead entries of moved tasks. */
    private List<Place> block(GroupRow group, RowState last, Place after) {
        unit.tasks.flush();
        return tx.list(
                "group-tasks",
                row -> new Place(row.getInt(1), row.getLong(2)),
                group.id,
                after.state,
                after.state,
                after.id,
                last.code,
                TASKS_PER_MOVE);
    }

    // Ending

    /** Called when a task of the group has ended or is buried. */
    void left(long id, TaskState state) {
        mayBeOver(id);
        counts.left(id, state);
    }

    /** The groups that may have no work left, to be checked after the commit. */
    public Set<Long> maybeOver() {
        return maybeOver;
    }

    /** @param id 0 for none */
    private void mayBeOver(long id) {
        if (id != 0) {
            maybeOver.add(id);
        }
    }

    /** Ends the group if it has no work left. Returns false, without waiting, if another transaction has locked the group. */
    public boolean endIfFree(long id) {
        Optional<GroupRow> free = ifFree("lock-group-if-free", id, GroupRow.Hold.OWN);
        free.ifPresent(this::endIfOver);
        return free.isPresent();
    }

    private Optional<GroupRow> ifFree(String statement, long id, GroupRow.Hold hold) {
        Optional<GroupRow> free = tx.dialect().passingBy(tx, () -> tx.first(statement, GroupRows::read, id));
        free.ifPresent(group -> {
            group.hold = hold;
            loaded.put(id, group);
        });
        return free;
    }

    private boolean hasWork(long id) {
        unit.tasks.flush();
        return tx.first("group-has-work", row -> 1, id).isPresent() || hasInnerGroups(id);
    }

    private boolean hasInnerGroups(long id) {
        return tx.first("inner-groups", row -> 1, id).isPresent();
    }

    private void endIfOver(GroupRow group) {
        if (!group.mayEnd() || hasWork(group.id)) {
            return;
        }
        group.state = GroupRules.endOf(group.state, group.endsAs);
        GroupRules.closingTask(group.state, group.end, group.abort)
                .ifPresent(task -> group.closingTask = new TaskInserts(unit).putFollowUp(task));
        group.moving = false;
        mayBeOver(group.outerId);
        group.outerId = 0;
        update(group);
    }

    private void update(GroupRow group) {
        boolean ended = group.state.isEnded();
        tx.update(tx.values("update-group")
                .set("id", group.id)
                .set("state", group.state.name())
                .set("ends_as", group.endsAs.name())
                .set("open_name", ended ? null : group.name)
                .set("closing_task", TaskRowMapper.orNull(group.closingTask))
                .set("ended_at", ended ? unit.now : null)
                .set("end_task", NewTaskBytes.write(group.end))
                .set("abort_task", NewTaskBytes.write(group.abort))
                .set("moving", group.moving)
                .set("reason", group.reason)
                .set("outer_id", TaskRowMapper.orNull(group.outerId)));
    }
}
