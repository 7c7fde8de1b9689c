package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import dev.leat.queue.Exhaustion;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A group to be created. One whose end or abort task is to be put into another group is part of that group: the other one does not end before it,
 * and cancels it when it is canceled itself.
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
        outer(end, abort);
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

    /** For storages: the group that one with these closing tasks is part of. */
    public static OptionalLong outer(Optional<NewTask> end, Optional<NewTask> abort) {
        Stream.of(end, abort).flatMap(Optional::stream).forEach(task -> {
            if (!task.after().isEmpty()) {
                throw new InvalidRequestException(
                        "after", "is not for end and abort tasks, which come after all others");
            }
        });
        OptionalLong ofEnd = end.map(NewTask::group).orElse(OptionalLong.empty());
        OptionalLong ofAbort = abort.map(NewTask::group).orElse(OptionalLong.empty());
        if (ofEnd.isPresent() && ofAbort.isPresent() && !ofEnd.equals(ofAbort)) {
            throw new InvalidRequestException(
                    "abort",
                    "is for group " + ofAbort.getAsLong() + " and end for group " + ofEnd.getAsLong()
                            + "; a group can be part of one other only");
        }
        return ofEnd.isPresent() ? ofEnd : ofAbort;
    }

    /** For storages: why a group cannot be part of another one. */
    public static InvalidRequestException cycle(long group, long outer) {
        return new InvalidRequestException(
                "group", "of the closing tasks is " + outer + ", which ends only after group " + group + " itself");
    }
}
