package dev.leat.storage;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.PutResult;
import java.util.List;

/**
 * Puts in a caller's transaction. This class never commits, rolls back or repeats: the caller does. Errors of the database reach the caller as
 * {@link dev.leat.error.StorageException} with their cause.
 */
public interface CallerTransaction {
    /** Puts all tasks or none. The commit of the caller makes the tasks visible and wakes waiting takes. */
    List<PutResult> put(List<NewTask> tasks);

    /** As {@link GroupStorage#put}. The commit of the caller makes the group visible. */
    GroupPut putGroup(GroupSpec spec, List<NewTask> tasks);
}
