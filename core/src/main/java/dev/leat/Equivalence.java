package dev.leat;

import dev.leat.error.InvalidRequestException;
import java.util.EnumSet;
import java.util.Set;

/**
 * Asks for tasks that do the same as a given one: same queue, type, origin, destination, external key, payload, tenant
 * and business group, where "none" equals only "none". What a subscriber gets of a publication is equivalent only to
 * what the same subscriber gets: a publication and its copies have all of that in common, and do different things.
 *
 * @param task what would be put; it needs an external key and a payload
 * @param states in which states a task counts
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

    /** Whether a task of the same queue, external key and payload does the same. */
    public boolean isDoneBy(NewTask other) {
        return task.type().equals(other.type())
                && task.origin().equals(other.origin())
                && task.destination().equals(other.destination())
                && task.tenant().equals(other.tenant())
                && task.businessGroup().equals(other.businessGroup())
                && task.subscriber().equals(other.subscriber());
    }

    /** Counts tasks that are done or still to be done, but not failed or running ones. */
    public static Equivalence to(NewTask task) {
        return new Equivalence(task, DONE_OR_TO_DO);
    }
}
