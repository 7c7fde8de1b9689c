package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import dev.leat.queue.Exhaustion;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A new group. A group whose end or abort task belongs to another group is part of that outer group: the outer group ends after it, and a
 * cancel of the outer group cancels it.
 *
 * @param name unique among groups that have not ended
 * @param onFailure what a failed or buried task means for the group
 * @param end the task to put when all tasks of the started group have ended
 * @param abort the task to put instead when the group was canceled or failed
 */
public record GroupSpec(String name, OnFailure onFailure, Optional<NewTask> end, Optional<NewTask> abort) {
    /** What a failed or buried task means for its group. */
    public enum OnFailure {
        /** The task's queue decides: only {@link Exhaustion#FAIL_GROUP} cancels the group. */
        QUEUE_DECIDES,
        /** The other tasks go on. */
        CONTINUE,
        /** The group is canceled. */
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

    /** For storages: the outer group of a group with these closing tasks. */
    public static OptionalLong outer(Optional<NewTask> end, Optional<NewTask> abort) {
        Stream.of(end, abort).flatMap(Optional::stream).forEach(task -> {
            if (!task.after().isEmpty()) {
                throw new InvalidRequestException(
                        "after", "is not for end and abort tasks, which follow all other tasks");
            }
        });
        OptionalLong ofEnd = end.map(NewTask::group).orElse(OptionalLong.empty());
        OptionalLong ofAbort = abort.map(NewTask::group).orElse(OptionalLong.empty());
        if (ofEnd.isPresent() && ofAbort.isPresent() && !ofEnd.equals(ofAbort)) {
            throw new InvalidRequestException(
                    "abort",
                    "is for group " + ofAbort.getAsLong() + " and end for group " + ofEnd.getAsLong()
                            + "; a group can be part of one group only");
        }
        return ofEnd.isPresent() ? ofEnd : ofAbort;
    }

    /** For storages: refuses a group that would be part of itself. */
    public static InvalidRequestException cycle(long group, long outer) {
        return new InvalidRequestException(
                "group", "of the closing tasks is " + outer + ", which ends only after group " + group + " itself");
    }
}
