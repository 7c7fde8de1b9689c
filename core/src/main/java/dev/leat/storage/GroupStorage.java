package dev.leat.storage;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import java.util.List;
import java.util.Optional;

/** The groups of a {@link Storage}. A change of an unknown group throws {@link dev.leat.error.GroupNotFoundException}. */
public interface GroupStorage {
    GroupInfo create(GroupSpec spec);

    /**
     * Makes a group, puts the tasks into the group and starts the group, or does nothing. The tasks name no group. A task stands after its
     * predecessors in the list.
     */
    GroupPut put(GroupSpec spec, List<NewTask> tasks);

    Optional<GroupInfo> find(long groupId);

    /** The group of that name that has not ended. */
    Optional<GroupInfo> find(String name);

    /** Changes the end and abort tasks of a group that has not ended. */
    GroupInfo setTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort);

    /** Lets the group's tasks run; a group without work ends. Does nothing if the group has started. */
    GroupInfo start(long groupId);

    /** Drops the tasks that do not run yet, lets the others end, then puts the abort task. Does nothing if the group is canceled. */
    GroupInfo cancel(long groupId, String reason);
}
