package dev.leat.sql.internal.work;

import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.queue.Retention;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.GroupRow;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.SubscriptionRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.storage.FanOut;
import dev.leat.storage.Gate;
import dev.leat.storage.GroupRules;
import dev.leat.storage.HolderReport;
import dev.leat.storage.LeasedTask;
import dev.leat.storage.Reasons;
import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskLimits;
import dev.leat.storage.Transition;
import dev.leat.topic.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Moves rows between the states of a task: through the gates, out of a lease, to an end. {@link Transition} decides, this class writes. */
public final class RowLifecycle {
    private static final long CANCEL_GRACE = Times.micros(TaskLimits.CANCEL_GRACE);

    private final UnitOfWork unit;
    private final Tx tx;

    RowLifecycle(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    // In

    /** Moves a row to its first closed gate, or to READY. */
    public void passGates(TaskRow row) {
        GroupRow group = unit.groups.hold(row.groupId());
        Gate gate = Gate.firstClosed(group == null ? null : group.state, row.waitsForOthers, row.due <= unit.now);
        switch (gate) {
            case GROUP, PREDECESSORS -> move(row, RowState.WAITING_GROUP);
            case DUE_TIME -> move(row, RowState.SCHEDULED);
            case NONE -> {
                move(row, RowState.READY);
                unit.ready(row.queue.name());
            }
        }
    }

    // Out of a lease

    public void settled(TaskRow row, Settle settle, double random) {
        SettledBy by = SettledBy.of(settle);
        // An ack ends the task in any group. Other settles may bring the task back, which a canceled group forbids.
        GroupRow group = settle instanceof Settle.Ack ? unit.groups.of(row) : unit.groups.holdFor(row);
        Transition transition = Transition.settled(settle, delivery(row, group), unit.instant(), random);
        row.settledNonce = row.nonce;
        row.settledBy = by;
        HolderReport.of(settle, row.cancelRequested()).ifPresent(row::report);
        if (transition.charge() == Transition.Charge.UNDO_ATTEMPT) {
            unit.tasks.rememberGivenBack(row);
        }
        carryOut(transition, row, by, settle.message(), settle.thrown());
    }

    /** Ends the lease of a holder that is gone or too slow, and charges a loss. */
    public void lose(TaskRow row, String why) {
        row.message = why;
        row.errorCode = 0;
        LeasedTask delivery = delivery(row, unit.groups.holdFor(row));
        carryOut(Transition.lost(delivery, unit.instant()), row, SettledBy.NOTHING, why, Optional.empty());
    }

    /** Ends the lease for an operator, without a charge. */
    public void revoke(TaskRow row) {
        Transition transition = Transition.revoked(delivery(row, unit.groups.holdFor(row)), unit.instant());
        carryOut(transition, row, SettledBy.NOTHING, Reasons.RELEASED_BY_OPERATOR, Optional.empty());
    }

    private static LeasedTask delivery(TaskRow row, @Nullable GroupRow group) {
        return new LeasedTask(
                row.queue.options(),
                row.counts.failures(),
                row.counts.losses(),
                Times.instant(row.due),
                Times.optional(row.expires),
                row.given.deadOf().isPresent(),
                row.cancelRequested(),
                group == null ? Optional.empty() : Optional.of(group.onFailure),
                isCanceling(group));
    }

    private static boolean isCanceling(@Nullable GroupRow group) {
        return group != null && GroupRules.isCanceling(group.state);
    }

    private void carryOut(Transition transition, TaskRow row, SettledBy by, String message, Optional<Thrown> thrown) {
        row.counts = row.counts.charged(transition.charge());
        transition
                .attempt()
                .ifPresent(outcome ->
                        unit.tasks.remember(row, by, outcome, message, thrown, Times.orNone(transition.nextDue())));
        switch (transition.way()) {
            case BACK -> {
                unlease(row);
                row.previousDue = transition.dueMoved()
                        ? Times.micros(transition.dueBefore(Times.instant(row.due), unit.instant()))
                        : row.previousDue;
                row.due = Times.micros(transition.due());
                row.expires = Times.orNone(transition.expires());
                passGates(row);
            }
            case FAILED_WITH_DEAD_RUN -> {
                NewTask deadRun = row.given.deadRun(row.id, row.priority);
                endLease(row, TaskState.FAILED);
                new TaskInserts(unit).putFollowUp(deadRun);
            }
            case FAILED_WITH_GROUP -> {
                unit.groups.cancelRest(row.groupId(), GroupInfo.State.FAILED, GroupRules.whyFailed(row.id));
                endLease(row, TaskState.FAILED);
            }
            case DONE -> {
                if (row.given.isPublication()) {
                    fanOut(row);
                }
                endLease(row, TaskState.DONE);
            }
            default -> endLease(row, transition.way().state());
        }
    }

    private void fanOut(TaskRow row) {
        List<Subscription> wanting = SubscriptionRow.wanting(tx, row.given);
        unit.tasks.reserveIds(wanting.size());
        TaskInserts inserts = new TaskInserts(unit);
        wanting.forEach(subscription -> inserts.putFollowUp(row.given.copyFor(subscription, row.id, row.priority)));
        row.message = FanOut.message(wanting.size());
    }

    /** Ends the lease and frees the key; the caller moves the row to its next state. */
    private void unlease(TaskRow row) {
        row.clearLease();
        if (row.queue.options().tenantLimit() > 0) {
            unit.ready(row.queue.name());
        }
        String key = row.key();
        if (key != null) {
            tx.update("leave-key", row.queue.id(), key, row.id);
            promoteNext(row.queue, key);
        }
    }

    /** Moves the best task that waits for a free key to READY. */
    private void promoteNext(QueueRow queue, String key) {
        List<Long> best = unit.tasks.ids("next-behind-key", queue.id(), key);
        while (!best.isEmpty()) {
            for (TaskRow next : unit.tasks.load(best, RowState.WAITING_KEY)) {
                move(next, RowState.READY);
                unit.ready(queue.name());
                return;
            }
            // Another transaction ended the task before this one locked its row.
            best = unit.tasks.ids("next-behind-key", queue.id(), key);
        }
    }

    // To an end

    private void endLease(TaskRow row, TaskState state) {
        unlease(row);
        end(row, state);
    }

    private void end(TaskRow row, TaskState state) {
        finish(row, state);
        GroupRow group = unit.groups.of(row);
        if (group != null) {
            unit.dependencies.ended(row);
            GroupRules.whyCanceled(group.onFailure, row.id, state)
                    .ifPresent(why -> unit.groups.cancelRest(group.id, GroupInfo.State.FAILED, why));
        }
    }

    private void finish(TaskRow row, TaskState state) {
        if (state.isFinished()) {
            Retention retention = row.queue.options().retention();
            row.finishedAt = unit.now;
            row.hiddenAt = unit.now + Times.micros(retention.of(state));
            if (state == TaskState.DONE && retention.donePayload() == Retention.DonePayload.DROP) {
                row.given = row.given.withoutPayload();
            }
            if (row.queue.options().capacity() > 0) {
                unit.ready(row.queue.name());
            }
        }
        move(row, RowState.ofEnd(state));
        unit.news(row);
        if (row.groupId() != 0) {
            unit.groups.left(row.groupId(), state);
        }
    }

    /** Ends a live row from any state. */
    public void drop(TaskRow row, TaskState state, String message) {
        row.message = message;
        row.errorCode = 0;
        if (row.state == RowState.TAKEN) {
            unit.tasks.remember(row, SettledBy.NOTHING, Attempt.Outcome.LOST, message, Optional.empty(), 0);
            endLease(row, state);
        } else {
            boolean wasReady = row.state == RowState.READY;
            end(row, state);
            passKeyOn(row, wasReady);
        }
    }

    /** Cancels a row without a lease with its group. The group itself ends later. */
    void dropWithGroup(TaskRow row, String message) {
        boolean wasReady = row.state == RowState.READY;
        row.message = message;
        finish(row, TaskState.CANCELED);
        passKeyOn(row, wasReady);
    }

    /** The end of a READY task passes a free key on (rule 3). */
    private void passKeyOn(TaskRow row, boolean wasReady) {
        String key = row.key();
        if (wasReady
                && key != null
                && tx.first("key-holder", found -> 1, row.queue.id(), key).isEmpty()) {
            promoteNext(row.queue, key);
        }
    }

    // By operators

    /** Asks the holder to stop; after the grace the timer revokes the lease. */
    public void requestCancel(TaskRow row, String reason) {
        row.message = reason;
        row.revokeAt = unit.now + CANCEL_GRACE;
        unit.tasks.changed(row);
    }

    public void touch(TaskRow row, Duration by) {
        long more = Times.micros(by);
        row.leaseUntil = row.leaseUntil == 0 ? 0 : row.leaseUntil + more;
        row.expires = row.expires == 0 ? 0 : row.expires + more;
        unit.tasks.changed(row);
    }

    /** Moves a buried row through all gates again; outside of its group if the group has ended (rule 16). */
    public void kick(TaskRow row) {
        row.counts = row.counts.kicked();
        GroupRow group = unit.groups.hold(row.groupId());
        if (group != null && group.state.isEnded()) {
            unit.groups.counts.leftBuried(group.id);
            row.given = row.given.withoutGroup();
            group = null;
        }
        if (group != null) {
            unit.dependencies.recheck(List.of(row));
        }
        if (isCanceling(group)) {
            end(row, TaskState.CANCELED);
        } else if (row.predecessorFailure != null) {
            row.message = row.predecessorFailure;
            end(row, TaskState.CANCELED);
        } else {
            passGates(row);
        }
    }

    private void move(TaskRow row, RowState to) {
        row.state = to;
        unit.tasks.changed(row);
    }
}
