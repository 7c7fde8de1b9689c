package dev.leat.cli;

import dev.leat.Leat;
import dev.leat.Payload;
import dev.leat.QueueInfo;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat work}: runs a program for every task of a queue. */
@Command(
        name = "work",
        description = {
            "Runs a shell command for every task of a queue, until Ctrl-C.",
            "The payload is its standard input; LEAT_TASK_ID, LEAT_QUEUE, LEAT_ATTEMPT, LEAT_PRIORITY, LEAT_CONTENT_TYPE, and where"
                    + " there are any LEAT_KEY, LEAT_ADDRESS, LEAT_TYPE and LEAT_TENANT are in its environment.",
            "Exit code 0 acknowledges the task, 75 releases it; any other fails it with the last line of standard error."
        },
        mixinStandardHelpOptions = true)
final class WorkCommand extends LongCommand {
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    @Parameters(
            paramLabel = "QUEUE",
            arity = "0..1",
            description =
                    "The queue; made if it is missing (default: QUEUE_NAME beside the other variables of nsj-queue-lib).")
    private @Nullable String queueOrDefault;

    @Option(names = "--exec", paramLabel = "COMMAND", required = true, description = "What /bin/sh is to run.")
    private String command;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many run at once (default: 1).")
    private int concurrency;

    @Option(
            names = "--drain",
            description =
                    "Ends when nothing is ready or running any more, or the queue is paused, instead of waiting for more.")
    private boolean drain;

    @Option(
            names = "--stop-within",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "How long Ctrl-C lets programs run on; then they are ended and their tasks go back"
                    + " (default: ${DEFAULT-VALUE}).")
    private Duration stopWithin;

    @Override
    int run(Leat leat, Output out) throws InterruptedException {
        String queue = queue();
        leat.queue(queue).ensure();
        ShellHandler handler = new ShellHandler(command, err());
        Worker worker = leat.worker()
                .handle(queue, Payload.class, handler)
                .concurrency(concurrency)
                .start();
        CountDownLatch ended = new CountDownLatch(1);
        OnInterrupt onInterrupt = new OnInterrupt("leat-work-stop", () -> {
            stop(leat, worker, handler);
            ended.countDown();
        });
        boolean isDrained = false;
        while (!isDrained && !ended.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
            isDrained = drain && !isAnythingLeft(leat, queue);
        }
        if (isDrained && onInterrupt.isForgotten()) {
            worker.stop(stopWithin);
            handler.close();
        } else {
            ended.await();
        }
        return 0;
    }

    private String queue() {
        return Optional.ofNullable(queueOrDefault)
                .or(() -> nsjEnvironment().map(NsjEnvironment::queue))
                .orElseThrow(() -> wrong("Missing required parameter: 'QUEUE'"));
    }

    private static boolean isAnythingLeft(Leat leat, String queue) {
        boolean isPaused = leat.queue(queue).info().map(QueueInfo::paused).orElse(false);
        Set<TaskState> states = isPaused ? Set.of(TaskState.TAKEN) : Set.of(TaskState.READY, TaskState.TAKEN);
        return !leat.list(TaskQuery.of(queue).states(states).limit(1)).isEmpty();
    }

    private void stop(Leat leat, Worker worker, ShellHandler handler) {
        handler.stopping();
        StopReport report = worker.stop(stopWithin);
        handler.close();
        int back = report.givenBack().size() + report.abandoned().size();
        remark("Stopped." + (back == 0 ? "" : " " + back + " unfinished tasks went back."));
        leat.close();
        logs().close();
    }
}
