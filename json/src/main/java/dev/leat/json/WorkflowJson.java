package dev.leat.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Workflow;
import dev.leat.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Workflows as JSON, in the one form that HTTP and the command line share.
 *
 * <pre>{@code
 * {"name": "report", "onFailure": "continue", "end": {"queue": "reports"},
 *  "tasks": [{"name": "fetch", "queue": "fetch", "payload": "url"}, {"name": "parse", "queue": "parse", "after": ["fetch"]}]}
 * }</pre>
 */
public final class WorkflowJson {
    private static final int MOST_TASKS = 10_000;

    private final String name;
    private final Optional<GroupSpec.OnFailure> onFailure;
    private final Optional<NewTask> end;
    private final Optional<NewTask> abort;
    private final List<Step> steps = new ArrayList<>();

    private record Step(String name, NewTask task, String[] after, String[] afterEnd) {}

    private WorkflowJson(JsonFields fields) {
        name = fields.text("name").orElseThrow(() -> new InvalidRequestException("name", "is missing"));
        onFailure = fields.oneOf("onFailure", GroupSpec.OnFailure.class);
        end = closingTask(fields, "end");
        abort = closingTask(fields, "abort");
        List<JsonNode> described = fields.array("tasks").orElse(List.of());
        if (described.size() > MOST_TASKS) {
            throw new InvalidRequestException(
                    "tasks", "must be at most " + MOST_TASKS + " at once, were " + described.size());
        }
        for (int i = 0; i < described.size(); i++) {
            JsonNode each = described.get(i);
            steps.add(within("tasks[" + i + "]", () -> step(each)));
        }
        fields.end();
    }

    /** Reads a workflow; an error names the unknown or wrong field. */
    public static WorkflowJson read(JsonNode described) {
        return new WorkflowJson(JsonFields.of("workflow", described));
    }

    /** Reads the closing task of a group, which has a field {@code queue}. */
    public static Optional<NewTask> closingTask(JsonFields fields, String field) {
        return fields.any(field)
                .filter(described -> !described.isNull())
                .map(described -> within(field, () -> TaskJson.newTask(described)));
    }

    private interface Reading<T> {
        T read();
    }

    /** Adds the path to an error about a field. */
    private static <T> T within(String field, Reading<T> reading) {
        try {
            return reading.read();
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException(field + "." + e.field(), e.problem(), e);
        }
    }

    private static Step step(JsonNode described) {
        JsonFields fields = JsonFields.of("task", described);
        String name = fields.text("name").orElseThrow(() -> new InvalidRequestException("name", "is missing"));
        String[] after = fields.texts("after").orElse(List.of()).toArray(String[]::new);
        String[] afterEnd = fields.texts("afterEnd").orElse(List.of()).toArray(String[]::new);
        ObjectNode task = described.deepCopy();
        task.remove(List.of("name", "after", "afterEnd"));
        return new Step(name, TaskJson.newTask(task), after, afterEnd);
    }

    /** The queues of all its tasks, closing tasks included. */
    public Stream<String> queues() {
        return Stream.concat(
                        steps.stream().map(Step::task), Stream.of(end, abort).flatMap(Optional::stream))
                .map(NewTask::queue)
                .distinct();
    }

    /** @param workflows starts a workflow of that name */
    public Workflow on(Function<String, Workflow> workflows) {
        Workflow workflow = workflows.apply(name);
        onFailure.ifPresent(workflow::onFailure);
        end.ifPresent(workflow::end);
        abort.ifPresent(workflow::abort);
        steps.forEach(
                step -> workflow.task(step.name, step.task).after(step.after).afterEnd(step.afterEnd));
        return workflow;
    }
}
