package dev.leat.sql.internal;

import dev.leat.Exhaustion;
import dev.leat.GroupExistsException;
import dev.leat.GroupInfo;
import dev.leat.GroupNotFoundException;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The groups, within one turn. Those that a turn may have taken the last task of are looked at after its commit, by
 * {@link GroupEnds}. The end of a group and its closing task are one transaction.
 */
final class Groups {
    private static final int BLOCK = 1_000;
    private static final RowState[] NOT_RUNNING = {
        RowState.WAITING_GROUP, RowState.SCHEDULED, RowState.WAITING_KEY, RowState.READY
    };

    private final Turn turn;
    private final Tx tx;
    private final Map<Long, GroupRow> loaded = new HashMap<>();
    private final Set<Long> maybeOver = new LinkedHashSet<>();

    Groups(Turn turn) {
        this.turn = turn;
        this.tx = turn.tx;
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
        GroupRow found = id == 0 ? null : tx.first(statement, Groups::read, id).orElse(null);
        if (found != null) {
            found.hold = hold;
            loaded.put(id, found);
        }
        return found;
    }

    /** Sees to it that the group takes tasks, and goes on to until this turn is over. */
    void openForPut(long id) {
        GroupRow group = hold(id);
        if (group == null) {
            throw new GroupNotFoundException(Long.toString(id));
        }
        if (!group.isOpenForPuts()) {
            throw group.closed();
        }
    }

    private @Nullable GroupRow find(String name) {
        GroupRow found = tx.first("group-by-name", Groups::read, name).orElse(null);
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
        return group;
    }

    Optional<GroupInfo> info(long id) {
        return Optional.ofNullable(find(id)).map(this::info);
    }

    Optional<GroupInfo> info(String name) {
        return Optional.ofNullable(find(name)).map(this::info);
    }

    private GroupInfo info(GroupRow group) {
        record Left(long done, long failed, long canceled) {}
        Left left = tx.first("group-counts", row -> new Left(row.getLong(1), row.getLong(2), row.getLong(3)), group.id)
                .orElseThrow();
        Map<TaskState, Long> live = new EnumMap<>(TaskState.class);
        tx.list(
                "group-live-counts",
                row -> live.merge(RowState.of(row.getInt(1)).task, row.getLong(2), Long::sum),
                group.id);
        long open = live.getOrDefault(TaskState.WAITING, 0L)
                + live.getOrDefault(TaskState.SCHEDULED, 0L)
                + live.getOrDefault(TaskState.READY, 0L);
        long running = live.getOrDefault(TaskState.TAKEN, 0L);
        long failed = left.failed + live.getOrDefault(TaskState.BURIED, 0L);
        return new GroupInfo(
                group.id,
                group.name,
                group.state,
                open + running + left.done + failed + left.canceled,
                open,
                running,
                left.done,
                failed,
                left.canceled,
                group.closingTask == 0 ? OptionalLong.empty() : OptionalLong.of(group.closingTask));
    }

    // Making and changing

    GroupInfo create(GroupSpec spec) {
        if (find(spec.name()) != null) {
            throw new GroupExistsException(spec.name());
        }
        checkClosingTasks(spec.end(), spec.abort());
        tx.update(
                "insert-group",
                spec.name(),
                spec.name(),
                GroupInfo.State.OPEN.name(),
                spec.onFailure().name(),
                GroupInfo.State.CANCELED.name(),
                TaskBytes.write(spec.end()),
                TaskBytes.write(spec.abort()));
        return info(own(tx.number("last-group-id")));
    }

