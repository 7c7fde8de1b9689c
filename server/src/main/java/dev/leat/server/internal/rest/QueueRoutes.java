package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.Queue;
import dev.leat.TaskQuery;
import dev.leat.error.QueueNotFoundException;
import dev.leat.json.JsonFields;
import dev.leat.json.QueueJson;
import dev.leat.json.TaskJson;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import java.util.Set;

/** The calls for queues. */
final class QueueRoutes {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Leat leat;

    QueueRoutes(Leat leat) {
        this.leat = leat;
    }

    private Queue queue(RestCall call) {
        return leat.queue(call.path("queue"));
    }

    Reply list(RestCall call) {
        call.allowQuery(Set.of());
        ArrayNode queues = JSON.arrayNode();
        leat.queues().stream()
                .filter(info -> call.grant().isFor(info.name()))
                .forEach(info -> queues.add(QueueJson.of(info)));
        return Reply.ok(JSON.objectNode().set("queues", queues));
    }

    /** Creates the queue or replaces its options. The caller counts as an operator, so no declare of a program changes these options. */
    Reply configure(RestCall call) {
        QueueOptions options = call.body().length == 0 ? QueueOptions.standard() : QueueJson.options(call.json());
        boolean isNew = queue(call).info().isEmpty();
        QueueInfo info = queue(call).configure(options);
        return isNew ? Reply.created(QueueJson.of(info)) : Reply.ok(QueueJson.of(info));
    }

    Reply get(RestCall call) {
        QueueInfo info = queue(call).info().orElseThrow(() -> new QueueNotFoundException(call.path("queue")));
        ObjectNode json = QueueJson.of(info);
        json.set("stats", TaskJson.of(queue(call).stats()));
        return Reply.ok(json);
    }

    Reply drop(RestCall call) {
        queue(call).drop();
        return Reply.done();
    }

    Reply pause(RestCall call) {
        call.fields("pause").end();
        queue(call).pause();
        return Reply.done();
    }

    Reply resume(RestCall call) {
        call.fields("resume").end();
        queue(call).resume();
        return Reply.done();
    }

    Reply kick(RestCall call) {
        JsonFields fields = call.fields("kick");
        int count = fields.integer("count").orElse(1);
        fields.end();
        return Reply.ok(JSON.objectNode().put("kicked", queue(call).kick(count)));
    }

    Reply redrive(RestCall call) {
        JsonFields fields = call.fields("redrive");
        TaskQuery query = TaskQuery.of(queue(call).name());
        query = fields.text("type").map(query::type).orElse(query);
        query = fields.text("tenant").map(query::tenant).orElse(query);
        query = fields.text("key").map(query::key).orElse(query);
        query = fields.text("subscriber").map(query::subscriber).orElse(query);
        query = fields.text("message").map(query::message).orElse(query);
        boolean isDry = fields.flag("dryRun").orElse(false);
        fields.end();
        long found = leat.deadLetters().count(query);
        long redriven = isDry ? 0 : leat.deadLetters().redrive(query);
        return Reply.ok(JSON.objectNode().put("found", found).put("redriven", redriven));
    }

    Reply truncate(RestCall call) {
        call.fields("truncate").end();
        return Reply.ok(JSON.objectNode().put("deleted", queue(call).truncate()));
    }

    Reply releaseAll(RestCall call) {
        call.fields("release").end();
        return Reply.ok(JSON.objectNode().put("released", queue(call).releaseAll()));
    }

    Reply tenants(RestCall call) {
        call.allowQuery(Set.of());
        ArrayNode tenants = JSON.arrayNode();
        queue(call).tenantStats().forEach(stats -> tenants.add(TaskJson.of(stats)));
        return Reply.ok(JSON.objectNode().set("tenants", tenants));
    }

    Reply stats(RestCall call) {
        call.allowQuery(Set.of());
        ArrayNode queues = JSON.arrayNode();
        leat.stats().stream()
                .filter(stats -> call.grant().isFor(stats.queue()))
                .forEach(stats -> queues.add(TaskJson.of(stats)));
        return Reply.ok(JSON.objectNode().set("queues", queues));
    }
}
