package dev.leat.schedule;

import dev.leat.NewTask;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.util.Optional;

/**
 * A task that is put again and again. Immutable; each method with a value returns a changed copy.
 *
 * <pre>{@code
 * leat.schedules().put(Schedule.of("reports", Cron.of("30 2 * * *", berlin), NewTask.to("reports").build()).noOverlap());
 * }</pre>
 *
 * @param name a unique name
 * @param cadence when the task is put
 * @param task the task to put; its tenant is the tenant of the schedule. It cannot have a group, an idempotency key, an absolute due time or
 *     {@code unlessEquivalent}
 * @param missed what becomes of runs that no process put in time
 * @param overlap whether a run is put while the task of the run before has not ended
 */
public record Schedule(String name, Cadence cadence, NewTask task, MissedRuns missed, Overlap overlap) {

    /** The name is part of the idempotency keys of the tasks. */
    private static final int MAX_NAME = 256;

    /** What happens at a run while the task of the run before has not ended. */
    public enum Overlap {
        /** The task is put. */
        ALLOW,
        /** No task is put, and {@link ScheduleInfo#lastSkip} shows the run. A buried task counts as ended. */
        SKIP
    }

    public Schedule {
        if (Checks.name("schedule", name).length() > MAX_NAME) {
            throw new InvalidRequestException(
                    "schedule", "must have at most " + MAX_NAME + " characters, had " + name.length());
        }
        if (task.group().isPresent()) {
            throw new InvalidRequestException("group", "is not for the task of a schedule: it would be over some day");
        }
        if (!task.after().isEmpty()) {
            throw new InvalidRequestException("after", "is not for the task of a schedule; a run can start a workflow");
        }
        if (task.idempotencyKey().isPresent()) {
            throw new InvalidRequestException(
                    "idempotencyKey", "is not for the task of a schedule, whose runs have their own");
        }
        if (task.unlessEquivalent().isPresent()) {
            throw new InvalidRequestException(
                    "unlessEquivalent",
                    "is not for the task of a schedule; an address, or no overlap, keeps runs apart");
        }
        if (task.due() instanceof When.At) {
            throw new InvalidRequestException("due", "is not for the task of a schedule; a delay is");
        }
        ScheduledRun.check(task);
    }

    /** A schedule that puts one run for all missed ones, and allows overlaps. */
    public static Schedule of(String name, Cadence cadence, NewTask task) {
        return new Schedule(name, cadence, task, MissedRuns.runOnce(), Overlap.ALLOW);
    }

    public Schedule cadence(Cadence other) {
        return new Schedule(name, other, task, missed, overlap);
    }

    public Schedule task(NewTask other) {
        return new Schedule(name, cadence, other, missed, overlap);
    }

    public Schedule missed(MissedRuns policy) {
        return new Schedule(name, cadence, task, policy, overlap);
    }

    /** Puts no task while the task of the run before has not ended. */
    public Schedule noOverlap() {
        return overlap(Overlap.SKIP);
    }

    public Schedule overlap(Overlap choice) {
        return new Schedule(name, cadence, task, missed, choice);
    }

    public String queue() {
        return task.queue();
    }

    public Optional<String> tenant() {
        return task.tenant();
    }
}
