package dev.leat.schedule;

import dev.leat.PutResult;
import dev.leat.Schedules;
import dev.leat.queue.QueueInfo;
import dev.leat.storage.DueRuns;
import dev.leat.storage.OperatorRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A schedule as it stands.
 *
 * @param setBy who put it last; code never overrules an operator
 * @param paused whether it waits for {@link Schedules#resume}
 * @param created when it was first put
 * @param nextRun when it runs next; empty while it is paused
 * @param lastRun for which time a task was last put
 * @param lastTask that task
 * @param lastSkip the last time for which nothing was put
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
     * A time for which nothing was put.
     *
     * @param due the time
     * @param reason why not
     */
    public record Skip(Instant due, String reason) {}

    public String name() {
        return schedule.name();
    }

    // For storages, which all change it alike

    /** For storages: a schedule that was not there before. */
    public static ScheduleInfo first(Schedule schedule, QueueInfo.SetBy setBy, Instant now) {
        Schedule begun = schedule.cadence(schedule.cadence().begunAt(now));
        Instant next = begun.cadence().next(now);
        return new ScheduleInfo(
                begun, setBy, false, now, Optional.of(next), Optional.empty(), OptionalLong.empty(), Optional.empty());
    }

    /**
     * For storages: the same schedule, put again. It goes on with its times unless they have changed, and stays paused. What an operator has
     * put is not changed by code.
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

    /** For storages: it goes on with the next of its times; those during the pause are not missed. */
    public ScheduleInfo resume(Instant now) {
        Optional<Instant> next = paused ? Optional.of(schedule.cadence().next(now)) : nextRun;
        return new ScheduleInfo(schedule, setBy, false, created, next, lastRun, lastTask, lastSkip);
    }

    /** For storages: what the schedule is after its runs were put. */
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

    /** For storages: what the schedule is after a run was put. */
    public ScheduleInfo put(Instant due, PutResult result) {
        if (!result.created()) {
            Skip skip = new Skip(due, "task " + result.id() + " is there in its place");
            return new ScheduleInfo(schedule, setBy, paused, created, nextRun, lastRun, lastTask, Optional.of(skip));
        }
        return new ScheduleInfo(
                schedule, setBy, paused, created, nextRun, Optional.of(due), OptionalLong.of(result.id()), lastSkip);
    }
}
