package dev.leat.sql.internal;

import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskLimits;
import dev.leat.Attempt;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Retention;
import dev.leat.Settle;
import dev.leat.Subscription;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.storage.Delivery;
import dev.leat.storage.FanOut;
import dev.leat.storage.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ways between the states of a task, each written once: through the gates, out of a lease, to an end. What becomes of
 * a delivery is {@link Verdict}'s to say; this carries it out.
 */
final class Lifecycle {
    /** How long a running task may go on after somebody canceled it. */
    private static final long CANCEL_GRACE = Times.micros(TaskLimits.CANCEL_GRACE);

    private final Turn turn;
    private final Tx tx;

    Lifecycle(Turn turn) {
        this.turn = turn;
        this.tx = turn.tx;
    }

    // In

    /** Lets a row through its group, the tasks it waits for, and its due time; the key is looked at by take alone. */
    void passGates(TaskRow row) {
        GroupRow group = turn.groups.hold(row.groupId());
        if (row.waitsForOthers || (group != null && group.state == GroupInfo.State.OPEN)) {
            move(row, RowState.WAITING_GROUP);
        } else if (row.due > turn.now) {
            move(row, RowState.SCHEDULED);
        } else {
            move(row, RowState.READY);
            turn.ready(row.queue.name());
        }
    }

    // Out of a lease

    /** The holder has settled. */
    void settled(TaskRow row, Settle settle, double random) {
        SettledBy by = SettledBy.of(settle);
        // An ack ends the task whatever its group does; all else may bring it back, which a canceled group forbids.
        GroupRow group = settle instanceof Settle.Ack ? turn.groups.of(row) : turn.groups.holdFor(row);
        Verdict verdict = Verdict.settled(settle, delivery(row, group), turn.instant(), random);
        row.settledNonce = row.nonce;
        row.settledBy = by;
        if (!row.cancelRequested()) {
            keepWords(row, settle);
        }
        if (verdict.charge() == Verdict.Charge.UNDO_ATTEMPT) {
            turn.tasks.rememberGivenBack(row);
        }
        carryOut(verdict, row, by, settle.message(), settle.thrown());
    }

    /** The holder is gone or too slow: the attempt is lost and charged as such. */
    void lose(TaskRow row, String why) {
        row.message = why;
        row.errorCode = 0;
        Delivery delivery = delivery(row, turn.groups.holdFor(row));
        carryOut(Verdict.lost(delivery, turn.instant()), row, SettledBy.NOTHING, why, Optional.empty());
    }

    /** An operator takes the lease away; nobody is to blame. */
    void revoke(TaskRow row) {
        Verdict verdict = Verdict.revoked(delivery(row, turn.groups.holdFor(row)), turn.instant());
        carryOut(verdict, row, SettledBy.NOTHING, "released by an operator", Optional.empty());
    }

