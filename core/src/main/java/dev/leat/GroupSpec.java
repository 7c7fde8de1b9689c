package dev.leat;

import java.util.Optional;

/**
 * A group to be created.
 *
 * @param name unique among groups that have not ended
 * @param onFailure what a failed or buried task means for the group
 * @param end put when the group has started and no task of it is left
 * @param abort put instead when the group was canceled or failed
 */
public record GroupSpec(String name, OnFailure onFailure, Optional<NewTask> end, Optional<NewTask> abort) {
    /** What a task that ends in failure means for its group. */
    public enum OnFailure {
        /** Whatever the task's queue says: only {@link Exhaustion#FAIL_GROUP} cancels. */
        QUEUE_DECIDES,
        /** The rest goes on. */
        CONTINUE,
        /** The rest is canceled. */
        CANCEL_GROUP
    }

    public GroupSpec {
        Checks.name("group", name);
    }

    public static GroupSpec named(String name) {
        return new GroupSpec(name, OnFailure.QUEUE_DECIDES, Optional.empty(), Optional.empty());
    }

    public GroupSpec onFailure(OnFailure onFailure) {
        return new GroupSpec(name, onFailure, end, abort);
    }

    public GroupSpec end(NewTask task) {
        return new GroupSpec(name, onFailure, Optional.of(task), abort);
    }

    public GroupSpec abort(NewTask task) {
        return new GroupSpec(name, onFailure, end, Optional.of(task));
    }
}
