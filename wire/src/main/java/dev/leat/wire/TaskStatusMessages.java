package dev.leat.wire;

import static dev.leat.wire.WireValues.need;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import dev.leat.storage.TaskStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The statuses of awaited tasks. */
public final class TaskStatusMessages {
    private TaskStatusMessages() {}

    private enum How {
        LIVES,
        ENDED,
        FORGOTTEN,
        UNKNOWN
    }

    public static ArrayNode of(Set<Long> taskIds) {
        return WireValues.list(taskIds, JsonNodeFactory.instance::numberNode);
    }

    public static Set<Long> taskIds(JsonFields fields) {
        return new HashSet<>(WireValues.list(fields, "tasks", TaskStatusMessages::taskId));
    }

    private static long taskId(JsonNode value) {
        if (!value.isIntegralNumber()) {
            throw new InvalidRequestException("task", "must be a number, was " + value);
        }
        return value.longValue();
    }

    public static ArrayNode of(Map<Long, TaskStatus> statuses) {
        return WireValues.list(statuses.entrySet(), each -> of(each.getKey(), each.getValue()));
    }

    private static ObjectNode of(long task, TaskStatus status) {
        ObjectNode map = Cbor.map().put("task", task);
        return status.match(
                lives -> how(map, How.LIVES).put("queue", lives.queue()).put("chunk", lives.chunk()),
                ended -> how(map, How.ENDED)
                        .put("queue", ended.queue())
                        .set("outcome", TaskMessages.of(ended.outcome())),
                forgotten -> how(map, How.FORGOTTEN),
                unknown -> how(map, How.UNKNOWN));
    }

    private static ObjectNode how(ObjectNode map, How how) {
        return map.put("standing", WireValues.name(how));
    }

    public static Map<Long, TaskStatus> standings(JsonNode described) {
        Map<Long, TaskStatus> statuses = new HashMap<>();
        for (JsonNode each : described) {
            JsonFields fields = JsonFields.of("standing", each);
            statuses.put(need("task", fields.number("task")), status(fields));
            fields.end();
        }
        return statuses;
    }

    private static TaskStatus status(JsonFields fields) {
        return switch (WireValues.oneOf(fields, "standing", How.class)) {
            case LIVES ->
                new TaskStatus.Lives(WireValues.text(fields, "queue"), need("chunk", fields.integer("chunk")));
            case ENDED ->
                new TaskStatus.Ended(
                        WireValues.text(fields, "queue"), TaskMessages.outcome(need("outcome", fields.any("outcome"))));
            case FORGOTTEN -> new TaskStatus.Forgotten();
            case UNKNOWN -> new TaskStatus.Unknown();
        };
    }

    // Addresses

    public static ObjectNode ofAddresses(Map<String, Long> tasks) {
        ObjectNode map = Cbor.map();
        tasks.forEach(map::put);
        return map;
    }

    public static Map<String, Long> addresses(JsonNode described) {
        Map<String, Long> tasks = new HashMap<>();
        described
                .fields()
                .forEachRemaining(
                        each -> tasks.put(each.getKey(), each.getValue().longValue()));
        return tasks;
    }
}
