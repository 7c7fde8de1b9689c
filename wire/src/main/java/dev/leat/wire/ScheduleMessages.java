package dev.leat.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.json.JsonFields;
import dev.leat.json.ScheduleJson;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;

/** Schedules in the form of {@code ScheduleJson}; their tasks have the form of a put. */
public final class ScheduleMessages {
    private ScheduleMessages() {}

    public static ObjectNode of(Schedule schedule) {
        return ScheduleJson.of(schedule, TaskMessages::of);
    }

    public static Schedule schedule(JsonNode described) {
        return ScheduleJson.read(described, TaskMessages::newTask);
    }

    public static ObjectNode of(ScheduleInfo info) {
        return ScheduleJson.of(info, TaskMessages::of);
    }

    public static ScheduleInfo info(JsonNode described) {
        return ScheduleJson.info(described, TaskMessages::newTask);
    }

    public static void put(ObjectNode map, ScheduleQuery query) {
        query.tenant().ifPresent(tenant -> map.put("tenant", tenant));
        query.queue().ifPresent(queue -> map.put("queue", queue));
        map.put("after", query.after()).put("limit", query.limit());
    }

    public static ScheduleQuery query(JsonFields fields) {
        ScheduleQuery query = ScheduleQuery.all();
        query = fields.text("tenant").map(query::tenant).orElse(query);
        query = fields.text("queue").map(query::queue).orElse(query);
        query = fields.text("after").map(query::after).orElse(query);
        return fields.integer("limit").map(query::limit).orElse(query);
    }
}
