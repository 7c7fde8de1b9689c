package dev.leat.internal.memory;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.error.GroupNotFoundException;
import dev.leat.storage.GroupRules;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** All groups by id, and those that have not ended by name. Guarded by the storage's lock. */
final class MemoryGroups {
    /** How many ended groups are kept, so that callers can read them. */
    private static final int MAX_ENDED = 1_000;

    private final Map<Long, MemoryGroup> byId = new HashMap<>();
    private final Map<String, MemoryGroup> byName = new HashMap<>();
    private final Deque<MemoryGroup> ended = new ArrayDeque<>();
    private long lastId;

    MemoryGroup add(GroupSpec spec) {
        MemoryGroup group = new MemoryGroup(++lastId, spec);
        byId.put(group.id, group);
        byName.put(group.name, group);
        return group;
    }

    /** Removes a group whose tasks were refused. */
    void remove(MemoryGroup group) {
        byId.remove(group.id);
        byName.remove(group.name);
        group.leaveOuter();
    }

    @Nullable
    MemoryGroup get(long id) {
        return byId.get(id);
    }

    MemoryGroup find(long id) {
        MemoryGroup group = byId.get(id);
        if (group == null) {
            throw new GroupNotFoundException(Long.toString(id));
        }
        return group;
    }

    /** The group, if tasks may still join. */
    MemoryGroup findOpen(long id) {
        MemoryGroup group = find(id);
        GroupRules.checkTakesTasks(group.id, group.name, group.state);
        return group;
    }

    /** The group that these closing tasks join; null without one, or if the group takes no tasks any more. */
    @Nullable
    MemoryGroup outer(Optional<NewTask> end, Optional<NewTask> abort) {
        OptionalLong id = GroupSpec.outer(end, abort);
        MemoryGroup outer = id.isPresent() ? get(id.getAsLong()) : null;
        return outer == null || !outer.takesTasks() ? null : outer;
    }

    @Nullable
    MemoryGroup findByName(String name) {
        return byName.get(name);
    }

    void ended(MemoryGroup group) {
        byName.remove(group.name);
        ended.addLast(group);
        if (ended.size() > MAX_ENDED) {
            byId.remove(ended.removeFirst().id);
        }
    }
}
