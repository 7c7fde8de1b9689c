package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.error.ScheduleNotFoundException;
import dev.leat.json.ScheduleJson;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.server.Role;
import dev.leat.wire.TaskMessages;
import java.util.List;
import java.util.Set;

/** The calls for schedules. A token for some queues reaches the schedules that put into those queues. */
final class ScheduleRoutes {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int PREVIEW = 5;

    private final Leat leat;

    ScheduleRoutes(Leat leat) {
        this.leat = leat;
    }

    /** Creates or replaces the schedule; the caller counts as an operator. */
    Reply put(RestCall call) {
        Schedule schedule = ScheduleJson.read(call.fields("schedule"), call.path("schedule"));
        call.grant().check(Role.ADMIN, schedule.queue());
        leat.schedules().find(schedule.name()).ifPresent(known -> call.grant()
                .check(Role.ADMIN, known.schedule().queue()));
        return answer(leat.schedules().configure(schedule));
    }

    Reply get(RestCall call) {
        return answer(find(call, Role.OPERATE));
    }

    /** One page. If there can be more, {@code next} is the value of {@code after} for the next page. */
    Reply list(RestCall call) {
        call.allowQuery(Set.of("tenant", "queue", "after", "limit"));
        ScheduleQuery query = ScheduleQuery.all();
        query = call.query("queue").map(query::queue).orElse(query);
        if (query.queue().isPresent()) {
            call.grant().check(Role.OPERATE, query.queue().get());
        } else {
            call.grant().checkAllQueues("name the queue");
        }
        query = call.query("tenant").map(query::tenant).orElse(query);
        query = call.query("after").map(query::after).orElse(query);
        query = call.queryInteger("limit").map(query::limit).orElse(query);
        List<ScheduleInfo> schedules = leat.schedules().list(query);
        ArrayNode page = JSON.arrayNode();
        schedules.forEach(info -> page.add(ScheduleJson.of(info)));
        ObjectNode json = JSON.objectNode().set("schedules", page);
        return Reply.ok(
                schedules.size() == query.limit()
                        ? json.put("next", schedules.get(schedules.size() - 1).name())
                        : json);
    }

    /** The time of the next run. */
    Reply next(RestCall call) {
        call.allowQuery(Set.of("count"));
        int count = call.queryInteger("count").orElse(PREVIEW);
        ArrayNode runs = JSON.arrayNode();
        leat.schedules().next(find(call, Role.OPERATE).name(), count).forEach(run -> runs.add(run.toString()));
        return Reply.ok(JSON.objectNode().set("runs", runs));
    }

    Reply pause(RestCall call) {
        call.fields("pause").end();
        return answer(leat.schedules().pause(find(call, Role.OPERATE).name()));
    }

    Reply resume(RestCall call) {
        call.fields("resume").end();
        return answer(leat.schedules().resume(find(call, Role.OPERATE).name()));
    }

    Reply trigger(RestCall call) {
        call.fields("trigger").end();
        return Reply.ok(TaskMessages.of(
                leat.schedules().trigger(find(call, Role.OPERATE).name())));
    }

    Reply drop(RestCall call) {
        leat.schedules().drop(find(call, Role.ADMIN).name());
        return Reply.done();
    }

    private ScheduleInfo find(RestCall call, Role role) {
        String name = call.path("schedule");
        ScheduleInfo found = leat.schedules().find(name).orElseThrow(() -> new ScheduleNotFoundException(name));
        call.grant().check(role, found.schedule().queue());
        return found;
    }

    private static Reply answer(ScheduleInfo info) {
        return Reply.ok(ScheduleJson.of(info));
    }
}
