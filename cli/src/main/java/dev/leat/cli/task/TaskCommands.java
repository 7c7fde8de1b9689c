package dev.leat.cli.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Attempt;
import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.cli.command.Consent;
import dev.leat.cli.command.Moved;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.cli.console.PlainFields;
import dev.leat.json.TaskJson;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands for operators. They show tasks and change their states, and need no lease. */
public final class TaskCommands {
    private TaskCommands() {}

    @Command(
            name = "peek",
            aliases = "show",
            description = "Shows a task and its unsuccessful attempts. Exit code 3: there is none, or no longer.",
            mixinStandardHelpOptions = true)
    public static final class Peek extends StorageCommand {
        @Parameters(paramLabel = "ID", description = "The task.")
        private long id;

        @Override
        protected int run(Leat leat, Output out) {
            Optional<Task> task = leat.peek(id);
            if (task.isEmpty()) {
                err().println("There is no task " + id + ", or it has been purged.");
                return NOTHING_THERE;
            }
            List<Attempt> attempts = leat.attempts(id);
            ObjectNode json = TaskJson.of(task.get());
            if (out.isJson()) {
                attempts.forEach(attempt -> json.withArray("unsuccessful").add(TaskJson.of(attempt)));
                out.json(json);
                return 0;
            }
            PlainFields.print(out, "%-13s %s", json);
            for (Attempt attempt : attempts) {
                out.line(String.format(
                        "attempt %-5d %s, %s%s",
                        attempt.number(),
                        attempt.outcome().name().toLowerCase(Locale.ROOT),
                        TaskRows.time(attempt.ended()),
                        attempt.message().isEmpty() ? "" : ": " + attempt.message()));
                attempt.thrown()
                        .ifPresent(
                                thrown -> out.line(thrown.stackTrace().indent(2).stripTrailing()));
            }
            return 0;
        }
    }

    @Command(
            name = "list",
            description = "Lists live tasks in the order of their ids, or those in the states that are named.",
            mixinStandardHelpOptions = true)
    public static final class ListTasks extends StorageCommand {
        @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Only of this queue.")
        private @Nullable String queue;

        @Option(
                names = "--state",
                split = ",",
                paramLabel = "STATE",
                description = "Only in these states: ${COMPLETION-CANDIDATES}.")
        private @Nullable Set<TaskState> states;

        @Mixin
        private TaskFilter filter;

        @Option(names = "--address", paramLabel = "NAME", description = "Only with this address.")
        private @Nullable String address;

        @Mixin
        private TaskPage page;

        @Override
        protected int run(Leat leat, Output out) {
            TaskQuery query = filter.apply(TaskQuery.live(), queue);
            query = states == null ? query : query.states(EnumSet.copyOf(states));
            query = address == null ? query : query.address(address);
            return page.show(this, leat, query, out, TaskRows.HEADING, TaskRows::row);
        }
    }

    @Command(
            name = "kick",
            description = "Lets buried tasks run again: one by its id, or the first ones of a queue.",
            mixinStandardHelpOptions = true)
    public static final class Kick extends StorageCommand {
        @Parameters(paramLabel = "ID|QUEUE", description = "A task, or a queue.")
        private String idOrQueue;

        @Option(
                names = "--count",
                paramLabel = "N",
                defaultValue = "1",
                description = "How many of a queue (default: 1).")
        private int count;

        @Override
        protected int run(Leat leat, Output out) {
            boolean isTask = idOrQueue.matches("\\d{1,18}")
                    && leat.queue(idOrQueue).info().isEmpty();
            return isTask ? kickTask(leat, Long.parseLong(idOrQueue), out) : kickQueue(leat, out);
        }

        private static int kickTask(Leat leat, long id, Output out) {
            boolean isBuried =
                    leat.peek(id).map(task -> task.state() == TaskState.BURIED).orElse(false);
            TaskState state = leat.kick(id);
            return Moved.print(
                    out, "kicked", isBuried ? 1 : 0, "task " + id + " is " + TaskJson.name(state) + ", not buried");
        }

        private int kickQueue(Leat leat, Output out) {
            int kicked = leat.queue(idOrQueue).kick(count);
            return Moved.print(out, "kicked", kicked, kicked == 0 ? whyNone(leat) : "");
        }

        private String whyNone(Leat leat) {
            return leat.queue(idOrQueue).stats().count(TaskState.BURIED) > 0
                    ? Moved.ADDRESSES_TAKEN + " of queue '" + idOrQueue + "'"
                    : "queue '" + idOrQueue + "' has no buried tasks";
        }
    }

    @Command(
            name = "delete",
            description =
                    "Ends a live task, also one that runs: its holder loses the lease. Asks first, or wants --yes.",
            mixinStandardHelpOptions = true)
    public static final class Delete extends StorageCommand {
        @Mixin
        private Consent consent;

        @Parameters(paramLabel = "ID", description = "The task.")
        private long id;

        @Override
        protected int run(Leat leat, Output out) {
            consent.ask(this, "Delete task " + id + "?");
            return ended(leat.delete(id), Set.of(TaskState.CANCELED), out);
        }
    }

    @Command(
            name = "cancel",
            description = "Ends a live task; one that runs is asked to stop first, and loses its lease after 10 s.",
            mixinStandardHelpOptions = true)
    public static final class Cancel extends StorageCommand {
        @Parameters(paramLabel = "ID", description = "The task.")
        private long id;

        @Option(
                names = "--message",
                paramLabel = "TEXT",
                defaultValue = "canceled by an operator",
                description = "Why.")
        private String message;

        @Override
        protected int run(Leat leat, Output out) {
            return ended(leat.cancel(id, message), Set.of(TaskState.CANCELED, TaskState.TAKEN), out);
        }
    }

    /** @param wanted the states that count as success */
    private static int ended(TaskState state, Set<TaskState> wanted, Output out) {
        if (out.isJson()) {
            out.json(JsonNodeFactory.instance.objectNode().put("state", TaskJson.name(state)));
        } else {
            out.line("The task is " + TaskJson.name(state) + ".");
        }
        return wanted.contains(state) ? 0 : StorageCommand.NOTHING_THERE;
    }
}
