package dev.leat.wire;

import static dev.leat.wire.WireValues.need;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.TaskState;
import dev.leat.json.JsonFields;
import dev.leat.json.QueueJson;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;

/** Queues; their options have the form of {@link QueueJson}. */
public final class QueueMessages {
    private QueueMessages() {}

    public static ObjectNode of(QueueInfo info) {
        return QueueJson.of(info);
    }

    public static QueueInfo info(JsonNode described) {
        JsonFields fields = JsonFields.of("queue", described);
        QueueInfo info = new QueueInfo(
                WireValues.text(fields, "name"),
                QueueJson.options(need("options", fields.any("options"))),
                need("paused", fields.flag("paused")),
                setBy(fields));
        fields.end();
        return info;
    }

    public static QueueInfo.SetBy setBy(JsonFields fields) {
        return WireValues.oneOf(fields, "setBy", QueueInfo.SetBy.class);
    }

    public static ObjectNode of(QueueStats stats) {
        ObjectNode map = Cbor.map().put("queue", stats.queue());
        stats.number().ifPresent(number -> map.put("number", number));
        putCounts(map, stats.counts());
        return map.put("exact", stats.exact()).put("consumers", stats.consumers());
    }

    public static ObjectNode of(TenantStats stats) {
        ObjectNode map = Cbor.map();
        stats.tenant().ifPresent(tenant -> map.put("tenant", tenant));
        stats.businessGroup().ifPresent(group -> map.put("businessGroup", group));
        putCounts(map, stats.counts());
        return map.put("exact", stats.exact());
    }

    private static void putCounts(ObjectNode map, Map<TaskState, Long> byState) {
        ObjectNode counts = map.putObject("counts");
        byState.forEach((state, count) -> counts.put(WireValues.name(state), count));
    }

    public static QueueStats stats(JsonNode described) {
        JsonFields fields = JsonFields.of("stats", described);
        Map<TaskState, Long> counts = counts(fields);
        QueueStats stats = new QueueStats(
                WireValues.text(fields, "queue"),
                fields.integer("number").map(OptionalInt::of).orElse(OptionalInt.empty()),
                counts,
                need("exact", fields.flag("exact")),
                need("consumers", fields.integer("consumers")));
        fields.end();
        return stats;
    }

    public static TenantStats tenantStats(JsonNode described) {
        JsonFields fields = JsonFields.of("stats", described);
        TenantStats stats = new TenantStats(
                fields.text("tenant"),
                fields.text("businessGroup"),
                counts(fields),
                need("exact", fields.flag("exact")));
        fields.end();
        return stats;
    }

    private static Map<TaskState, Long> counts(JsonFields fields) {
        JsonFields counted = need("counts", fields.object("counts"));
        Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
        for (TaskState state : TaskState.values()) {
            counted.number(WireValues.name(state)).ifPresent(count -> counts.put(state, count));
        }
        counted.end();
        return counts;
    }
}
