package dev.leat;

import dev.leat.error.InvalidRequestException;
import java.util.Map;

/**
 * A workflow that was put and runs.
 *
 * @param group what its tasks belong to: it tells how far they are, and cancels them
 * @param tasks their ids by the names that the workflow has given them
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
