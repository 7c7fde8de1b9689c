package dev.leat.sql.internal.work;

import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
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
import dev.leat.storage.LeasedTask;
import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskLimits;
import dev.leat.storage.Transition;
import dev.leat.topic.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ways between the states of a task, each written once: through the gates, out of a lease, to an end. What becomes of
 * a delivery is {@link Transition}'s to say; this carries it out.
 */
public final class RowLifecycle {
    /** How long a running task may go on after somebody canceled it. */
    private static final long CANCEL_GRACE = Times.micros(TaskLimits.CANCEL_GRACE);

    private final UnitOfWork unit;
    private final Tx tx;

    RowLifecycle(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    // In

    /** Lets a row through its group, the tasks it waits for, and its due time; the key is looked at by take alone. */
    public void passGates(TaskRow row) {
        GroupRow group = unit.groups.hold(row.groupId());
        if (row.waitsForOthers || (group != null && group.state == GroupInfo.State.OPEN)) {
            move(row, RowState.WAITING_GROUP);
        } else if (row.due > unit.now) {
            move(row, RowState.SCHEDULED);
        } else {
            move(row, RowState.READY);
            unit.ready(row.queue.name());
        }
    }

    // Out of a lease

    /** The holder has settled. */
    public void settled(TaskRow row, Settle settle, double random) {
        SettledBy by = SettledBy.of(settle);
        // An ack ends the task whatever its group does; all else may bring it back, which a canceled group forbids.
        GroupRow group = settle instanceof Settle.Ack ? unit.groups.of(row) : unit.groups.holdFor(row);
        Transition verdict = Transition.settled(settle, delivery(row, group), unit.instant(), random);
        row.settledNonce = row.nonce;
        row.settledBy = by;
        if (!row.cancelRequested()) {
            keepWords(row, settle);
        }
        if (verdict.charge() == Transition.Charge.UNDO_ATTEMPT) {
            unit.tasks.rememberGivenBack(row);
        }
        carryOut(verdict, row, by, settle.message(), settle.thrown());
    }

    /** The holder is gone or too slow: the attempt is lost and charged as such. */
    public void lose(TaskRow row, String why) {
        row.message = why;
        row.errorCode = 0;
        LeasedTask delivery = delivery(row, unit.groups.holdFor(row));
        carryOut(Transition.lost(delivery, unit.instant()), row, SettledBy.NOTHING, why, Optional.empty());
    }

    /** An operator takes the lease away; nobody is to blame. */
    public void revoke(TaskRow row) {
        Transition verdict = Transition.revoked(delivery(row, unit.groups.holdFor(row)), unit.instant());
        carryOut(verdict, row, SettledBy.NOTHING, "released by an operator", Optional.empty());
    }

    private static LeasedTask delivery(TaskRow row, @Nullable GroupRow group) {
        return new LeasedTask(
                row.queue.options(),
                row.failures,
                row.losses,
                Times.instant(row.due),
                Times.optional(row.expires),
                row.given.deadOf().isPresent(),
                row.cancelRequested(),
                group == null ? Optional.empty() : Optional.of(group.onFailure),
                isCanceling(group));
    }

    private static boolean isCanceling(@Nullable GroupRow group) {
        return group != null && group.state == GroupInfo.State.CANCELING;
    }

    /** What the holder said stays with the task; a release and a give-back say nothing. */
    private static void keepWords(TaskRow row, Settle settle) {
        if (settle instanceof Settle.Release || settle instanceof Settle.GiveBack) {
            return;
        }
        row.message = settle.message().isEmpty() ? null : settle.message();
        row.errorCode = settle instanceof Settle.Fail fail ? fail.failureCode() : 0;
        row.result = settle instanceof Settle.Ack ack ? ack.result().orElse(null) : null;
    }

    private void carryOut(Transition verdict, TaskRow row, SettledBy by, String words, Optional<Thrown> thrown) {
        charge(verdict.charge(), row);
        verdict.attempt()
                .ifPresent(outcome ->
                        unit.tasks.remember(row, by, outcome, words, thrown, Times.orNone(verdict.nextDue())));
        switch (verdict.way()) {
            case BACK -> {
                unlease(row);
                row.previousDue = verdict.dueMoved()
                        ? Times.micros(verdict.dueBefore(Times.instant(row.due), unit.instant()))
                        : row.previousDue;
                row.due = Times.micros(verdict.due());
                row.expires = Times.orNone(verdict.expires());
                passGates(row);
            }
            case FAILED_WITH_DEAD_RUN -> {
                NewTask deadRun = row.given.deadRun(row.id, row.priority);
                endLease(row, TaskState.FAILED);
                new TaskInserts(unit).putFollowUp(deadRun);
            }
            case FAILED_WITH_GROUP -> {
                unit.groups.cancelRest(row.groupId(), GroupInfo.State.FAILED, "task " + row.id + " failed the group");
                endLease(row, TaskState.FAILED);
            }
            case DONE -> {
                if (row.given.isPublication()) {
                    fanOut(row);
                }
                endLease(row, TaskState.DONE);
            }
            default -> endLease(row, verdict.way().state());
        }
    }

    private void fanOut(TaskRow row) {
        List<Subscription> wanting = SubscriptionRow.wanting(tx, row.given);
        unit.tasks.reserveIds(wanting.size());
        TaskInserts inserts = new TaskInserts(unit);
        wanting.forEach(subscription -> inserts.putFollowUp(row.given.copyFor(subscription, row.id, row.priority)));
        row.message = FanOut.message(wanting.size());
    }

    private static void charge(Transition.Charge charge, TaskRow row) {
        switch (charge) {
            case FAILURE -> row.failures++;
            case LOSS -> row.losses++;
            case RELEASE -> row.releases++;
            case UNDO_ATTEMPT -> row.attempts--;
            case NOTHING -> {}
        }
    }

    /** Ends the lease without saying where the row goes; its key is free. */
    private void unlease(TaskRow row) {
        row.forgetLease();
        if (row.queue.options().tenantLimit() > 0) {
            unit.ready(row.queue.name());
        }
        String key = row.key();
        if (key != null) {
            tx.update("leave-key", row.queue.id(), key, row.id);
            promoteNext(row.queue, key);
        }
    }

    /** The best of those who wait behind a free key is ready. */
    private void promoteNext(QueueRow queue, String key) {
        List<Long> best = unit.tasks.ids("next-behind-key", queue.id(), key);
        while (!best.isEmpty()) {
            for (TaskRow next : unit.tasks.load(best, RowState.WAITING_KEY)) {
                move(next, RowState.READY);
                unit.ready(queue.name());
                return;
            }
            // Somebody else ended it before we had it.
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
        }
        if (group != null && state.isFailure() && group.onFailure == GroupSpec.OnFailure.CANCEL_GROUP) {
            unit.groups.cancelRest(group.id, GroupInfo.State.FAILED, "task " + row.id + " ended as " + state);
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
            boolean hadTheTurn = row.state == RowState.READY;
            end(row, state);
            passTurnOn(row, hadTheTurn);
        }
    }

    /** Ends a row that nobody runs because its group is canceled; the group's own end comes later. */
    void dropWithGroup(TaskRow row, String message) {
        boolean hadTheTurn = row.state == RowState.READY;
        row.message = message;
        finish(row, TaskState.CANCELED);
        passTurnOn(row, hadTheTurn);
    }

    /** A ready row that ends gives the turn of its key to the next, unless another one runs for the key. */
    private void passTurnOn(TaskRow row, boolean hadTheTurn) {
        String key = row.key();
        if (hadTheTurn
                && key != null
                && tx.first("key-holder", found -> 1, row.queue.id(), key).isEmpty()) {
            promoteNext(row.queue, key);
        }
    }

    // By operators

    /** Asks a running task to stop; the lease is taken away when it does not. */
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

    /** A buried row starts afresh: with all its attempts, in its group if that still runs. */
    public void kick(TaskRow row) {
        row.failures = 0;
        row.losses = 0;
        GroupRow group = unit.groups.hold(row.groupId());
        if (group != null && group.state.isEnded()) {
            unit.groups.counts.leftBuried(group.id);
            row.given = row.given.withoutGroup();
            group = null;
        }
        if (group != null) {
            unit.dependencies.lookAgain(List.of(row));
        }
        if (isCanceling(group)) {
            end(row, TaskState.CANCELED);
        } else if (row.doom != null) {
            row.message = row.doom;
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
