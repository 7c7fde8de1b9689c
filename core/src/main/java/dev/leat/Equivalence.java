package dev.leat;

import dev.leat.error.InvalidRequestException;
import java.util.EnumSet;
import java.util.Set;

/**
 * Describes the tasks that are equivalent to a given one: with the same queue, type, origin, destination, external key, payload, tenant and
 * business group. A missing value equals only a missing value. The copy of a publication is equivalent only to copies for the same
 * subscription, and never to the publication itself.
 *
 * @param task the task to compare with; it needs an external key and a payload
 * @param states the states in which an equivalent task counts
 */
public record Equivalence(NewTask task, Set<TaskState> states) {
    static final Set<TaskState> DONE_OR_TO_DO =
            Set.of(TaskState.DONE, TaskState.READY, TaskState.WAITING, TaskState.SCHEDULED);

    public Equivalence {
        if (task.externalKey().isEmpty()) {
            throw new InvalidRequestException("externalKey", "is needed to look for equivalent tasks");
        }
        if (task.payload().size() == 0) {
            throw new InvalidRequestException("payload", "is needed to look for equivalent tasks");
        }
        states = states.isEmpty() ? EnumSet.noneOf(TaskState.class) : EnumSet.copyOf(states);
    }

    /** Whether the other task is equivalent; the caller has compared queue, external key and payload. */
    public boolean isDoneBy(NewTask other) {
        return task.type().equals(other.type())
                && task.origin().equals(other.origin())
                && task.destination().equals(other.destination())
                && task.tenant().equals(other.tenant())
                && task.businessGroup().equals(other.businessGroup())
                && task.subscriber().equals(other.subscriber());
    }

    /** Tasks that are DONE, READY, WAITING or SCHEDULED count. */
    public static Equivalence to(NewTask task) {
        return new Equivalence(task, DONE_OR_TO_DO);
    }
}