    private static Delivery delivery(TaskRow row, @Nullable GroupRow group) {
        return new Delivery(
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
        row.errorCode = settle instanceof Settle.Fail fail ? fail.code() : 0;
        row.result = settle instanceof Settle.Ack ack ? ack.result().orElse(null) : null;
    }

    private void carryOut(Verdict verdict, TaskRow row, SettledBy by, String words, Optional<Thrown> thrown) {
        charge(verdict.charge(), row);
        verdict.attempt()
                .ifPresent(outcome ->
                        turn.tasks.remember(row, by, outcome, words, thrown, Times.orNone(verdict.nextDue())));
        switch (verdict.way()) {
            case BACK -> {
                unlease(row);
                row.previousDue = verdict.dueMoved()
                        ? Times.micros(verdict.dueBefore(Times.instant(row.due), turn.instant()))
                        : row.previousDue;
                row.due = Times.micros(verdict.due());
                row.expires = Times.orNone(verdict.expires());
                passGates(row);
            }
            case FAILED_WITH_DEAD_RUN -> {
                NewTask deadRun = row.given.deadRun(row.id, row.priority);
                endLease(row, TaskState.FAILED);
                new TaskInserts(turn).putFollowUp(deadRun);
            }
            case FAILED_WITH_GROUP -> {
                turn.groups.cancelRest(row.groupId(), GroupInfo.State.FAILED, "task " + row.id + " failed the group");
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
        turn.tasks.reserveIds(wanting.size());
        TaskInserts inserts = new TaskInserts(turn);
        wanting.forEach(subscription -> inserts.putFollowUp(row.given.copyFor(subscription, row.id, row.priority)));
        row.message = FanOut.message(wanting.size());
    }

    private static void charge(Verdict.Charge charge, TaskRow row) {
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
            turn.ready(row.queue.name());
        }
        String key = row.key();
        if (key != null) {
            tx.update("leave-key", row.queue.id(), key, row.id);
            promoteNext(row.queue, key);
        }
    }

    /** The best of those who wait behind a free key is ready. */
    private void promoteNext(QueueRow queue, String key) {
        List<Long> best = turn.tasks.ids("next-behind-key", queue.id(), key);
        while (!best.isEmpty()) {
            for (TaskRow next : turn.tasks.load(best, RowState.WAITING_KEY)) {
                move(next, RowState.READY);
                turn.ready(queue.name());
                return;
            }
            // Somebody else ended it before we had it.
            best = turn.tasks.ids("next-behind-key", queue.id(), key);
        }
    }

    // To an end

    private void endLease(TaskRow row, TaskState state) {
        unlease(row);
        end(row, state);
    }

    private void end(TaskRow row, TaskState state) {
        finish(row, state);
        GroupRow group = turn.groups.of(row);
        if (group != null) {
            turn.dependencies.ended(row);
        }
        if (group != null && state.isFailure() && group.onFailure == GroupSpec.OnFailure.CANCEL_GROUP) {
            turn.groups.cancelRest(group.id, GroupInfo.State.FAILED, "task " + row.id + " ended as " + state);
        }
    }

    private void finish(TaskRow row, TaskState state) {
        if (state.isFinished()) {
            Retention retention = row.queue.options().retention();
            row.finishedAt = turn.now;
            row.hiddenAt = turn.now + Times.micros(retention.of(state));
            if (state == TaskState.DONE && retention.donePayload() == Retention.DonePayload.DROP) {
                row.given = row.given.withoutPayload();
            }
            if (row.queue.options().capacity() > 0) {
                turn.ready(row.queue.name());
            }
        }
        move(row, RowState.ofEnd(state));
        turn.news(row);
        if (row.groupId() != 0) {
            turn.groups.left(row.groupId(), state);
        }
    }

    /** Ends a live row from any state. */
    void drop(TaskRow row, TaskState state, String message) {
        row.message = message;
        row.errorCode = 0;
        if (row.state == RowState.TAKEN) {
            turn.tasks.remember(row, SettledBy.NOTHING, Attempt.Outcome.LOST, message, Optional.empty(), 0);
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
    void requestCancel(TaskRow row, String reason) {
        row.message = reason;
        row.revokeAt = turn.now + CANCEL_GRACE;
        turn.tasks.changed(row);
    }

    void touch(TaskRow row, Duration by) {
        long more = Times.micros(by);
        row.leaseUntil = row.leaseUntil == 0 ? 0 : row.leaseUntil + more;
        row.expires = row.expires == 0 ? 0 : row.expires + more;
        turn.tasks.changed(row);
    }

    /** A buried row starts afresh: with all its attempts, in its group if that still runs. */
    void kick(TaskRow row) {
        row.failures = 0;
        row.losses = 0;
        GroupRow group = turn.groups.hold(row.groupId());
        if (group != null && group.state.isEnded()) {
            turn.groups.counts.leftBuried(group.id);
            row.given = row.given.withoutGroup();
            group = null;
        }
        if (group != null) {
            turn.dependencies.lookAgain(List.of(row));
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
        turn.tasks.changed(row);
    }
}
