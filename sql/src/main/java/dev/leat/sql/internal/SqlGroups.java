package dev.leat.sql.internal;

import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.error.GroupNotFoundException;
import dev.leat.storage.GroupPut;
import dev.leat.storage.GroupStorage;
import java.util.List;
import java.util.Optional;

/** The groups of an SQL storage. */
final class SqlGroups implements GroupStorage {
    private final UnitRunner units;
    private final SqlPuts puts;

    SqlGroups(UnitRunner units, SqlPuts puts) {
        this.units = units;
        this.puts = puts;
    }

    @Override
    public GroupInfo create(GroupSpec spec) {
        return units.write(unit -> unit.groups.create(spec));
    }

    @Override
    public GroupPut put(GroupSpec spec, List<NewTask> tasks) {
        return puts.putGroup(spec, tasks);
    }

    @Override
    public Optional<GroupInfo> find(long groupId) {
        return units.read(unit -> unit.groups.info(groupId));
    }

    @Override
    public Optional<GroupInfo> find(String name) {
        return units.read(unit -> unit.groups.info(name));
    }

    @Override
    public GroupInfo setTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        return units.write(unit -> unit.groups.setTasks(groupId, end, abort));
    }

    @Override
    public GroupInfo start(long groupId) {
        units.run(unit -> unit.groups.start(groupId));
        return info(groupId);
    }

    @Override
    public GroupInfo cancel(long groupId, String reason) {
        units.run(unit -> unit.groups.cancel(groupId, reason));
        return info(groupId);
    }

    private GroupInfo info(long groupId) {
        return find(groupId).orElseThrow(() -> new GroupNotFoundException(Long.toString(groupId)));
    }
}
