package dev.leat.storage;

import dev.leat.TaskState;

/** The messages that a storage itself writes to tasks. All storages write the same texts, so that operators can search for them. */
public final class Reasons {
    public static final String DELETED = "deleted";
    public static final String RELEASED_BY_OPERATOR = "released by an operator";
    public static final String QUEUE_DROPPED = "queue dropped";
    public static final String QUEUE_TRUNCATED = "queue truncated";
    /** The holder of a canceled task has not settled within {@link TaskLimits#CANCEL_GRACE}. */
    public static final String CANCEL_GRACE_OVER = "canceled, and did not stop in time";

    public static final String TIME_LIMIT_REACHED = "time limit reached";
    public static final String TIME_TO_LIVE_OVER = "time to live ran out";
    public static final String SESSION_DISCONNECTED = "disconnected";
    public static final String SESSION_CLOSED = "session closed";
    public static final String SESSION_SILENT = "session silent for too long";

    private Reasons() {}

    /** Why a group is canceled after a task with {@link dev.leat.queue.Exhaustion#FAIL_GROUP} is exhausted. */
    static String failedGroup(long task) {
        return "task " + task + " failed the group";
    }

    /** Why a group that cancels at the first failure is canceled. */
    static String endedInGroup(long task, TaskState end) {
        return "task " + task + " ended as " + end;
    }

    /** Why a task is canceled with its group. */
    public static String groupCanceled(String reason) {
        return "group canceled: " + reason;
    }
}
