package dev.leat.internal.memory;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.TaskState;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** A group, its counts, and the entries that wait for its start. Guarded by the storage's lock. */
final class MemoryGroup {
    final long id;
    final String name;
    final GroupSpec.OnFailure onFailure;
    private final Set<Entry> openTasks = new LinkedHashSet<>();
    final Line waiting = new Line(Line.BY_PRIORITY);
    Optional<NewTask> end;
    Optional<NewTask> abort;
    GroupInfo.State state = GroupInfo.State.OPEN;
    /** What a canceled group ends as. */
    GroupInfo.State endsAs = GroupInfo.State.CANCELED;

    long closingTask;

    private long total;
    private long open;
    private long running;
    private long done;
    private long failed;
    private long canceled;

    MemoryGroup(long id, GroupSpec spec) {
        this.id = id;
        this.name = spec.name();
        this.onFailure = spec.onFailure();
        this.end = spec.end();
        this.abort = spec.abort();
    }

    /** A new task, counted as waiting until it has been through the gates. */
    void joined() {
        total++;
        open++;
    }

    /** Tasks of the group that nobody runs: waiting, scheduled or ready. */
    List<Entry> openTasks() {
        return List.copyOf(openTasks);
    }

    void moved(Entry e, TaskState from, TaskState to) {
        count(from, -1);
        count(to, 1);
        if (isOpen(to)) {
            openTasks.add(e);
        } else if (isOpen(from)) {
            openTasks.remove(e);
        }
    }

    private static boolean isOpen(TaskState taskState) {
        return taskState == TaskState.WAITING || taskState == TaskState.SCHEDULED || taskState == TaskState.READY;
    }

    private void count(TaskState taskState, int by) {
        switch (taskState) {
            case WAITING, SCHEDULED, READY -> open += by;
            case TAKEN -> running += by;
            case DONE -> done += by;
            case FAILED, EXPIRED, BURIED -> failed += by;
            case CANCELED -> canceled += by;
        }
    }

    boolean isOver() {
        boolean mayEnd = state == GroupInfo.State.STARTED || state == GroupInfo.State.CANCELING;
        return mayEnd && open == 0 && running == 0;
    }

    GroupInfo info() {
        return new GroupInfo(
                id,
                name,
                state,
                total,
                open,
                running,
                done,
                failed,
                canceled,
                true,
                closingTask == 0 ? OptionalLong.empty() : OptionalLong.of(closingTask));
    }
}
