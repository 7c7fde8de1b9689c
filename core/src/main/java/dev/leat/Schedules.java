package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.error.ScheduleNotFoundException;
import dev.leat.internal.Checks;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.storage.Storage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The schedules of the storage. Every process with an open Leat puts the tasks of due runs; the task of each run is put once.
 */
public final class Schedules {
    private static final int MOST_PREVIEWED = 1_000;

    private final Leat leat;

    Schedules(Leat leat) {
        this.leat = leat;
    }

    /**
     * Makes or changes the schedule; call it at each start of your program. A paused schedule stays paused, and the times of an unchanged cadence
     * go on. A schedule that an operator has configured does not change. Makes a missing queue too.
     */
    public ScheduleInfo put(Schedule schedule) {
        return put(schedule, QueueInfo.SetBy.CODE);
    }

    /** Makes or changes the schedule as an operator: {@link #put} no longer changes it. */
    public ScheduleInfo configure(Schedule schedule) {
        return put(schedule, QueueInfo.SetBy.OPERATOR);
    }

    private ScheduleInfo put(Schedule schedule, QueueInfo.SetBy setBy) {
        leat.queue(schedule.queue()).ensure();
        return storage().schedules().put(schedule, setBy);
    }

    public Optional<ScheduleInfo> find(String name) {
        return storage().schedules().find(name);
    }

    public List<ScheduleInfo> list(ScheduleQuery query) {
        return storage().schedules().list(query);
    }

    /** Puts no tasks of the schedule until {@link #resume}. */
    public ScheduleInfo pause(String name) {
        return storage().schedules().pause(name);
    }

    /** Goes on with the next run; runs during the pause are left out. */
    public ScheduleInfo resume(String name) {
        return storage().schedules().resume(name);
    }

    /**
     * Puts the task now, even if the schedule is paused; the times of the schedule do not change. With {@link Schedule.Overlap#SKIP} and a
     * live task of the schedule, it returns that task.
     */
    public PutResult trigger(String name) {
        return storage().schedules().trigger(name);
    }

    /** Removes the schedule and keeps its tasks; returns whether it existed. */
    public boolean drop(String name) {
        return storage().schedules().drop(name);
    }

    /** Returns the next run times; for a paused schedule, those after a resume now. */
    public List<Instant> next(String name, int count) {
        if (Checks.atLeast("count", 1, count) > MOST_PREVIEWED) {
            throw new InvalidRequestException("count", "must be at most " + MOST_PREVIEWED + ", was " + count);
        }
        ScheduleInfo info = find(name).orElseThrow(() -> new ScheduleNotFoundException(name));
        Cadence cadence = info.schedule().cadence();
        Instant first = info.nextRun().orElseGet(() -> cadence.next(storage().now()));
        return Stream.iterate(first, cadence::next).limit(count).toList();
    }

    private Storage storage() {
        return leat.storage();
    }
}
