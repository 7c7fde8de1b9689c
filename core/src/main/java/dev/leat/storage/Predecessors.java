package dev.leat.storage;

import dev.leat.NewTask;
import dev.leat.Predecessor;
import dev.leat.Predecessor.Until;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/** The rules of dependencies between tasks of a group, as far as they need no storage. Every storage uses this class. */
public final class Predecessors {
    private Predecessors() {}

    /** Refuses a put with a wrong dependency, as far as the tasks of the put show it. */
    public static void check(List<NewTask> tasks) {
        for (int i = 0; i < tasks.size(); i++) {
            NewTask task = tasks.get(i);
            if (!task.after().isEmpty()) {
                check(task, i, tasks);
            }
        }
    }

    private static void check(NewTask task, int position, List<NewTask> tasks) {
        if (task.group().isEmpty()) {
            throw new InvalidRequestException(
                    "after", "is for tasks of a group; put the task, and those before it, into one");
        }
        for (Predecessor before : task.after()) {
            if (before instanceof Predecessor.InPut other && other.position() >= position) {
                throw new InvalidRequestException(
                        "after",
                        "must name a task that comes before in the same put; " + other.position() + " is not before "
                                + position);
            } else if (before instanceof Predecessor.InPut other
                    && !tasks.get(other.position()).group().equals(task.group())) {
                throw new InvalidRequestException(
                        "after", "must be tasks of the same group; that at " + other.position() + " is in another");
            }
        }
    }

    /**
     * The ids of the tasks that {@code task} waits for.
     *
     * @param idAt the id of the task at a position in the same put
     */
    public static Map<Long, Until> ids(NewTask task, IntToLongFunction idAt) {
        Map<Long, Until> ids = new LinkedHashMap<>();
        for (Predecessor before : task.after()) {
            long id = before instanceof Predecessor.Known known
                    ? known.task()
                    : idAt.applyAsLong(((Predecessor.InPut) before).position());
            // Of two dependencies on the same task, the stricter counts.
            ids.merge(id, before.until(), (one, other) -> one == other ? one : Until.DONE);
        }
        return ids;
    }

    /** The task, with dependencies on these tasks. */
    public static NewTask following(NewTask task, Map<Long, Until> ids) {
        return task.following(ids.entrySet().stream()
                .map(before -> (Predecessor) new Predecessor.Known(before.getKey(), before.getValue()))
                .toList());
    }

    /** Whether a predecessor ended as the dependency demands. If not, the task after it is canceled. */
    public static boolean isMet(Until until, TaskState end) {
        return until == Until.ENDED || end == TaskState.DONE;
    }

    /** The reason for the cancel of a task whose predecessor ended badly. */
    public static String reason(long before, TaskState end) {
        return "task " + before + ", which it was to follow, ended as " + end;
    }

    /** The reason for the cancel of a task whose predecessor is forgotten. */
    public static String forgotten(long before) {
        return "nobody knows any more how task " + before + " ended, which it was to follow";
    }

    public static InvalidRequestException notInGroup(long before, long group) {
        return new InvalidRequestException(
                "after",
                "must be tasks of the same group; task " + before + " is not in group " + group
                        + ", or nobody knows it any more");
    }
}
