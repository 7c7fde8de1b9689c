package dev.leat.storage;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.PutResult;
import java.util.List;

/**
 * A transaction of the caller's that puts take part in. Nothing here commits, rolls back or tries again: that is the caller's,
 * and so are the database's complaints, which come as {@link dev.leat.error.StorageException} with their cause.
 */
public interface CallerTransaction {
    /** Puts all or none; they count, and wake whoever waits, when the caller commits. */
    List<PutResult> put(List<NewTask> tasks);

    /** As {@link GroupStorage#put}; the group counts when the caller commits. */
    GroupPut putGroup(GroupSpec spec, List<NewTask> tasks);
}
