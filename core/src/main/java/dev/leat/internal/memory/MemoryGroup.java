package dev.leat.internal.memory;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.storage.GroupRules;
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
    /** The final state of the group if it is canceled. */
    GroupInfo.State endsAs = GroupInfo.State.CANCELED;

    long closingTask;

    /** The group that waits for this one. */
    private @Nullable MemoryGroup outer;
    /** The groups that have not ended and that this one waits for. */
    private final Set<MemoryGroup> inner = new LinkedHashSet<>(0);

    private long total;
    private final long[] counts = new long[GroupRules.Count.values().length];

    MemoryGroup(long id, GroupSpec spec) {
        this.id = id;
        this.name = spec.name();
        this.onFailure = spec.onFailure();
        this.end = spec.end();
        this.abort = spec.abort();
    }

    /** Makes this group an inner group of another, or of none. */
    void join(@Nullable MemoryGroup other) {
        leaveOuter();
        outer = other;
        if (other != null) {
            other.inner.add(this);
        }
    }

    /** Leaves the outer group and returns it; null without one. */
    @Nullable
    MemoryGroup leaveOuter() {
        MemoryGroup was = outer;
        outer = null;
        if (was != null) {
            was.inner.remove(this);
        }
        return was;
    }

    /** Whether the other group is this one, or an inner group of it at any depth. */
    boolean contains(MemoryGroup other) {
        return other == this || (other.outer != null && contains(other.outer));
    }

    List<MemoryGroup> inner() {
        return List.copyOf(inner);
    }

    /** Counts a new task, as open until it has passed its gates. */
    void joined() {
        total++;
        counts[GroupRules.Count.OPEN.ordinal()]++;
    }

    /** The tasks of the group that are waiting, scheduled or ready. */
    List<Entry> openTasks() {
        return List.copyOf(openTasks);
    }

    void moved(Entry e, TaskState from, TaskState to) {
        GroupRules.Count before = GroupRules.Count.of(from);
        GroupRules.Count after = GroupRules.Count.of(to);
        counts[before.ordinal()]--;
        counts[after.ordinal()]++;
        if (after == GroupRules.Count.OPEN) {
            openTasks.add(e);
        } else if (before == GroupRules.Count.OPEN) {
            openTasks.remove(e);
        }
    }

    private long count(GroupRules.Count count) {
        return counts[count.ordinal()];
    }

    boolean takesTasks() {
        return GroupRules.takesTasks(state);
    }

    boolean isOver() {
        boolean mayEnd = GroupRules.mayEnd(state);
        long open = count(GroupRules.Count.OPEN);
        long running = count(GroupRules.Count.RUNNING);
        return mayEnd && open == 0 && running == 0 && inner.isEmpty();
    }

    GroupInfo info() {
        return new GroupInfo(
                id,
                name,
                state,
                total,
                count(GroupRules.Count.OPEN),
                count(GroupRules.Count.RUNNING),
                count(GroupRules.Count.DONE),
                count(GroupRules.Count.FAILED),
                count(GroupRules.Count.CANCELED),
                true,
                closingTask == 0 ? OptionalLong.empty() : OptionalLong.of(closingTask));
    }
}
