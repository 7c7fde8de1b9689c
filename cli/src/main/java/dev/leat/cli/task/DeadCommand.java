package dev.leat.cli.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Attempt;
import dev.leat.DeadLetters;
import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.cli.command.Consent;
import dev.leat.cli.command.Moved;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.error.QueueNotFoundException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code leat dead}: buried tasks, the dead letters. */
@Command(
        name = "dead",
        description = "Looks after the tasks that ran out of attempts, or were buried.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DeadCommand.ListDead.class, DeadCommand.Count.class, DeadCommand.Redrive.class})
public final class DeadCommand {
    private static String shown(long count) {
        return count + (count == DeadLetters.MOST_COUNTED ? " or more" : "");
    }

    @Command(
            name = "list",
            description =
                    "Lists them in the order of their ids: when the last attempt of each ended, and why it was put aside.",
            mixinStandardHelpOptions = true)
    static final class ListDead extends StorageCommand {
        private static final List<String> HEADING = List.of("QUEUE", "ID", "TYPE", "LAST ATTEMPT", "ATTEMPTS", "ERROR");

        @Mixin
        private TaskFilter filter;

        @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Only of this queue.")
        private @Nullable String queue;

        @Mixin
        private TaskPage page;

        @Override
        protected int run(Leat leat, Output out) {
            TaskQuery query = filter.apply(TaskQuery.live(), queue).state(TaskState.BURIED);
            return page.show(this, leat, query, out, HEADING, task -> row(leat, task));
        }

        private static List<String> row(Leat leat, Task task) {
            return List.of(
                    task.queue(),
                    Long.toString(task.id()),
                    task.type().orElse(""),
                    lastAttempt(leat, task).map(end -> TaskRows.time(end)).orElse(""),
                    Integer.toString(task.attempts()),
                    TaskRows.shortened(task.message()
                            .flatMap(message -> message.lines().findFirst())
                            .orElse("")));
        }

        /** Empty for a task that was buried before its first attempt. */
        private static Optional<Instant> lastAttempt(Leat leat, Task task) {
            return leat.attempts(task.id()).stream().map(Attempt::ended).max(Comparator.naturalOrder());
        }
    }

    @Command(name = "count", description = "Counts them.", mixinStandardHelpOptions = true)
    static final class Count extends StorageCommand {
        @Mixin
        private TaskFilter filter;

        @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Only of this queue.")
        private @Nullable String queue;

        @Override
        protected int run(Leat leat, Output out) {
            long count = leat.deadLetters().count(filter.apply(TaskQuery.live(), queue));
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("count", count));
            } else {
                out.line(shown(count));
            }
            return 0;
        }
    }

    @Command(
            name = "redrive",
            description =
                    "Lets them run again; says how many there are and asks first, or wants --yes. What they failed with is kept.",
            mixinStandardHelpOptions = true)
    static final class Redrive extends StorageCommand {
        @Mixin
        private Consent consent;

        @Mixin
        private TaskFilter filter;

        @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Only of this queue.")
        private @Nullable String queue;

        @Override
        protected int run(Leat leat, Output out) {
            TaskQuery query = filter.apply(TaskQuery.live(), queue);
            long count = leat.deadLetters().count(query);
            if (count == 0) {
                return Moved.print(out, "redriven", 0, whyNone(leat, count));
            }
            consent.ask(this, "Let " + shown(count) + (count == 1 ? " task" : " tasks") + " run again?");
            long redriven = leat.deadLetters().redrive(query);
            if (redriven == 0) {
                return Moved.print(
                        out, "redriven", 0, whyNone(leat, leat.deadLetters().count(query)));
            }
            if (out.isJson()) {
                return Moved.print(out, "redriven", redriven, "");
            }
            out.line(redriven + " of " + shown(count) + " run again.");
            return 0;
        }

        private String whyNone(Leat leat, long stillBuried) {
            if (queue != null && leat.queue(queue).info().isEmpty()) {
                throw new QueueNotFoundException(queue);
            }
            String of = queue == null ? "" : " of queue '" + queue + "'";
            if (stillBuried > 0) {
                return Moved.ADDRESSES_TAKEN + of;
            }
            return filter.isAnythingSaid() ? "no buried task" + of + " matches" : "no task" + of + " is buried";
        }
    }
}
