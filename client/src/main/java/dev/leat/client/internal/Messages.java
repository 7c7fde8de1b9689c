package dev.leat.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.TaskEvent;
import dev.leat.queue.QueueInfo;
import dev.leat.wire.Cbor;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.WireValues;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The fields that many requests begin with, and answers that many requests share. */
final class Messages {
    private Messages() {}

    static ObjectNode queue(String queue) {
        return Cbor.map().put("queue", queue);
    }

    static ObjectNode schedule(String name) {
        return Cbor.map().put("schedule", name);
    }

    static String name(QueueInfo.SetBy setBy) {
        return setBy.name().toLowerCase(Locale.ROOT);
    }

    static ObjectNode task(long taskId) {
        return Cbor.map().put("task", taskId);
    }

    static ObjectNode group(long groupId) {
        return Cbor.map().put("group", groupId);
    }

    static ObjectNode subscription(String id) {
        return Cbor.map().put("subscription", id);
    }

    static ObjectNode session(String session) {
        return Cbor.map().put("session", session);
    }

    static List<TaskEvent> events(JsonNode described) {
        return WireValues.list("events", described, TaskMessages::event);
    }

    static <T> Optional<T> optional(JsonNode described, Function<JsonNode, T> one) {
        return described.isNull() ? Optional.empty() : Optional.of(one.apply(described));
    }
}
