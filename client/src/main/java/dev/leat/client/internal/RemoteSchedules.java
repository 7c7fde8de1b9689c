package dev.leat.client.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.PutResult;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.storage.ScheduleStorage;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.ScheduleMessages;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.WireValues;
import java.util.List;
import java.util.Optional;

/** The schedules of a storage behind a server. */
final class RemoteSchedules implements ScheduleStorage {
    private final Link link;

    RemoteSchedules(Link link) {
        this.link = link;
    }

    @Override
    public ScheduleInfo put(Schedule schedule, QueueInfo.SetBy setBy) {
        ObjectNode map = Cbor.map().set("schedule", ScheduleMessages.of(schedule));
        return ScheduleMessages.info(link.call(Op.PUT_SCHEDULE, map.put("setBy", Messages.name(setBy))));
    }

    @Override
    public Optional<ScheduleInfo> find(String name) {
        return Messages.optional(link.call(Op.SCHEDULE, Messages.schedule(name)), ScheduleMessages::info);
    }

    @Override
    public List<ScheduleInfo> list(ScheduleQuery query) {
        ObjectNode map = Cbor.map();
        ScheduleMessages.put(map, query);
        return WireValues.list("schedules", link.call(Op.SCHEDULES, map), ScheduleMessages::info);
    }

    @Override
    public ScheduleInfo pause(String name) {
        return ScheduleMessages.info(link.call(Op.PAUSE_SCHEDULE, Messages.schedule(name)));
    }

    @Override
    public ScheduleInfo resume(String name) {
        return ScheduleMessages.info(link.call(Op.RESUME_SCHEDULE, Messages.schedule(name)));
    }

    @Override
    public PutResult trigger(String name) {
        try {
            return TaskMessages.putResult(link.call(Op.TRIGGER_SCHEDULE, Messages.schedule(name)));
        } catch (AnswerLostException e) {
            throw new PutOutcomeUnknownException(e);
        }
    }

    @Override
    public boolean drop(String name) {
        return link.call(Op.DROP_SCHEDULE, Messages.schedule(name)).booleanValue();
    }
}
