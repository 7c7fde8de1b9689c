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
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.Rows;
import dev.leat.sql.internal.row.TaskBytes;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.upkeep.GroupEnds;
import dev.leat.sql.internal.upkeep.GroupMoves;
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
 * The groups, within one unit of work. Those that a turn may have taken the last task of are looked at after its commit, by
 * {@link GroupEnds}. The end of a group and its closing task are one transaction.
 */
public final class GroupRows {
    /** How many tasks of a group one transaction moves. */
    public static final int BLOCK = 1_000;

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

    /** The group as it stays until this turn is over, which others may do as well. */
    @Nullable
    GroupRow hold(long id) {
        GroupRow known = loaded.get(id);
        return known != null && known.isHeld() ? known : read("hold-group", id, GroupRow.Hold.SHARED);
    }

    /** The same, but answers false instead of waiting where a caller's transaction may hold it alone. */
    boolean holdUnlessForLong(long id) {
        if (!tx.dialect().locksByWriting()) {
            hold(id);
            return true;
        }
        boolean isFree = ifFree("hold-group-if-free", id, GroupRow.Hold.SHARED).isPresent();
        return isFree || find(id) == null;
    }

    /** The row's group, before the row comes back to it or fails: then owned, if that may cancel the group. */
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

    /** The group, for this turn alone to change. */
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

    /** Sees to it that the group takes tasks, and goes on to until this turn is over. */
    public void openForPut(long id) {
        GroupRow group = hold(id);
        if (group == null) {
            throw new GroupNotFoundException(Long.toString(id));
        }
        if (!group.isOpenForPuts()) {
            throw group.closed();
        }
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
                TaskBytes.read(row.getBytes(6)),
                TaskBytes.read(row.getBytes(7)));
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

    /** Makes a group that runs from the start; answers its id. */
    public long createStarted(GroupSpec spec) {
        GroupRow group = create(spec, GroupInfo.State.STARTED);
        mayBeOver(group.id); // its tasks may all be there already, and so not its own
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
                .set("end_task", TaskBytes.write(spec.end()))
                .set("abort_task", TaskBytes.write(spec.abort()))
                .set("outer_id", Rows.orNull(outer(spec.end(), spec.abort()))));
        return own(tx.number("last-group-id"));
    }

    /** The group that one with these closing tasks is part of, which is kept from ending meanwhile; 0 if that takes nothing any more. */
    private long outer(Optional<NewTask> end, Optional<NewTask> abort) {
        GroupRow outer = hold(GroupSpec.outer(end, abort).orElse(0));
        return outer != null && outer.isOpenForPuts() ? outer.id : 0;
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
        if (group.state.isEnded()) {
            throw group.closed();
        }
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
        if (!group.isOpenForPuts()) {
            throw group.closed();
        }
        if (group.state == GroupInfo.State.OPEN) {
            group.state = GroupInfo.State.STARTED;
            beginMoving(group);
            endIfOver(group);
        }
    }

    public void cancel(long id, String reason) {
        GroupRow group = own(id);
        if (group.state == GroupInfo.State.COMPLETED) {
            throw group.closed();
        }
        cancelRest(id, GroupInfo.State.CANCELED, reason);
        endIfOver(group);
    }

    /** Drops what does not run and lets the rest end. The group itself ends when its last running task does. */
    void cancelRest(long id, GroupInfo.State endsAs, String reason) {
        GroupRow group = own(id);
        if (!group.isOpenForPuts()) {
            return;
        }
        group.state = GroupInfo.State.CANCELING;
        group.endsAs = endsAs;
        group.reason = reason;
        mayBeOver(group.id);
        beginMoving(group);
    }

    // Moving the tasks of a group that was started or canceled

    /** Where a task stands in the order in which a group's tasks are read. */
    public record Place(int state, long id) {
        public static final Place START = new Place(0, 0);
    }

    /** Moves a block now, which is all there is in most groups; the rest follows after the commit, see {@link GroupMoves}. */
    private void beginMoving(GroupRow group) {
        Optional<Place> next = moveBlock(group, Place.START);
        if (next.isEmpty() && group.state == GroupInfo.State.CANCELING && hasParts(group.id)) {
            next = Optional.of(Place.START);
        }
        group.moving = next.isPresent();
        next.ifPresent(place -> begun.put(group.id, place));
        update(group);
    }

    /** The groups that this turn has begun to move the tasks of, and where to go on. */
    public Map<Long, Place> begun() {
        return begun;
    }

    /** How it went on with a group. */
    public sealed interface Progress {
        /** There is more from here on. */
        record More(Place place) implements Progress {}

        record Done() implements Progress {}

        /** Somebody else holds the group. */
        record Held() implements Progress {}
    }

    /** Moves the next block of a group's tasks; without any left, the group may be over. Waits for nobody who holds the group. */
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
        List<Long> part = group.state == GroupInfo.State.CANCELING ? tx.ids("inner-groups-to-cancel", id) : List.of();
        if (!part.isEmpty()) {
            return cancelPart(part.get(0), group);
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

    private Progress cancelPart(long part, GroupRow canceled) {
        if (ifFree("lock-group-if-free", part, GroupRow.Hold.OWN).isEmpty()) {
            return new Progress.Held();
        }
        cancelRest(part, GroupInfo.State.CANCELED, String.valueOf(canceled.reason));
        return new Progress.More(Place.START);
    }

    /** Answers where to go on; empty when nothing is left. */
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
        if (block.size() == BLOCK) {
            return Optional.of(block.get(BLOCK - 1));
        }
        // Those of a canceled group are read once more from the start: a take may have sent one that was ready back
        // behind its key.
        return starts || from.equals(Place.START) ? Optional.empty() : Optional.of(Place.START);
    }

    private void drop(TaskRow row, GroupRow group) {
        unit.lifecycle.dropWithGroup(row, "group canceled: " + group.reason);
        unit.tellLater(row.event(TaskEvent.Kind.DELETE));
    }

    /** Read from where the block before ended, since what those tasks were is still in the index. */
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
                BLOCK);
    }

    // Ending

    /** A task of the group has reached {@code state}; live states but BURIED change nothing. */
    void left(long id, TaskState state) {
        mayBeOver(id);
        counts.left(id, state);
    }

    /** The groups that may have lost the last of their tasks or parts in this turn: to be looked at when it is committed. */
    public Set<Long> maybeOver() {
        return maybeOver;
    }

    /** @param id 0 for none */
    private void mayBeOver(long id) {
        if (id != 0) {
            maybeOver.add(id);
        }
    }

    /** Ends the group if it has no work left; answers false, without waiting, when somebody else holds it. */
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
        return tx.first("group-has-work", row -> 1, id).isPresent() || hasParts(id);
    }

    private boolean hasParts(long id) {
        return tx.first("inner-groups", row -> 1, id).isPresent();
    }

    private void endIfOver(GroupRow group) {
        if (!group.mayEnd() || hasWork(group.id)) {
            return;
        }
        boolean complete = group.state == GroupInfo.State.STARTED;
        group.state = complete ? GroupInfo.State.COMPLETED : group.endsAs;
        (complete ? group.end : group.abort)
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
                .set("closing_task", Rows.orNull(group.closingTask))
                .set("ended_at", ended ? unit.now : null)
                .set("end_task", TaskBytes.write(group.end))
                .set("abort_task", TaskBytes.write(group.abort))
                .set("moving", group.moving)
                .set("reason", group.reason)
                .set("outer_id", Rows.orNull(group.outerId)));
    }
}