    private void checkClosingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        end.ifPresent(task -> turn.queues.get(task.queue()));
        abort.ifPresent(task -> turn.queues.get(task.queue()));
    }

    GroupInfo setTasks(long id, Optional<NewTask> end, Optional<NewTask> abort) {
        GroupRow group = own(id);
        if (group.state.isEnded()) {
            throw group.closed();
        }
        checkClosingTasks(end, abort);
        group.end = end;
        group.abort = abort;
        update(group);
        return info(group);
    }

    GroupInfo start(long id) {
        GroupRow group = own(id);
        if (!group.isOpenForPuts()) {
            throw group.closed();
        }
        if (group.state == GroupInfo.State.OPEN) {
            group.state = GroupInfo.State.STARTED;
            update(group);
            letWaitingPass(group);
            turn.tasks.flush();
            endIfOver(group);
        }
        turn.tasks.flush();
        return info(group);
    }

    private void letWaitingPass(GroupRow group) {
        inBlocks(group, RowState.WAITING_GROUP, block -> turn.tasks
                .load(block, RowState.WAITING_GROUP)
                .forEach(turn.lifecycle::passGates));
    }

    /** Where a task stands in the order in which a group's tasks are read. */
    private record Place(int state, long id) {
        static final Place START = new Place(0, 0);
    }

    /**
     * Does {@code work}, which moves them on, with all tasks of the group in the states up to {@code last}. Each block is read
     * from where the one before ended, since what those tasks were is still in the index. At the end all is read once more: a
     * take may have sent one that was ready back behind its key.
     */
    private void inBlocks(GroupRow group, RowState last, Consumer<List<Long>> work) {
        List<Place> block = block(group, last, Place.START);
        while (!block.isEmpty()) {
            work.accept(block.stream().map(Place::id).toList());
            block = block(group, last, block.get(block.size() - 1));
            if (block.isEmpty()) {
                block = block(group, last, Place.START);
            }
        }
    }

    private List<Place> block(GroupRow group, RowState last, Place after) {
        turn.tasks.flush();
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

    GroupInfo cancel(long id, String reason) {
        GroupRow group = own(id);
        if (group.state == GroupInfo.State.COMPLETED) {
            throw group.closed();
        }
        cancelRest(id, GroupInfo.State.CANCELED, reason);
        turn.tasks.flush();
        endIfOver(group);
        turn.tasks.flush();
        return info(group);
    }

    /** Drops what does not run and lets the rest end. The group itself ends when its last running task does. */
    void cancelRest(long id, GroupInfo.State endsAs, String reason) {
        GroupRow group = own(id);
        if (!group.isOpenForPuts()) {
            return;
        }
        group.state = GroupInfo.State.CANCELING;
        group.endsAs = endsAs;
        update(group);
        maybeOver.add(group.id);
        inBlocks(group, RowState.READY, block -> {
            for (TaskRow row : turn.tasks.load(block, NOT_RUNNING)) {
                turn.lifecycle.dropWithGroup(row, "group canceled: " + reason);
                turn.tellLater(row.event(TaskEvent.Kind.DELETE));
            }
        });
    }

    // Ending

    /** A task of the group has reached {@code state}; live states but BURIED change nothing. */
    void left(long id, TaskState state) {
        maybeOver.add(id);
        if (state == TaskState.BURIED) {
            return;
        }
        tx.update(
                "insert-group-count",
                id,
                state == TaskState.DONE,
                state == TaskState.FAILED || state == TaskState.EXPIRED,
                state == TaskState.CANCELED);
    }

    /** A task that was buried when the group ended runs again, outside of it; the group remembers it as failed. */
    void leftBuried(long id) {
        tx.update("insert-group-count", id, 0, 1, 0);
    }

    /** The groups that may have lost their last task in this turn: to be looked at when it is committed. */
    Set<Long> maybeOver() {
        return maybeOver;
    }

    /** Ends the group if it has no work left; answers false, without waiting, when somebody else holds it. */
    boolean endIfFree(long id) {
        Optional<GroupRow> free = tx.dialect().passingBy(tx, () -> tx.first("lock-group-if-free", Groups::read, id));
        free.ifPresent(group -> {
            group.hold = GroupRow.Hold.OWN;
            loaded.put(id, group);
            endIfOver(group);
        });
        return free.isPresent();
    }

    private boolean hasWork(long id) {
        return tx.first("group-has-work", row -> 1, id).isPresent();
    }

    private void endIfOver(GroupRow group) {
        boolean mayEnd = group.state == GroupInfo.State.STARTED || group.state == GroupInfo.State.CANCELING;
        if (!mayEnd || hasWork(group.id)) {
            return;
        }
        boolean complete = group.state == GroupInfo.State.STARTED;
        group.state = complete ? GroupInfo.State.COMPLETED : group.endsAs;
        (complete ? group.end : group.abort).ifPresent(task -> group.closingTask = new Puts(turn).putInternal(task));
        update(group);
    }

    private void update(GroupRow group) {
        boolean ended = group.state.isEnded();
        tx.update(
                "update-group",
                group.state.name(),
                group.endsAs.name(),
                ended ? null : group.name,
                Rows.orNull(group.closingTask),
                ended ? turn.now : null,
                TaskBytes.write(group.end),
                TaskBytes.write(group.abort),
                group.id);
    }
}
