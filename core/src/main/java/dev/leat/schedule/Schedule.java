package dev.leat.schedule;

import dev.leat.NewTask;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.util.Optional;

/**
 * A task that is put again and again. Immutable; each method that takes a value gives a changed copy.
 *
 * <pre>{@code
 * leat.schedules().put(Schedule.of("reports", Cron.of("30 2 * * *", berlin), NewTask.to("reports").build()).noOverlap());
 * }</pre>
 *
 * @param name a name of its own among all schedules
 * @param cadence when the task is put
 * @param task what is put; its tenant is the schedule's. It has no group, idempotency key or absolute due time, and none is compared with
 *     equivalents
 * @param missed what becomes of runs that nobody could put in time
 * @param overlap whether it is put while the one before is not done
 */
public record Schedule(String name, Cadence cadence, NewTask task, MissedRuns missed, Overlap overlap) {

    /** It is part of the idempotency keys of its tasks, with the time. */
    private static final int MAX_NAME = 256;

    /** What happens when a time has come and the task of the run before has not ended. */
    public enum Overlap {
        /** Another one is put. */
        ALLOW,
        /** None is put, and {@link ScheduleInfo#lastSkip} says so. A buried task has ended. */
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

    /** One run stands for all that were missed, and runs may overlap. */
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

    /** Nothing is put while the task of the run before has not ended. */
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
