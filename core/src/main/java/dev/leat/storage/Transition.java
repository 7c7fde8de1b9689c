package dev.leat.storage;

import dev.leat.Attempt;
import dev.leat.GroupSpec;
import dev.leat.Settle;
import dev.leat.TaskState;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a task when a delivery ends: the part of the state machine that needs no storage. Every storage uses this class.
 *
 * <p>The order of the checks is part of the rules: first a requested cancel, then a canceled group, then exhaustion, then the time to live.
 *
 * @param way where the task goes
 * @param due the due time; changed only if the task comes back
 * @param dueMoved whether the old due time becomes the previous one
 * @param expires when the time to live ends, after any delay
 * @param charge what the delivery counts as
 * @param attempt the outcome of the recorded attempt; empty if no attempt is recorded
 * @param nextDue the due time that the attempt records; empty if the task does not come back
 */
public record Transition(
        Way way,
        Instant due,
        boolean dueMoved,
        Optional<Instant> expires,
        Charge charge,
        Optional<Attempt.Outcome> attempt,
        Optional<Instant> nextDue) {

    /** Where a task goes when its delivery ends. */
    public enum Way {
        /** Through the gates again. */
        BACK,
        DONE,
        BURIED,
        EXPIRED,
        CANCELED,
        FAILED,
        /** Failed, and a dead run is put. */
        FAILED_WITH_DEAD_RUN,
        /** Failed, and its group is canceled. */
        FAILED_WITH_GROUP;

        /** The state of a task that does not come back. */
        public TaskState state() {
            return switch (this) {
                case DONE -> TaskState.DONE;
                case BURIED -> TaskState.BURIED;
                case EXPIRED -> TaskState.EXPIRED;
                case CANCELED -> TaskState.CANCELED;
                case FAILED, FAILED_WITH_DEAD_RUN, FAILED_WITH_GROUP -> TaskState.FAILED;
                case BACK -> throw new IllegalStateException("a task that comes back has no final state");
            };
        }
    }

    /** What a delivery counts as. */
    public enum Charge {
        NOTHING,
        FAILURE,
        LOSS,
        RELEASE,
        /** The attempt does not count. */
        UNDO_ATTEMPT
    }

    /** The previous due time that the task records. A give-back records its own time, which shows the length of the delay. */
    public Instant dueBefore(Instant due, Instant now) {
        return charge == Charge.UNDO_ATTEMPT ? now : due;
    }

    /** After a settle; {@code random}, from 0 to 1, chooses a delay within its jitter. */
    public static Transition settled(Settle settle, LeasedTask d, Instant now, double random) {
        if (d.cancelRequested() || settle instanceof Settle.Cancel) {
            return new Transition(
                    Way.CANCELED, d.due(), false, d.expires(), Charge.NOTHING, Optional.empty(), Optional.empty());
        }
        if (settle instanceof Settle.Fail) {
            return failed(d, retryPolicy(d).nextDue(d.failures() + 1, d.due(), now, random), now);
        }
        if (settle instanceof Settle.Retry retry) {
            return failed(d, retry.due().after(now), now);
        }
        if (settle instanceof Settle.Release release) {
            return released(d, release.delay(), now);
        }
        if (settle instanceof Settle.GiveBack giveBack) {
            return ending(d, givenBack(d, giveBack.delay(), now), Charge.UNDO_ATTEMPT, null, d.due());
        }
        boolean ack = settle instanceof Settle.Ack;
        Way way = ack ? Way.DONE : d.groupCanceled() ? Way.CANCELED : Way.BURIED;
        Optional<Attempt.Outcome> attempt = ack ? Optional.empty() : Optional.of(Attempt.Outcome.BURIED);
        return new Transition(way, d.due(), false, d.expires(), Charge.NOTHING, attempt, Optional.empty());
    }

    /** After a lost lease: crash, disconnect or time limit. */
    public static Transition lost(LeasedTask d, Instant now) {
        boolean last = retryPolicy(d).exhausted(d.failures(), d.losses() + 1);
        Back back = last ? exhausted(d) : back(d, now, true, now);
        return ending(d, back, Charge.LOSS, Attempt.Outcome.LOST, last ? null : now);
    }

    /** After an operator revoked the lease; charges nothing. */
    public static Transition revoked(LeasedTask d, Instant now) {
        return ending(d, back(d, d.due(), false, now), Charge.RELEASE, Attempt.Outcome.LOST, d.due());
    }

    private static Transition failed(LeasedTask d, Instant due, Instant now) {
        boolean last = retryPolicy(d).exhausted(d.failures() + 1, d.losses());
        Back back = last ? exhausted(d) : back(d, due, true, now);
        return ending(d, back, Charge.FAILURE, Attempt.Outcome.FAILED, last ? null : due);
    }

    private static Transition released(LeasedTask d, Duration delay, Instant now) {
        Instant due = delay.isZero() ? d.due() : now.plus(delay);
        return ending(d, back(d, due, !delay.isZero(), now), Charge.RELEASE, Attempt.Outcome.RELEASED, due);
    }

    private static RetryPolicy retryPolicy(LeasedTask d) {
        return d.options().retry();
    }

    /** A way, before the check for cancels. */
    private record Back(Way way, Instant due, boolean dueMoved, Optional<Instant> expires) {}

    private static Back back(LeasedTask d, Instant due, boolean dueMoved, Instant now) {
        if (d.expires().isPresent() && !now.isBefore(d.expires().get())) {
            return new Back(Way.EXPIRED, d.due(), false, d.expires());
        }
        Optional<Instant> expires = dueMoved && due.isAfter(now)
                ? d.expires().map(moment -> moment.plus(Duration.between(now, due)))
                : d.expires();
        return new Back(Way.BACK, due, dueMoved, expires);
    }

    /** A give-back does not extend the time to live, because no handler has seen the task. */
    private static Back givenBack(LeasedTask d, Duration delay, Instant now) {
        Back back = back(d, d.due(), false, now);
        return delay.isZero() || back.way() != Way.BACK ? back : new Back(Way.BACK, now.plus(delay), true, d.expires());
    }

    private static Back exhausted(LeasedTask d) {
        Exhaustion exhaustion = d.options().exhaustion();
        Way way =
                switch (exhaustion) {
                    case BURY -> Way.BURIED;
                    case DEAD_HANDLER -> d.deadRun() ? Way.BURIED : Way.FAILED_WITH_DEAD_RUN;
                    case FAIL -> Way.FAILED;
                    case FAIL_GROUP ->
                        d.group().equals(Optional.of(GroupSpec.OnFailure.QUEUE_DECIDES))
                                ? Way.FAILED_WITH_GROUP
                                : Way.FAILED;
                };
        return new Back(way, d.due(), false, d.expires());
    }

    private static Transition ending(
            LeasedTask d, Back back, Charge charge, Attempt.@Nullable Outcome attempt, @Nullable Instant nextDue) {
        if (d.cancelRequested() || d.groupCanceled()) {
            return new Transition(
                    Way.CANCELED,
                    d.due(),
                    false,
                    d.expires(),
                    charge,
                    Optional.ofNullable(attempt),
                    Optional.ofNullable(nextDue));
        }
        return new Transition(
                back.way(),
                back.due(),
                back.dueMoved(),
                back.expires(),
                charge,
                Optional.ofNullable(attempt),
                Optional.ofNullable(nextDue));
    }
}
