package dev.leat.schedule;

import dev.leat.NewTask;
import dev.leat.Task;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The schedule and the run that a task was put for. Leat writes them to the task's {@link Task#trace}, which is also passed to copies of a
 * publication.
 *
 * @param schedule the name of the schedule
 * @param due the time of the run; the put can be later
 */
public record ScheduledRun(String schedule, Instant due) {
    private static final String SCHEDULE = "leat.schedule";
    private static final String DUE = "leat.schedule.due";

    /** Reads the run of a task; empty for a task that no schedule has put. */
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
            return Optional.empty(); // another program wrote this trace
        }
    }

    /** For storages: the task of this run. Its idempotency key prevents a second put. */
    public NewTask task(NewTask template) {
        return marked(template)
                .idempotencyKey("schedule " + due + " " + schedule)
                .build();
    }

    /** For storages: the task of a triggered run; each trigger puts one. */
    public NewTask triggered(NewTask template) {
        return marked(template).build();
    }

    private NewTask.Builder marked(NewTask template) {
        return template.toBuilder().trace(SCHEDULE, schedule).trace(DUE, due.toString());
    }

    /** Refuses a task whose trace has no room for the run. */
    static void check(NewTask template) {
        new ScheduledRun("", Instant.EPOCH).triggered(template);
    }
}
