package dev.leat.schedule;

import dev.leat.NewTask;
import dev.leat.Task;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Which run of which schedule a task is. It is written in the task's {@link Task#trace}, so it goes where the task goes, also into the
 * copies of a publication.
 *
 * @param schedule the name of the schedule
 * @param due the time that the schedule named; the task itself may have come later
 */
public record ScheduledRun(String schedule, Instant due) {
    private static final String SCHEDULE = "leat.schedule";
    private static final String DUE = "leat.schedule.due";

    /** The run that the task is; empty for a task that no schedule has put. */
    public static Optional<ScheduledRun> of(Task task) {
        return of(task.trace());
    }

    private static Optional<ScheduledRun> of(Map<String, String> trace) {
        String schedule = trace.get(SCHEDULE);
        String due = trace.get(DUE);
        if (schedule == null || due == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ScheduledRun(schedule, Instant.parse(due)));
        } catch (DateTimeException e) {
            return Optional.empty(); // somebody else's words
        }
    }

    /** For storages: what is put for this run. Nobody puts it twice. */
    public NewTask task(NewTask template) {
        return marked(template)
                .idempotencyKey("schedule " + due + " " + schedule)
                .build();
    }

    /** For storages: what is put because somebody has asked for a run, as often as he asks. */
    public NewTask triggered(NewTask template) {
        return marked(template).build();
    }

    private NewTask.Builder marked(NewTask template) {
        return template.toBuilder().trace(SCHEDULE, schedule).trace(DUE, due.toString());
    }

    /** Refuses a task that has no room for these words. */
    static void check(NewTask template) {
        new ScheduledRun("", Instant.EPOCH).triggered(template);
    }
}
