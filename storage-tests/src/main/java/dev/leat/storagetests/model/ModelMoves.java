package dev.leat.storagetests.model;

import static dev.leat.TaskState.BURIED;
import static dev.leat.TaskState.CANCELED;
import static dev.leat.TaskState.DONE;
import static dev.leat.TaskState.FAILED;
import static dev.leat.TaskState.READY;
import static dev.leat.TaskState.TAKEN;
import static dev.leat.TaskState.WAITING;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.error.GroupClosedException;
import dev.leat.error.GroupExistsException;
import dev.leat.queue.Exhaustion;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Rows change their state, and keys and groups follow. Every change of state but those of take comes through here. */
abstract class ModelMoves extends ModelRows {
    /** The changes of the current call, in any order. */
    private final Set<Row> together = new HashSet<>();

    boolean undecided;

    ModelMoves(Instant now) {
        super(now);
    }

    // Rows

    Row add(NewTask task) {
        Row row = new Row(task, options(task), READY, now);
        row.state = gate(row);
        rows.add(row);
        return row;
    }

    void end(Row row, TaskState state) {
        finish(row, state, ANY_WORDS, ANY_CODE);
    }

    void finish(Row row, TaskState state, String message, int code) {
        say(row, message, code);
        row.finished = now;
        move(row, state);
        failGroup(row);
    }

    void bury(Row row, String message, int code) {
        say(row, message, code);
        move(row, BURIED);
        failGroup(row);
    }

    static void say(Row row, String message, int code) {
        row.message = message;
        row.errorCode = code;
    }

    /** A task that gives up a free key, or its turn for the key, passes the key on (3). */
    void move(Row row, TaskState to) {
        boolean hadTheTurn = row.state == TAKEN || row.state == READY;
        row.state = to;
        row.lease = null;
        row.takenAt = null;
        row.leaseUntil = null;
        row.session = null;
        row.stopBy = null;
        if (hadTheTurn && !isKeyBusy(row)) {
            passKeyOn(row);
        }
    }

    private void passKeyOn(Row from) {
        rows.stream()
                .filter(r -> r.state == WAITING && gate(r) != WAITING && r.hasSameKeyAs(from))
                .min(BY_PRIORITY_AND_ID)
                .ifPresent(r -> r.state = READY);
    }

    // Groups

    ModelGroup createGroup(GroupSpec spec) {
        if (groups.stream().anyMatch(g -> g.spec.name().equals(spec.name()) && !g.state.isEnded())) {
            throw new Refused(GroupExistsException.class);
        }
        ModelGroup group = new ModelGroup(spec);
        groups.add(group);
        return group;
    }

    ModelGroup start(ModelGroup group) {
        if (group.state == GroupInfo.State.STARTED) {
            return group;
        }
        if (group.state != GroupInfo.State.OPEN) {
            throw new Refused(GroupClosedException.class);
        }
        group.state = GroupInfo.State.STARTED;
        members(group).filter(r -> r.state == WAITING).forEach(r -> r.state = gate(r));
        closeGroups();
        return group;
    }

    ModelGroup cancel(ModelGroup group) {
        if (group.state == GroupInfo.State.COMPLETED) {
            throw new Refused(GroupClosedException.class);
        }
        stop(group, GroupInfo.State.CANCELED);
        closeGroups();
        return group;
    }

    /** Drops what does not run; what is buried has ended already. */
    private void stop(ModelGroup group, GroupInfo.State endsAs) {
        if (group.state != GroupInfo.State.OPEN && group.state != GroupInfo.State.STARTED) {
            return;
        }
        group.state = GroupInfo.State.CANCELING;
        group.endsAs = endsAs;
        members(group).filter(r -> r.isUnburied() && r.state != TAKEN).toList().forEach(r -> end(r, CANCELED));
    }

    /** The group's policy beats the queue's (18). */
    private void failGroup(Row row) {
        ModelGroup group = groupOf(row.given);
        if (group == null || !row.state.isFailure()) {
            return;
        }
        boolean stops =
                switch (group.spec.onFailure()) {
                    case CONTINUE -> false;
                    case CANCEL_GROUP -> true;
                    case QUEUE_DECIDES ->
                        row.state == FAILED && options(row.given).exhaustion() == Exhaustion.FAIL_GROUP;
                };
        if (stops) {
            undecided |= members(group).anyMatch(r -> r != row && together.contains(r));
            stop(group, GroupInfo.State.FAILED);
        }
    }

    void closeGroups() {
        for (ModelGroup group : groups) {
            boolean closes = group.state == GroupInfo.State.STARTED || group.state == GroupInfo.State.CANCELING;
            if (closes && members(group).noneMatch(Row::isUnburied)) {
                group.state = group.endsAs;
                Optional<NewTask> last =
                        group.endsAs == GroupInfo.State.COMPLETED ? group.spec.end() : group.spec.abort();
                group.closing = last.map(this::add).orElse(null);
            }
        }
    }

    GroupInfo info(ModelGroup group) {
        return new GroupInfo(
                group.id,
                group.spec.name(),
                group.state,
                members(group).count() + group.failedAndGone,
                members(group).filter(r -> r.isUnburied() && r.state != TAKEN).count(),
                members(group).filter(r -> r.state == TAKEN).count(),
                members(group).filter(r -> r.state == DONE).count(),
                members(group).filter(r -> r.state.isFailure()).count() + group.failedAndGone,
                members(group).filter(r -> r.state == CANCELED).count(),
                true,
                group.closing == null ? OptionalLong.empty() : OptionalLong.of(group.closing.id));
    }

    // Changes whose order no rule fixes

    void inAnyOrder(List<Row> changing, Runnable changes) {
        together.addAll(changing);
        undecided |= rowsIn(WAITING).stream().anyMatch(r -> !together.contains(r) && countOfSameKey(r) > 1);
        changes.run();
        together.clear();
    }

    private long countOfSameKey(Row row) {
        return together.stream().filter(r -> r.hasSameKeyAs(row)).count();
    }

    /**
     * Whether a call made two changes whose order shows and is fixed by no rule. It ended two tasks of a group that the first
     * end cancels, or expired one task and lost another task of the same key. The model cannot follow the storage from there.
     */
    boolean isUndecided() {
        return undecided;
    }
}
