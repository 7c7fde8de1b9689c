package dev.leat.storage;

import dev.leat.PutResult;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import java.util.List;
import java.util.Optional;

/**
 * The schedules of a {@link Storage}. The put of a run and the move to the next run are one transaction, so that one process of a fleet
 * puts the run. {@link #pause}, {@link #resume} and {@link #trigger} throw {@link dev.leat.error.ScheduleNotFoundException} for an unknown
 * schedule.
 */
public interface ScheduleStorage {
    /** Makes the schedule, or changes the schedule as {@link ScheduleInfo#again} says. */
    ScheduleInfo put(Schedule schedule, QueueInfo.SetBy setBy);

    Optional<ScheduleInfo> find(String name);

    /** Schedules by name, after the name that the query names. */
    List<ScheduleInfo> list(ScheduleQuery query);

    ScheduleInfo pause(String name);

    ScheduleInfo resume(String name);

    /** Puts the task of the schedule now; with {@link Schedule.Overlap#SKIP} only if the last task has ended. */
    PutResult trigger(String name);

    /** Removes the schedule and keeps its tasks; answers whether the schedule was there. */
    boolean drop(String name);
}
