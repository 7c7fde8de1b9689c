package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import dev.leat.storage.GroupPut;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Named tasks that wait for each other: a chain, or any graph without cycles. All tasks are put in one step, as one group.
 *
 * <pre>{@code
 * leat.workflow("report of May")
 *         .task("fetch", fetch)
 *         .task("parse", parse).after("fetch")
 *         .task("check", check).after("fetch")
 *         .task("mail", mail).after("parse", "check")
 *         .start();
 * }</pre>
 *
 * <p>A task waits until all tasks that it is {@link #after} are DONE. If one of those fails, is buried, expires or is canceled, the waiting task is
 * canceled too, and so are the tasks that wait for it. A task with {@link #afterEnd} goes on in any case. Not thread-safe.
 */
public final class Workflow {
    /** Puts all tasks as one group. */
    interface Starter {
        GroupPut start(GroupSpec spec, List<NewTask> tasks);
    }

    private static final class Step {
        final String name;
        final NewTask task;
        final Map<String, Predecessor.Until> after = new LinkedHashMap<>();

        Step(String name, NewTask task) {
            this.name = name;
            this.task = task;
        }
    }

    private final Starter starter;
    private final LongFunction<Group> groups;
    private final Map<String, Step> steps = new LinkedHashMap<>();
    private Optional<Step> last = Optional.empty();
    private GroupSpec spec;

    Workflow(String name, Starter starter, LongFunction<Group> groups) {
        this.spec = GroupSpec.named(name);
        this.starter = starter;
        this.groups = groups;
    }

    /** What a failed task means for the tasks that do not wait for it; default {@link GroupSpec.OnFailure#QUEUE_DECIDES}. */
    public Workflow onFailure(GroupSpec.OnFailure onFailure) {
        spec = spec.onFailure(onFailure);
        return this;
    }

    /** The task to put when all tasks have ended. */
    public Workflow end(NewTask task) {
        spec = spec.end(task);
        return this;
    }

    /** The task to put instead when the workflow was canceled or failed. */
    public Workflow abort(NewTask task) {
        spec = spec.abort(task);
        return this;
    }

    /** Adds a task; {@link #after} names the tasks that it waits for. */
    public Workflow task(String name, NewTask task) {
        Checks.name("task", name);
        if (task.group().isPresent() || !task.after().isEmpty()) {
            throw new InvalidRequestException(
                    "task", "'" + name + "' has a group or predecessors of its own; the workflow gives it both");
        }
        Step step = new Step(name, task);
        if (steps.putIfAbsent(name, step) != null) {
            throw new InvalidRequestException("task", "'" + name + "' is in the workflow already");
        }
        last = Optional.of(step);
        return this;
    }

    /** Adds a task that waits for the task added before. */
    public Workflow then(String name, NewTask task) {
        String before = lastAdded("then").name;
        return task(name, task).after(before);
    }

    /** The last added task waits until all of these are DONE. They may be added later. */
    public Workflow after(String... names) {
        return after(Predecessor.Until.DONE, names);
    }

    /** The last added task waits until all of these have ended in any way. */
    public Workflow afterEnd(String... names) {
        return after(Predecessor.Until.ENDED, names);
    }

    private Workflow after(Predecessor.Until until, String... names) {
        Step step = lastAdded("after");
        for (String name : names) {
            step.after.put(name, until);
        }
        NewTask.checkPredecessors(step.after.size());
        return this;
    }

    private Step lastAdded(String verb) {
        return last.orElseThrow(() -> new InvalidRequestException(verb, "needs a task before it"));
    }

    /** Puts and starts all tasks. Refuses unknown names and cycles, and then puts nothing. */
    public StartedWorkflow start() {
        List<Step> ordered = inOrder();
        Map<String, Integer> positions = new LinkedHashMap<>();
        List<NewTask> tasks = new ArrayList<>();
        for (Step step : ordered) {
            List<Predecessor> after = new ArrayList<>();
            step.after.forEach(
                    (name, until) -> after.add(new Predecessor.InPut(positions.getOrDefault(name, 0), until)));
            positions.put(step.name, tasks.size());
            tasks.add(step.task.following(after));
        }
        GroupPut put = starter.start(spec, tasks);
        Map<String, Long> ids = new LinkedHashMap<>();
        steps.keySet()
                .forEach(name -> ids.put(
                        name, put.tasks().get(positions.getOrDefault(name, 0)).id()));
        return new StartedWorkflow(groups.apply(put.group().id()), ids);
    }

    /** The steps sorted: each after all that it waits for, otherwise in the order of adding. */
    private List<Step> inOrder() {
        if (steps.isEmpty()) {
            throw new InvalidRequestException("workflow", "'" + spec.name() + "' has no tasks");
        }
        steps.values().forEach(this::checkNames);
        Map<String, Step> left = new LinkedHashMap<>(steps);
        List<Step> ordered = new ArrayList<>();
        Map<String, List<Step>> followers = new LinkedHashMap<>();
        Map<String, Integer> open = new LinkedHashMap<>();
        Deque<Step> free = new ArrayDeque<>();
        for (Step step : steps.values()) {
            open.put(step.name, step.after.size());
            step.after.keySet().forEach(name -> followers
                    .computeIfAbsent(name, before -> new ArrayList<>())
                    .add(step));
            if (step.after.isEmpty()) {
                free.add(step);
            }
        }
        while (!free.isEmpty()) {
            Step step = free.remove();
            ordered.add(step);
            left.remove(step.name);
            for (Step follower : followers.getOrDefault(step.name, List.of())) {
                if (open.merge(follower.name, -1, Integer::sum) == 0) {
                    free.add(follower);
                }
            }
        }
        if (!left.isEmpty()) {
            throw new InvalidRequestException("after", "makes tasks wait for each other: " + cycle(left));
        }
        return ordered;
    }

    private void checkNames(Step step) {
        for (String name : step.after.keySet()) {
            if (!steps.containsKey(name)) {
                throw new InvalidRequestException(
                        "after",
                        "of '" + step.name + "' names '" + name + "', which is not in the workflow; it has "
                                + steps.keySet());
            }
        }
    }

    /** Finds a cycle: each remaining step waits for another remaining step, so following them comes back to a visited one. */
    private static String cycle(Map<String, Step> left) {
        List<String> path = new ArrayList<>();
        String name = left.keySet().iterator().next();
        while (!path.contains(name)) {
            path.add(name);
            name = nextIn(left, name);
        }
        List<String> round = new ArrayList<>(path.subList(path.indexOf(name), path.size()));
        round.add(name);
        return String.join(" after ", round);
    }

    private static String nextIn(Map<String, Step> left, String name) {
        Step step = left.get(name);
        return step == null
                ? name
                : step.after.keySet().stream()
                        .filter(left::containsKey)
                        .findFirst()
                        .orElse(name);
    }
}
