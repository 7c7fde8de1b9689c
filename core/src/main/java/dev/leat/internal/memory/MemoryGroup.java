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
import org.jspecify.annotations.Nullable;

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

    /** The group that this one is part of. */
    private @Nullable MemoryGroup outer;
    /** Those that are part of this one and have not ended. */
    private final Set<MemoryGroup> inner = new LinkedHashSet<>(0);

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

    /** Makes it part of another, or of none. */
    void join(@Nullable MemoryGroup other) {
        leaveOuter();
        outer = other;
        if (other != null) {
            other.inner.add(this);
        }
    }

    /** It has ended, or is to be part of another; answers what it was part of. */
    @Nullable
    MemoryGroup leaveOuter() {
        MemoryGroup was = outer;
        outer = null;
        if (was != null) {
            was.inner.remove(this);
        }
        return was;
    }

    /** Whether the other is this one, or part of it at any depth. */
    boolean contains(MemoryGroup other) {
        return other == this || (other.outer != null && contains(other.outer));
    }

    List<MemoryGroup> inner() {
        return List.copyOf(inner);
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

    boolean isOpenForPuts() {
        return state == GroupInfo.State.OPEN || state == GroupInfo.State.STARTED;
    }

    boolean isOver() {
        boolean mayEnd = state == GroupInfo.State.STARTED || state == GroupInfo.State.CANCELING;
        return mayEnd && open == 0 && running == 0 && inner.isEmpty();
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
