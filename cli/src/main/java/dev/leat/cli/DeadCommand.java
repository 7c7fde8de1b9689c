package dev.leat.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.DeadLetters;
import dev.leat.Leat;
import dev.leat.TaskQuery;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code leat dead}: what was put aside. */
@Command(
        name = "dead",
        description = "Looks after the tasks that ran out of attempts, or were buried.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DeadCommand.Count.class, DeadCommand.Redrive.class})
final class DeadCommand {
    private static String shown(long count) {
        return count + (count == DeadLetters.MOST_COUNTED ? " or more" : "");
    }

    @Command(
            name = "count",
            description = "Counts them; 'leat list --state BURIED' shows them.",
            mixinStandardHelpOptions = true)
    static final class Count extends StorageCommand {
        @Mixin
        private TaskFilter filter;

        @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Only of this queue.")
        private @Nullable String queue;

        @Override
        int run(Leat leat, Output out) {
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
        int run(Leat leat, Output out) {
            TaskQuery query = filter.apply(TaskQuery.live(), queue);
            long count = leat.deadLetters().count(query);
            if (count > 0) {
                consent.ask(this, "Let " + shown(count) + (count == 1 ? " task" : " tasks") + " run again?");
            }
            long redriven = count == 0 ? 0 : leat.deadLetters().redrive(query);
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("redriven", redriven));
            } else {
                out.line(redriven + " of " + shown(count) + " run again.");
            }
            return redriven == 0 ? NOTHING_THERE : 0;
        }
    }
}
