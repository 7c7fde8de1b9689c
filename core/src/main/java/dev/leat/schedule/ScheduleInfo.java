package dev.leat.schedule;

import dev.leat.PutResult;
import dev.leat.queue.QueueInfo;
import dev.leat.storage.DueRuns;
import dev.leat.storage.OperatorRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A schedule and its present state.
 *
 * @param setBy whether code or an operator put it last; code never overrules an operator
 * @param paused whether it is paused until {@code leat.schedules().resume(name)}
 * @param created when it was first put
 * @param nextRun the next run; empty while it is paused
 * @param lastRun the last run for which a task was put
 * @param lastTask the task of the last run
 * @param lastSkip the last run without a task
 */
public record ScheduleInfo(
        Schedule schedule,
        QueueInfo.SetBy setBy,
        boolean paused,
        Instant created,
        Optional<Instant> nextRun,
        Optional<Instant> lastRun,
        OptionalLong lastTask,
        Optional<Skip> lastSkip) {

    /**
     * A run without a task.
     *
     * @param due the time of the run
     * @param reason why no task was put
     */
    public record Skip(Instant due, String reason) {}

    public String name() {
        return schedule.name();
    }

    // Changes, the same for all storages

    /** For storages: a new schedule. */
    public static ScheduleInfo first(Schedule schedule, QueueInfo.SetBy setBy, Instant now) {
        Schedule begun = schedule.cadence(schedule.cadence().begunAt(now));
        Instant next = begun.cadence().next(now);
        return new ScheduleInfo(
                begun, setBy, false, now, Optional.of(next), Optional.empty(), OptionalLong.empty(), Optional.empty());
    }

    /**
     * For storages: this schedule, put again. Unchanged times go on, and a paused schedule stays paused. Code does not change a schedule that an
     * operator has put.
     */
    public ScheduleInfo again(Schedule other, QueueInfo.SetBy by, Instant now) {
        if (!OperatorRules.mayChange(setBy, by)) {
            return this;
        }
        boolean goesOn = isSame(schedule.cadence(), other.cadence());
        Cadence cadence = goesOn ? schedule.cadence() : other.cadence().begunAt(now);
        Optional<Instant> next = goesOn || paused ? nextRun : Optional.of(cadence.next(now));
        return new ScheduleInfo(other.cadence(cadence), by, paused, created, next, lastRun, lastTask, lastSkip);
    }

    private static boolean isSame(Cadence known, Cadence put) {
        return known.equals(put)
                || (put instanceof FixedRate rate && known instanceof FixedRate other && rate.isLike(other));
    }

    /** For storages. */
    public ScheduleInfo pause() {
        return new ScheduleInfo(schedule, setBy, true, created, Optional.empty(), lastRun, lastTask, lastSkip);
    }

    /** For storages: goes on with the next run; runs during the pause are left out. */
    public ScheduleInfo resume(Instant now) {
        Optional<Instant> next = paused ? Optional.of(schedule.cadence().next(now)) : nextRun;
        return new ScheduleInfo(schedule, setBy, false, created, next, lastRun, lastTask, lastSkip);
    }

    /** For storages: the schedule after its due runs were put. */
    public ScheduleInfo fired(DueRuns firing, List<PutResult> results) {
        ScheduleInfo after = new ScheduleInfo(
                schedule,
                setBy,
                paused,
                created,
                Optional.of(firing.next()),
                lastRun,
                lastTask,
                firing.skip().or(() -> lastSkip));
        for (int i = 0; i < results.size(); i++) {
            after = after.put(firing.runs().get(i), results.get(i));
        }
        return after;
    }

    /** For storages: the schedule after one run was put. */
    public ScheduleInfo put(Instant due, PutResult result) {
        if (!result.created()) {
            Skip skip = new Skip(due, "task " + result.id() + " is there in its place");
            return new ScheduleInfo(schedule, setBy, paused, created, nextRun, lastRun, lastTask, Optional.of(skip));
        }
        return new ScheduleInfo(
                schedule, setBy, paused, created, nextRun, Optional.of(due), OptionalLong.of(result.id()), lastSkip);
    }
}
