package dev.leat.client.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.storage.GroupPut;
import dev.leat.storage.GroupStorage;
import dev.leat.wire.Cbor;
import dev.leat.wire.GroupMessages;
import dev.leat.wire.Op;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.WireValues;
import java.util.List;
import java.util.Optional;

/** The groups of a storage behind a server. */
final class RemoteGroups implements GroupStorage {
    private final Link link;

    RemoteGroups(Link link) {
        this.link = link;
    }

    @Override
    public GroupInfo create(GroupSpec spec) {
        ObjectNode map = Cbor.map();
        GroupMessages.put(map, spec);
        return GroupMessages.info(link.call(Op.CREATE_GROUP, map));
    }

    @Override
    public GroupPut put(GroupSpec spec, List<NewTask> tasks) {
        ObjectNode map = Cbor.map();
        GroupMessages.put(map, spec);
        map.set("tasks", WireValues.list(tasks, TaskMessages::of));
        try {
            return GroupMessages.put(link.call(Op.PUT_GROUP, map));
        } catch (AnswerLostException e) {
            throw new PutOutcomeUnknownException(e);
        }
    }

    @Override
    public Optional<GroupInfo> find(long groupId) {
        return Messages.optional(link.call(Op.GROUP, Messages.group(groupId)), GroupMessages::info);
    }

    @Override
    public Optional<GroupInfo> find(String name) {
        return Messages.optional(link.call(Op.GROUP_NAMED, Cbor.map().put("name", name)), GroupMessages::info);
    }

    @Override
    public GroupInfo setTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        ObjectNode map = Messages.group(groupId);
        GroupMessages.putTasks(map, end, abort);
        return GroupMessages.info(link.call(Op.SET_GROUP_TASKS, map));
    }

    @Override
    public GroupInfo start(long groupId) {
        return GroupMessages.info(link.call(Op.START_GROUP, Messages.group(groupId)));
    }

    @Override
    public GroupInfo cancel(long groupId, String reason) {
        return GroupMessages.info(
                link.call(Op.CANCEL_GROUP, Messages.group(groupId).put("message", reason)));
    }
}
