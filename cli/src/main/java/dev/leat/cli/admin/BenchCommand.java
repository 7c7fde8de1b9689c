package dev.leat.cli.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.OnInterrupt;
import dev.leat.cli.console.Output;
import dev.leat.storage.StorageSettings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code leat bench}: how fast the storage is, from here. */
@Command(
        name = "bench",
        description = {
            "Measures the storage: puts tasks, takes and acknowledges them, then times how soon single ones are picked up.",
            "It uses a queue of its own, which is gone afterwards, also after Ctrl-C."
        },
        mixinStandardHelpOptions = true)
public final class BenchCommand extends StorageCommand {
    private static final int INTERRUPTED = 130;
    private static final int LARGEST_BATCH = 1_000;
    private static final int MOST_THREADS = 256;

    @Option(
            names = "--tasks",
            paramLabel = "N",
            defaultValue = "20000",
            description = "How many tasks (default: ${DEFAULT-VALUE}).")
    private long tasks;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "100",
            description = "How many are put, taken and acknowledged at once, up to " + LARGEST_BATCH
                    + " (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many threads put, and then take (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--queue",
            paramLabel = "NAME",
            description = "What to call the queue; there must be none of that name (default: a random name).")
    private @Nullable String queue;

    /** A put that comes too late must not make the queue again. */
    @Override
    public Leat.Builder builder(String url) {
        return super.builder(url).autoCreate(Leat.AutoCreate.OFF);
    }

    @Override
    public StorageSettings.IfMissing ifMissing() {
        return StorageSettings.IfMissing.CREATE;
    }

    @Override
    protected int run(Leat leat, Output out) {
        Benchmark.Load load = new Benchmark.Load(
                within("--tasks", tasks, Long.MAX_VALUE), (int) within("--batch", batch, LARGEST_BATCH), (int)
                        within("--threads", threads, MOST_THREADS));
        String name = queue == null ? "bench-" + UUID.randomUUID() : queue;
        Benchmark benchmark = new Benchmark(leat, name, load);
        try (OnInterrupt onInterrupt = new OnInterrupt("leat-bench-stop", benchmark::close);
                benchmark) {
            print(leat.storage().name(), load, benchmark.run(), out);
            return CommandLine.ExitCode.OK;
        } catch (InterruptedException e) {
            // The thread stays uninterrupted: it closes the storage next, and must wait for running transactions.
            return INTERRUPTED;
        }
    }

    private long within(String option, long value, long most) {
        if (value < 1 || value > most) {
            throw wrong(option + " must be at least 1" + (most == Long.MAX_VALUE ? "" : " and at most " + most)
                    + ", was " + value);
        }
        return value;
    }

    private static void print(String storage, Benchmark.Load load, Benchmark.Figures figures, Output out) {
        double puts = perSecond(load.tasks(), figures.put());
        double acks = perSecond(load.tasks(), figures.acked());
        double median = millis(figures.pickUp(50));
        double slowest = millis(figures.pickUp(99));
        double seconds = figures.total().toNanos() / 1e9;
        if (out.isJson()) {
            ObjectNode json = JsonNodeFactory.instance
                    .objectNode()
                    .put("storage", storage)
                    .put("tasks", load.tasks())
                    .put("batch", load.batch())
                    .put("threads", load.threads())
                    .put("putsPerSecond", puts)
                    .put("acksPerSecond", acks);
            json.putObject("pickUpMillis").put("p50", median).put("p99", slowest);
            out.json(json.put("seconds", seconds));
            return;
        }
        out.table(
                List.of("TASKS", "PUTS/S", "TAKES+ACKS/S", "PICK-UP P50", "PICK-UP P99", "TOTAL"),
                List.of(List.of(
                        format("%,d", load.tasks()),
                        format("%,.0f", puts),
                        format("%,.0f", acks),
                        format("%,.2f ms", median),
                        format("%,.2f ms", slowest),
                        format("%,.1f s", seconds))));
    }

    private static double perSecond(long tasks, Duration took) {
        return tasks / (took.toNanos() / 1e9);
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }

    private static String format(String pattern, Object value) {
        return String.format(Locale.ROOT, pattern, value);
    }
}
