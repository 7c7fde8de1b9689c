package dev.leat.storage;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.error.GroupClosedException;
import java.util.Optional;

/** What the state of a group allows, and how a group ends (rule 18). */
public final class GroupRules {
    private GroupRules() {}

    /** Whether tasks and inner groups may still join. A group that takes none is canceling or has ended. */
    public static boolean takesTasks(GroupInfo.State state) {
        return state == GroupInfo.State.OPEN || state == GroupInfo.State.STARTED;
    }

    /** Whether the group ends as soon as no work is left. */
    public static boolean mayEnd(GroupInfo.State state) {
        return state == GroupInfo.State.STARTED || state == GroupInfo.State.CANCELING;
    }

    /** Whether tasks that come back, or fail for the last time, are canceled with the group. */
    public static boolean isCanceling(GroupInfo.State state) {
        return state == GroupInfo.State.CANCELING;
    }

    /**
     * The state of a group that has no work left.
     *
     * @param endsAs how the group ends if it was canceled
     */
    public static GroupInfo.State endOf(GroupInfo.State state, GroupInfo.State endsAs) {
        return state == GroupInfo.State.STARTED ? GroupInfo.State.COMPLETED : endsAs;
    }

    /** The task that a group puts when it ends: the end task of a completed group, the abort task of any other. */
    public static Optional<NewTask> closingTask(GroupInfo.State ended, Optional<NewTask> end, Optional<NewTask> abort) {
        return ended == GroupInfo.State.COMPLETED ? end : abort;
    }

    /** Refuses a put into, or the start of, a group that takes no tasks. */
    public static void checkTakesTasks(long id, String name, GroupInfo.State state) {
        if (!takesTasks(state)) {
            throw closed(id, name, state);
        }
    }

    /** Refuses to change the closing tasks of a group that has ended. */
    public static void checkMayChange(long id, String name, GroupInfo.State state) {
        if (state.isEnded()) {
            throw closed(id, name, state);
        }
    }

    /** Refuses to cancel a completed group. To cancel any other group again changes nothing. */
    public static void checkMayCancel(long id, String name, GroupInfo.State state) {
        if (state == GroupInfo.State.COMPLETED) {
            throw closed(id, name, state);
        }
    }

    private static GroupClosedException closed(long id, String name, GroupInfo.State state) {
        return new GroupClosedException(id + " '" + name + "'", state.name());
    }

    /** Why the end of a task cancels its group; empty if the group goes on. */
    public static Optional<String> whyCanceled(GroupSpec.OnFailure onFailure, long task, TaskState end) {
        return end.isFailure() && onFailure == GroupSpec.OnFailure.CANCEL_GROUP
                ? Optional.of(Reasons.endedInGroup(task, end))
                : Optional.empty();
    }

    /** Why {@link Transition.Way#FAILED_WITH_GROUP} cancels the group of a task. */
    public static String whyFailed(long task) {
        return Reasons.failedGroup(task);
    }

    /** The count of {@link GroupInfo} in which a task is included. */
    public enum Count {
        OPEN,
        RUNNING,
        DONE,
        FAILED,
        CANCELED;

        public static Count of(TaskState state) {
            return switch (state) {
                case WAITING, SCHEDULED, READY -> OPEN;
                case TAKEN -> RUNNING;
                case DONE -> DONE;
                case FAILED, EXPIRED, BURIED -> FAILED;
                case CANCELED -> CANCELED;
            };
        }
    }
}
