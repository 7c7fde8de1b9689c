package dev.leat.storagetests.model;

import static dev.leat.TaskState.CANCELED;
import static dev.leat.TaskState.DONE;
import static dev.leat.TaskState.EXPIRED;
import static dev.leat.TaskState.FAILED;
import static dev.leat.TaskState.TAKEN;

import dev.leat.Attempt;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.queue.Exhaustion;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a lease ends: by its holder's settle, by its loss, or by an operator. */
abstract class ModelLeases extends ModelMoves {
    private static final Duration SETTLES_KNOWN_FOR = Duration.ofMinutes(5);

    ModelLeases(Instant now) {
        super(now);
    }

    /** Empty when the settle is too old to be surely known: ALREADY or GONE, as the storage likes (9). */
    Optional<SettleResult> settle(Settle settle) {
        Row row = row(settle.lease().taskId());
        if (!settle.lease().equals(row.lease)) {
            return settledBefore(row, settle);
        }
        row.settled.put(settle.lease(), new Row.Settled(settle, now));
        if (row.cancelRequested()) {
            end(row, CANCELED); // 11
        } else {
            apply(settle, row);
        }
        TaskState state = row.state;
        closeGroups();
        return Optional.of(SettleResult.done(row.given.queue(), state));
    }

    private Optional<SettleResult> settledBefore(Row row, Settle settle) {
        Row.Settled before = row.settled.get(settle.lease());
        if (before == null || before.settle().getClass() != settle.getClass()) {
            return Optional.of(SettleResult.gone());
        }
        boolean surelyKnown =
                before.settle().equals(settle) && now.isBefore(before.at().plus(SETTLES_KNOWN_FOR));
        return surelyKnown ? Optional.of(SettleResult.already(row.given.queue(), row.state)) : Optional.empty();
    }

    private void apply(Settle settle, Row row) {
        if (settle instanceof Settle.Ack ack) {
            finish(row, DONE, ack.message(), 0);
        } else if (settle instanceof Settle.Fail fail) {
            Instant due = options(row.given).retry().nextDue(row.failures + 1, row.due, now, 0);
            charge(row, fail.message(), fail.code(), due);
        } else if (settle instanceof Settle.Retry retry) {
            charge(row, retry.message(), 0, retry.due().after(now));
        } else if (settle instanceof Settle.Release release) {
            row.releases++;
            record(row, Attempt.Outcome.RELEASED);
            comeBack(row, release.delay().isZero() ? null : now.plus(release.delay()));
        } else if (settle instanceof Settle.Bury bury) {
            record(row, Attempt.Outcome.BURIED);
            if (isCanceling(row)) {
                end(row, CANCELED);
            } else {
                bury(row, bury.message(), ANY_CODE);
            }
        } else if (settle instanceof Settle.Cancel cancel) {
            finish(row, CANCELED, cancel.message(), 0);
        } else if (settle instanceof Settle.GiveBack giveBack) {
            Instant expires = row.expires;
            row.attempts--;
            boolean isPutOff = !giveBack.delay().isZero();
            comeBack(row, isPutOff ? now.plus(giveBack.delay()) : null);
            row.expires = expires; // whoever has not seen it does not prolong its life
            if (isPutOff && row.state.isLive()) {
                row.previousDue = now; // so that it tells for how long
            }
        }
    }

    private void charge(Row row, String message, int code, Instant due) {
        row.failures++;
        say(row, message, code);
        record(row, Attempt.Outcome.FAILED);
        exhaustOrComeBack(row, due);
    }

    /** The lease is lost by a crash, a disconnect or the time limit. */
    void lose(Row row) {
        row.losses++;
        say(row, ANY_WORDS, ANY_CODE);
        record(row, Attempt.Outcome.LOST);
        exhaustOrComeBack(row, now);
    }

    /** Exhaustion is looked at before the time to live. */
    private void exhaustOrComeBack(Row row, Instant due) {
        if (isExhausted(row)) {
            exhaust(row);
        } else {
            comeBack(row, due);
        }
    }

    /** Returns the task through its gates, at its due time if there is one. A canceled or expired task ends instead. */
    void comeBack(Row row, @Nullable Instant due) {
        if (isUnwanted(row)) {
            end(row, CANCELED);
        } else if (hasCome(row.expires)) {
            end(row, EXPIRED); // 5
        } else {
            if (due != null) {
                postpone(row, due);
            }
            move(row, gate(row));
        }
    }

    /** The wait extends the time to live (T29). */
    private void postpone(Row row, Instant due) {
        row.previousDue = row.due;
        row.due = due;
        if (due.isAfter(now)) {
            extendTtl(row, Duration.between(now, due));
        }
    }

    private static void extendTtl(Row row, Duration by) {
        if (row.expires != null) {
            row.expires = row.expires.plus(by);
        }
    }

    private boolean isExhausted(Row row) { // 10
        return options(row.given).retry().exhausted(row.failures, row.losses) && !isUnwanted(row);
    }

    private void exhaust(Row row) {
        Exhaustion exhaustion = options(row.given).exhaustion();
        boolean deadRun = row.given.deadOf().isPresent();
        if (exhaustion == Exhaustion.BURY || (exhaustion == Exhaustion.DEAD_HANDLER && deadRun)) {
            bury(row, row.message, row.errorCode);
            return;
        }
        finish(row, FAILED, row.message, row.errorCode);
        if (exhaustion == Exhaustion.DEAD_HANDLER) {
            add(row.given.deadRun(row.id, row.priority));
        }
    }

    void record(Row row, Attempt.Outcome outcome) {
        row.history.add(new Attempt(
                row.attempts,
                row.takenAt == null ? now : row.takenAt,
                now,
                outcome,
                row.message,
                Optional.ofNullable(row.session),
                Optional.empty()));
    }

    /** An operator revokes the lease, if the task has one. */
    void revoke(Row row) {
        if (row.state == TAKEN) {
            record(row, Attempt.Outcome.LOST);
        }
    }

    /** Moves deadline and time to live; nothing without a deadline (8). */
    Touch.Result touch(Touch touch) {
        Row row = row(touch.lease().taskId());
        if (!touch.lease().equals(row.lease)) {
            return Touch.Result.gone();
        }
        if (row.leaseUntil == null) {
            return Touch.Result.unlimited(row.given.queue());
        }
        row.leaseUntil = row.leaseUntil.plus(touch.by());
        extendTtl(row, touch.by());
        return Touch.Result.extended(row.given.queue(), row.leaseUntil);
    }
}
