package dev.leat.cli.work;

import dev.leat.Leat;
import dev.leat.cli.console.Output;
import dev.leat.worker.Worker;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code leat worker}: runs the handlers of a user's jar. */
@Command(
        name = "worker",
        description = {
            "Runs the handlers of a class in a jar, until Ctrl-C.",
            "The class implements dev.leat.worker.WorkerProgram, is public and has a public constructor without parameters."
        },
        mixinStandardHelpOptions = true)
public final class WorkerCommand extends WorkingCommand {
    @Option(
            names = "--jar",
            paramLabel = "FILE",
            arity = "1..*",
            required = true,
            description = "The jars, or folders of classes, of the class and of what it needs beside Leat.")
    private List<Path> jars;

    @Option(names = "--class", paramLabel = "NAME", required = true, description = "The class, with its package.")
    private String className;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "How many tasks run at once (default: what the class says, or else 1).")
    private @Nullable Integer concurrency;

    private @Nullable UserProgram loaded;

    /** Loads the class before the storage opens: new threads inherit its class loader, and a wrong class creates no tables. */
    @Override
    public Leat.Builder builder(String url) {
        loaded = UserProgram.load(jars, className);
        return super.builder(url);
    }

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        UserProgram program = Objects.requireNonNull(loaded);
        Worker worker = configured(leat.worker(), program);
        remark(className + " serves "
                + String.join(", ", new TreeSet<>(worker.stats().queues().keySet())) + ".");
        work(leat, worker, program::close);
        return 0;
    }

    private Worker configured(Worker.Builder builder, UserProgram program) {
        program.configure(builder);
        if (concurrency != null) {
            builder.concurrency(concurrency);
        }
        return builder.build();
    }
}
