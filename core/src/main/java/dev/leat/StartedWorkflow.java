package dev.leat;

import dev.leat.error.InvalidRequestException;
import java.util.Map;

/**
 * A started workflow.
 *
 * @param group the group of its tasks; shows their progress and cancels them
 * @param tasks the ids of the tasks by their names in the workflow
 */
public record StartedWorkflow(Group group, Map<String, Long> tasks) {
    /** The id of the task of that name. */
    public long task(String name) {
        Long id = tasks.get(name);
        if (id == null) {
            throw new InvalidRequestException(
                    "task", "'" + name + "' is not in the workflow; it has " + tasks.keySet());
        }
        return id;
    }
}
