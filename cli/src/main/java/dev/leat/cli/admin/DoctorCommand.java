package dev.leat.cli.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.error.StorageException;
import dev.leat.json.DurationText;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueStats;
import dev.leat.storage.Finding;
import dev.leat.storage.Finding.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code leat doctor}: finds what keeps tasks from being processed. */
@Command(
        name = "doctor",
        description = {
            "Opens the storage and looks for what is wrong or will be: clocks, old snapshots, dead rows, queues that stand still.",
            "Exit code 1 for trouble; with --strict also for warnings."
        },
        mixinStandardHelpOptions = true)
public final class DoctorCommand extends StorageCommand {
    @Option(
            names = "--strict",
            description =
                    "Exit code 1 also for warnings: paused queues, ready tasks without a consumer, buried tasks, slow answers …")
    private boolean strict;

    private static final Duration LARGEST_SKEW = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofMillis(250);

    /**
     * How the storage answers.
     *
     * @param took how long one round trip took
     * @param skew how far its clock is ahead of this machine's
     */
    private record Answer(Duration took, Duration skew) {}

    @Override
    protected int run(Leat leat, Output out) {
        List<Finding> findings = new ArrayList<>();
        try {
            Answer answer = ask(leat);
            if (!out.isJson()) {
                out.line(String.format(
                        Locale.ROOT,
                        "✓ %s answers within %,.1f ms, its clock differs from this machine's by %,.1f ms.",
                        leat.storage().name(),
                        millis(answer.took()),
                        millis(answer.skew().abs())));
            }
            findings.addAll(clock(answer));
            findings.addAll(leat.storage().examine());
            findings.addAll(queues(leat));
        } catch (StorageException e) {
            findings.add(new Finding(
                    Level.TROUBLE, String.valueOf(e.getMessage()), "Nothing works until the storage answers again."));
        }
        return report(leat, findings, out);
    }

    private int report(Leat leat, List<Finding> findings, Output out) {
        if (out.isJson()) {
            out.json(findings.stream().map(DoctorCommand::json).toList());
        } else {
            findings.forEach(finding -> out.line(
                    (finding.level() == Level.TROUBLE ? "✗ " : "! ") + finding.what() + " " + finding.advice()));
            if (findings.isEmpty()) {
                out.line("✓ " + leat.storage().name() + " is well.");
            }
        }
        boolean isBad = findings.stream().anyMatch(finding -> strict || finding.level() == Level.TROUBLE);
        return isBad ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private static Answer ask(Leat leat) {
        leat.storage().now(); // the first question opens a connection
        Instant before = Instant.now();
        Instant there = leat.storage().now();
        Duration took = Duration.between(before, Instant.now());
        return new Answer(took, Duration.between(before.plus(took.dividedBy(2)), there));
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }

    /** The storage's clock decides when a task is due. A due time that was computed on another clock is early or late. */
    private static List<Finding> clock(Answer answer) {
        List<Finding> findings = new ArrayList<>();
        Duration skew = answer.skew();
        if (skew.abs().compareTo(LARGEST_SKEW) > 0) {
            findings.add(new Finding(
                    Level.WARNING,
                    "The storage's clock is " + DurationText.format(skew.abs())
                            + (skew.isNegative() ? " behind" : " ahead of") + " this machine's.",
                    "Tasks for a given moment are due by the storage's clock: let both follow the same time server."));
        }
        if (answer.took().compareTo(SLOW) > 0) {
            findings.add(new Finding(
                    Level.WARNING,
                    "One question to the storage took " + DurationText.format(answer.took()) + ".",
                    "Look at the network and at the load of the server."));
        }
        return findings;
    }

    private static List<Finding> queues(Leat leat) {
        List<Finding> findings = new ArrayList<>();
        for (QueueInfo info : leat.queues()) {
            QueueStats stats = leat.queue(info.name()).stats();
            long ready = stats.count(TaskState.READY);
            long buried = stats.count(TaskState.BURIED);
            String name = info.name();
            if (info.paused()) {
                findings.add(new Finding(
                        Level.WARNING,
                        "Queue " + name + " is paused, with " + tasks(ready, "ready") + ".",
                        "Let it go on: leat queue resume " + name));
            } else if (ready > 0 && stats.consumers() == 0 && stats.count(TaskState.TAKEN) == 0) {
                findings.add(new Finding(
                        Level.WARNING,
                        "Queue " + name + " has " + tasks(ready, "ready") + " and no consumer.",
                        "Start a worker: leat work " + name
                                + " --exec COMMAND, or leat worker --jar FILE --class NAME"));
            }
            if (buried > 0) {
                findings.add(new Finding(
                        Level.WARNING,
                        "Queue " + name + " has " + tasks(buried, "buried") + ".",
                        "See why: leat dead list " + name + "; then let them run again: leat dead redrive " + name));
            }
        }
        return findings;
    }

    private static String tasks(long count, String state) {
        return String.format(Locale.ROOT, "%,d %s %s", count, state, count == 1 ? "task" : "tasks");
    }

    private static ObjectNode json(Finding finding) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("level", finding.level().name().toLowerCase(Locale.ROOT))
                .put("what", finding.what())
                .put("advice", finding.advice());
    }
}
