package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.StartedWorkflow;
import dev.leat.error.GroupNotFoundException;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import dev.leat.json.WorkflowJson;
import dev.leat.server.Role;
import dev.leat.wire.GroupMessages;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The calls for groups. The tasks of a group can be in any queue, so most calls refuse tokens for some queues. */
final class GroupRoutes {
    private final Leat leat;

    GroupRoutes(Leat leat) {
        this.leat = leat;
    }

    /** Creates missing queues, as a put does. */
    Reply create(RestCall call) {
        JsonFields fields = call.fields("group");
        GroupSpec spec =
                named(fields.text("name").orElseThrow(() -> new InvalidRequestException("name", "is missing")));
        spec = fields.oneOf("onFailure", GroupSpec.OnFailure.class)
                .map(spec::onFailure)
                .orElse(spec);
        Optional<NewTask> end = WorkflowJson.closingTask(fields, "end");
        Optional<NewTask> abort = WorkflowJson.closingTask(fields, "abort");
        fields.end();
        Stream.of(end, abort)
                .flatMap(Optional::stream)
                .map(NewTask::queue)
                .distinct()
                .forEach(queue -> {
                    call.grant().check(Role.PRODUCE, queue);
                    leat.queue(queue).ensure();
                });
        spec = end.map(spec::end).orElse(spec);
        spec = abort.map(spec::abort).orElse(spec);
        return Reply.created(GroupMessages.of(leat.createGroup(spec).info()));
    }

    private static GroupSpec named(String name) {
        try {
            return GroupSpec.named(name);
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("name", e.problem(), e);
        }
    }

    /** Puts a group and all its tasks in one step. The tasks wait for each other by name. */
    Reply startWorkflow(RestCall call) {
        WorkflowJson described = WorkflowJson.read(call.json());
        described.queues().forEach(queue -> call.grant().check(Role.PRODUCE, queue));
        StartedWorkflow started = described.on(leat::workflow).start();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("group", GroupMessages.of(started.group().info()));
        ObjectNode tasks = json.putObject("tasks");
        started.tasks().forEach(tasks::put);
        return Reply.created(json);
    }

    Reply get(RestCall call) {
        return answer(group(call).info());
    }

    /** Finds the group of that name that has not ended. */
    Reply find(RestCall call) {
        call.allowQuery(Set.of("name"));
        checkAllQueues(call);
        String name = call.query("name").orElseThrow(() -> new InvalidRequestException("name", "is missing"));
        return answer(leat.group(name)
                .orElseThrow(() -> new GroupNotFoundException("named '" + name + "' that has not ended"))
                .info());
    }

    Reply start(RestCall call) {
        call.fields("start").end();
        return answer(group(call).start());
    }

    Reply cancel(RestCall call) {
        JsonFields fields = call.fields("cancel");
        String message = fields.text("message").orElse("");
        fields.end();
        return answer(group(call).cancel(message));
    }

    private Group group(RestCall call) {
        checkAllQueues(call);
        return leat.group(call.pathNumber("group"));
    }

    private static void checkAllQueues(RestCall call) {
        call.grant().checkAllQueues("a group can have tasks in all queues");
    }

    private static Reply answer(GroupInfo info) {
        return Reply.ok(GroupMessages.of(info));
    }
}
