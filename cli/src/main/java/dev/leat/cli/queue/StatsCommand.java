package dev.leat.cli.queue;

import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.json.TaskJson;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat stats}: how many tasks are in which state. */
@Command(
        name = "stats",
        description = "Counts the tasks of each queue by their state. A + means: at least so many.",
        mixinStandardHelpOptions = true)
public final class StatsCommand extends StorageCommand {
    private static final Duration WATCH_EVERY = Duration.ofSeconds(1);
    /** To the upper left corner, and clear to the end. */
    private static final String CLEAR = "\u001b[H\u001b[J";

    @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "Only this queue.")
    private @Nullable String queue;

    @Option(names = "--watch", description = "Counts again every second, until Ctrl-C.")
    private boolean watch;

    @Option(names = "--tenants", description = "Of one queue: counts the tasks of each tenant and business group.")
    private boolean tenants;

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        print(leat, out);
        while (watch) {
            Thread.sleep(WATCH_EVERY.toMillis());
            if (!out.isJson()) {
                out.line(CLEAR);
            }
            print(leat, out);
        }
        return 0;
    }

    private void print(Leat leat, Output out) {
        if (tenants) {
            printTenants(leat, out);
        } else {
            printQueues(leat, out);
        }
        out.flush();
    }

    private void printTenants(Leat leat, Output out) {
        if (queue == null) {
            throw wrong("QUEUE is needed to count the tasks of its tenants");
        }
        List<TenantStats> stats = leat.queue(queue).tenantStats();
        if (out.isJson()) {
            out.json(stats.stream().map(TaskJson::of).toList());
        } else {
            out.table(
                    heading(List.of("TENANT", "GROUP")),
                    stats.stream().map(StatsCommand::row).toList());
        }
    }

    private static List<String> heading(List<String> first) {
        List<String> heading = new ArrayList<>(first);
        for (TaskState state : TaskState.values()) {
            heading.add(state.name());
        }
        return heading;
    }

    private static List<String> row(TenantStats stats) {
        List<String> row = new ArrayList<>(
                List.of(stats.tenant().orElse("-"), stats.businessGroup().orElse("-")));
        row.addAll(counts(stats.counts(), stats.exact()));
        return row;
    }

    private static List<String> counts(Map<TaskState, Long> byState, boolean exact) {
        return byState.values().stream()
                .map(count -> String.format(Locale.ROOT, "%,d", count) + (exact ? "" : "+"))
                .toList();
    }

    private void printQueues(Leat leat, Output out) {
        List<QueueStats> stats =
                queue == null ? leat.stats() : List.of(leat.queue(queue).stats());
        if (out.isJson()) {
            out.json(stats.stream().map(TaskJson::of).toList());
        } else {
            List<String> heading = heading(List.of("QUEUE"));
            heading.add("CONSUMERS");
            out.table(heading, stats.stream().map(StatsCommand::row).toList());
        }
    }

    private static List<String> row(QueueStats stats) {
        List<String> row = new ArrayList<>(List.of(stats.queue()));
        row.addAll(counts(stats.counts(), stats.exact()));
        row.add(String.valueOf(stats.consumers()));
        return row;
    }
}
