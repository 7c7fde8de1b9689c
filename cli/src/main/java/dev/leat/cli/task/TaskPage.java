package dev.leat.cli.task;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.json.TaskJson;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Shows some tasks of many. */
public final class TaskPage {
    @Option(
            names = "--after",
            paramLabel = "ID",
            defaultValue = "0",
            description = "Only with larger ids: the next page.")
    private long after;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "At most so many (default: 100).")
    private int limit;

    /** Shows those that the query describes. */
    public int show(StorageCommand command, Leat leat, TaskQuery all, Output out, List<String> heading, Row row) {
        TaskQuery query = all.after(after).limit(limit);
        List<Task> tasks = leat.list(query);
        if (out.isJson()) {
            out.json(tasks.stream().map(TaskJson::of).toList());
        } else {
            out.table(heading, tasks.stream().map(row).toList());
        }
        if (tasks.size() == query.limit()) {
            command.err()
                    .println("There may be more: --after "
                            + tasks.get(tasks.size() - 1).id());
        }
        return 0;
    }

    /** How a task is shown to people. */
    public interface Row extends Function<Task, List<String>> {}
}
