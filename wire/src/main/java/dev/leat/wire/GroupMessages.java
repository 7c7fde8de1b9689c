package dev.leat.wire;

import static dev.leat.wire.WireValues.need;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.json.JsonFields;
import dev.leat.storage.GroupPut;
import java.util.Optional;
import java.util.OptionalLong;

/** Groups of tasks. */
public final class GroupMessages {
    private GroupMessages() {}

    public static void put(ObjectNode map, GroupSpec spec) {
        map.put("name", spec.name()).put("onFailure", WireValues.name(spec.onFailure()));
        putTasks(map, spec.end(), spec.abort());
    }

    public static void putTasks(ObjectNode map, Optional<NewTask> end, Optional<NewTask> abort) {
        end.ifPresent(task -> map.set("end", TaskMessages.of(task)));
        abort.ifPresent(task -> map.set("abort", TaskMessages.of(task)));
    }

    public static GroupSpec spec(JsonFields fields) {
        return new GroupSpec(
                WireValues.text(fields, "name"),
                fields.oneOf("onFailure", GroupSpec.OnFailure.class).orElse(GroupSpec.OnFailure.QUEUE_DECIDES),
                task(fields, "end"),
                task(fields, "abort"));
    }

    public static ObjectNode of(GroupPut put) {
        ObjectNode map = Cbor.map().set("group", of(put.group()));
        return map.set("tasks", WireValues.list(put.tasks(), TaskMessages::of));
    }

    public static GroupPut put(JsonNode described) {
        JsonFields fields = JsonFields.of("group", described);
        GroupPut put = new GroupPut(
                info(need("group", fields.any("group"))), WireValues.list(fields, "tasks", TaskMessages::putResult));
        fields.end();
        return put;
    }

    /** @param field {@code end} or {@code abort} */
    public static Optional<NewTask> task(JsonFields fields, String field) {
        return fields.any(field).map(TaskMessages::newTask);
    }

    public static ObjectNode of(GroupInfo info) {
        ObjectNode map = Cbor.map()
                .put("group", info.id())
                .put("name", info.name())
                .put("state", WireValues.name(info.state()))
                .put("total", info.total())
                .put("open", info.open())
                .put("running", info.running())
                .put("done", info.done())
                .put("failed", info.failed())
                .put("canceled", info.canceled())
                .put("exact", info.exact());
        info.closingTask().ifPresent(task -> map.put("closingTask", task));
        return map;
    }

    public static GroupInfo info(JsonNode described) {
        JsonFields fields = JsonFields.of("group", described);
        GroupInfo info = new GroupInfo(
                need("group", fields.number("group")),
                WireValues.text(fields, "name"),
                WireValues.oneOf(fields, "state", GroupInfo.State.class),
                need("total", fields.number("total")),
                need("open", fields.number("open")),
                need("running", fields.number("running")),
                need("done", fields.number("done")),
                need("failed", fields.number("failed")),
                need("canceled", fields.number("canceled")),
                need("exact", fields.flag("exact")),
                fields.number("closingTask").map(OptionalLong::of).orElse(OptionalLong.empty()));
        fields.end();
        return info;
    }
}
