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
 * The schedules, which live in the storage: each process that has a Leat open puts their tasks when it is time, and each run is put by
 * exactly one of them.
 */
public final class Schedules {
    private static final int MOST_PREVIEWED = 1_000;

    private final Leat leat;

    Schedules(Leat leat) {
        this.leat = leat;
    }

    /**
     * Makes the schedule, or changes it; so code can say at each start what it needs. One that is paused stays so, its times go on unless
     * they change, and what an operator has put is left as it is. Makes the queue too, if that is missing.
     */
    public ScheduleInfo put(Schedule schedule) {
        return put(schedule, QueueInfo.SetBy.CODE);
    }

    /** An operator's word: the schedule is this from now on, whatever the code says. */
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

    /** Nothing is put until {@link #resume}. */
    public ScheduleInfo pause(String name) {
        return storage().schedules().pause(name);
    }

    /** It goes on with the next of its times; those during the pause are not made up for. */
    public ScheduleInfo resume(String name) {
        return storage().schedules().resume(name);
    }

    /**
     * Puts the task once more, now, whether or not the schedule is paused; its times go on as if nothing had happened. With
     * {@link Schedule.Overlap#SKIP} and a task that has not ended, the answer is that one.
     */
    public PutResult trigger(String name) {
        return storage().schedules().trigger(name);
    }

    /** Forgets it; what it has put stays. Answers whether there was one. */
    public boolean drop(String name) {
        return storage().schedules().drop(name);
    }

    /** The next times at which it runs; for one that is paused, as if it went on now. */
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
