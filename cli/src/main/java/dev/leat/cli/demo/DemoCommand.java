package dev.leat.cli.demo;

import dev.leat.Leat;
import dev.leat.cli.logging.Logs;
import dev.leat.error.ClosedException;
import dev.leat.queue.QueueStats;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Puts some thousand tasks, works them off before your eyes, and checks the books; then shows how fast plain tasks are. */
@Command(
        name = "demo",
        description =
                "Puts a few thousand tasks of all kinds, works them off, and adds them up; then a burst of plain ones.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final int INTERRUPTED = 130;
    private static final int FEWEST = 100;
    private static final int MOST = 8_000;
    /** Up to here the storage counts exactly. */
    private static final int MOST_IN_BURST = 100_000;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--tasks",
            paramLabel = "N",
            defaultValue = "4000",
            description = "About how many tasks to put, " + FEWEST + " to " + MOST + " (default: ${DEFAULT-VALUE}).")
    private int tasks;

    @Option(
            names = "--processors",
            paramLabel = "N",
            defaultValue = "16",
            description = "How many tasks run at once (default: ${DEFAULT-VALUE}).")
    private int processors;

    @Option(
            names = "--burst",
            paramLabel = "N",
            defaultValue = "100000",
            description = "How many plain tasks to put and work off at the end, 1 to " + MOST_IN_BURST
                    + " (default: ${DEFAULT-VALUE}).")
    private int burst;

    @Override
    public Integer call() throws InterruptedException {
        if (tasks < FEWEST || tasks > MOST) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--tasks must be from " + FEWEST + " to " + MOST + ", was " + tasks);
        }
        if (processors < 1) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--processors must be at least 1, was " + processors);
        }
        if (burst < 1 || burst > MOST_IN_BURST) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--burst must be from 1 to " + MOST_IN_BURST + ", was " + burst);
        }
        try (Logs logs = new Logs();
                DemoFile file = DemoFile.create();
                Leat leat = Leat.builder(file.url()).shutdownHook(false).open()) {
            logs.hideFailedTasks();
            return run(leat, file, spec.commandLine().getOut());
        }
    }

    private int run(Leat leat, DemoFile file, PrintWriter out) throws InterruptedException {
        DemoTasks demo = new DemoTasks(leat, tasks);
        out.println("Leat demo: tasks of five kinds in a SQLite file, " + processors + " at once. Ctrl-C stops.");
        int put = demo.putAll();
        long started = System.nanoTime();
        Worker worker = demo.startWorker(processors);
        Thread onInterrupt = new Thread(() -> stopEarly(leat, file, worker, out), "leat-demo-stop");
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        boolean finished = new DemoDisplay(leat, out).showUntilDone(LONGEST, worker);
        if (worker.state() != Worker.State.RUNNING) {
            return INTERRUPTED;
        }
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        StopReport stop = worker.stop(Duration.ofSeconds(10));
        boolean addsUp = new DemoSummary(leat, out).print(put, demo.group(), took, stop);
        out.flush();
        try {
            addsUp &= new DemoBurst(leat, out).run(burst, processors);
        } catch (ClosedException e) {
            return INTERRUPTED; // Ctrl-C has closed it, and said so
        }
        out.flush();
        Runtime.getRuntime().removeShutdownHook(onInterrupt);
        return finished && addsUp ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    /** Ctrl-C: lets running tasks end, gives the rest back, and says so. */
    private static void stopEarly(Leat leat, DemoFile file, Worker worker, PrintWriter out) {
        StopReport stop = worker.stop(Duration.ofSeconds(5));
        long left = leat.stats().stream().mapToLong(QueueStats::live).sum();
        out.printf(
                "%nStopped. %,d tasks are left; %,d were taken but not finished and went back.%n",
                left, stop.givenBack().size() + stop.abandoned().size());
        out.flush();
        leat.close();
        file.close();
    }
}
