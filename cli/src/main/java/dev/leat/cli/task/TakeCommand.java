package dev.leat.cli.task;

import dev.leat.Leat;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.json.TaskJson;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat take}: takes tasks for a shell to work on. */
@Command(
        name = "take",
        description = {
            "Takes tasks and prints them with their leases, which ack, fail, release, bury and touch want.",
            "A task that is not settled within --ttr comes back. Exit code 3: there was none."
        },
        mixinStandardHelpOptions = true)
public final class TakeCommand extends StorageCommand {
    @Parameters(paramLabel = "QUEUE", description = "The queue.")
    private String queue;

    @Option(names = "--count", paramLabel = "N", defaultValue = "1", description = "At most so many (default: 1).")
    private int count;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "0",
            description = "How long to wait for the first one (default: not at all).")
    private Duration wait;

    @Option(
            names = "--ttr",
            paramLabel = "TIME",
            description = "How long the tasks may be held (default: the task's own, or 60s).")
    private @Nullable Duration ttr;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only tasks of this type; may be repeated.")
    private @Nullable Set<String> types;

    @Option(names = "--max-priority", paramLabel = "N", description = "Only tasks of this priority or a lower number.")
    private @Nullable Integer maxPriority;

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        TakeRequest request = TakeRequest.from(queue).count(count).detached();
        if (ttr != null) {
            request = request.ttr(ttr);
        }
        if (types != null) {
            request = request.types(types);
        }
        if (maxPriority != null) {
            request = request.maxPriority(maxPriority);
        }
        List<TakenTask> taken = leat.take(request, wait);
        if (out.isJson()) {
            out.json(taken.stream().map(TaskJson::of).toList());
        } else if (!taken.isEmpty()) {
            out.table(
                    List.of("ID", "LEASE", "UNTIL", "PAYLOAD"),
                    taken.stream().map(TakeCommand::row).toList());
        }
        return taken.isEmpty() ? NOTHING_THERE : 0;
    }

    private static List<String> row(TakenTask taken) {
        return List.of(
                String.valueOf(taken.id()),
                taken.lease().token(),
                taken.leaseUntil().map(TaskRows::time).orElse(""),
                TaskRows.payload(taken.payload()));
    }
}
