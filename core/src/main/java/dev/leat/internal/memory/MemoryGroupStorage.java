package dev.leat.internal.memory;

import dev.leat.storage.GroupRules;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.error.GroupExistsException;
import dev.leat.storage.GroupPut;
import dev.leat.storage.GroupStorage;
import java.util.List;
import java.util.Optional;

/** The groups of the memory storage. */
final class MemoryGroupStorage implements GroupStorage {
    private final UnderLock lock;
    private final QueueTable queues;
    private final MemoryGroups groups;
    private final EntryLifecycle lifecycle;
    private final Intake intake;

    MemoryGroupStorage(
            UnderLock lock, QueueTable queues, MemoryGroups groups, EntryLifecycle lifecycle, Intake intake) {
        this.lock = lock;
        this.queues = queues;
        this.groups = groups;
        this.lifecycle = lifecycle;
        this.intake = intake;
    }

    @Override
    public GroupInfo create(GroupSpec spec) {
        return lock.call(now -> add(spec).info());
    }

    private MemoryGroup add(GroupSpec spec) {
        if (groups.findByName(spec.name()) != null) {
            throw new GroupExistsException(spec.name());
        }
        checkClosingTasks(spec.end(), spec.abort());
        MemoryGroup group = groups.add(spec);
        group.join(groups.outer(spec.end(), spec.abort()));
        return group;
    }

    @Override
    public GroupPut put(GroupSpec spec, List<NewTask> tasks) {
        return lock.call(now -> {
            MemoryGroup group = add(spec);
            List<NewTask> inGroup =
                    tasks.stream().map(task -> task.inGroup(group.id)).toList();
            try {
                intake.check(inGroup, now);
            } catch (RuntimeException e) {
                groups.remove(group);
                throw e;
            }
            group.state = GroupInfo.State.STARTED;
            List<PutResult> put = intake.putChecked(inGroup, now);
            lifecycle.endIfOver(group, now);
            return new GroupPut(group.info(), put);
        });
    }

    private void checkClosingTasks(Optional<NewTask> end, Optional<NewTask> abort) {
        end.ifPresent(task -> queues.find(task.queue()));
        abort.ifPresent(task -> queues.find(task.queue()));
    }

    @Override
    public Optional<GroupInfo> find(long groupId) {
        return lock.call(now -> Optional.ofNullable(groups.get(groupId)).map(MemoryGroup::info));
    }

    @Override
    public Optional<GroupInfo> find(String name) {
        return lock.call(now -> Optional.ofNullable(groups.findByName(name)).map(MemoryGroup::info));
    }

    @Override
    public GroupInfo setTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        return lock.call(now -> {
            MemoryGroup group = groups.find(groupId);
            GroupRules.checkMayChange(groupId, group.name, group.state);
            checkClosingTasks(end, abort);
            MemoryGroup outer = groups.outer(end, abort);
            if (outer != null && group.contains(outer)) {
                throw GroupSpec.cycle(groupId, outer.id);
            }
            group.end = end;
            group.abort = abort;
            MemoryGroup left = group.leaveOuter();
            group.join(outer);
            if (left != null) {
                lifecycle.endIfOver(left, now);
            }
            return group.info();
        });
    }

    @Override
    public GroupInfo start(long groupId) {
        return lock.call(now -> {
            MemoryGroup group = groups.findOpen(groupId);
            if (group.state == GroupInfo.State.OPEN) {
                lifecycle.start(group, now);
            }
            return group.info();
        });
    }

    @Override
    public GroupInfo cancel(long groupId, String reason) {
        return lock.call(now -> {
            MemoryGroup group = groups.find(groupId);
            GroupRules.checkMayCancel(groupId, group.name, group.state);
            lifecycle.cancel(group, reason, now);
            return group.info();
        });
    }
}
