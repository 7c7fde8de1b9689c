package dev.leat.cli.work;

import dev.leat.Leat;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.cli.command.HaltChannel;
import dev.leat.cli.console.OnInterrupt;
import dev.leat.queue.QueueInfo;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** A command that runs one worker until Ctrl-C, or with {@code --drain} until the queue is empty. */
abstract class WorkingCommand extends ServingCommand {
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    @Option(
            names = "--drain",
            description =
                    "Ends when nothing is ready or running any more, or the queue is paused, instead of waiting for more.")
    private boolean drain;

    @Option(
            names = "--stop-within",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long Ctrl-C lets tasks run on; then they are ended and go back"
                    + " (default: ${DEFAULT-VALUE}).")
    private Duration stopWithin;

    /** Hooks of a command around the stop of its worker. */
    interface AroundStop {
        /** Before running tasks are asked to end. */
        default void before() {}

        /** When no task runs any more. */
        void after();
    }

    /** Starts the worker and returns when it has stopped. */
    final void work(Leat leat, Worker worker, AroundStop aroundStop) throws InterruptedException {
        Set<String> queues = worker.stats().queues().keySet();
        queues.forEach(queue -> prepare(leat, queue));
        worker.start();
        CountDownLatch ended = new CountDownLatch(1);
        OnInterrupt onInterrupt = new OnInterrupt("leat-" + name() + "-stop", () -> {
            aroundStop.before();
            StopReport report = worker.stop(stopWithin);
            aroundStop.after();
            int back = report.givenBack().size() + report.abandoned().size();
            remark("Stopped." + (back == 0 ? "" : " " + back + " unfinished tasks went back."));
            leat.close();
            logs().close();
            ended.countDown();
        });
        boolean isDrained = false;
        try (HaltChannel halts = listenForHalt()) {
            while (!isDrained && !ended.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                isDrained = drain && queues.stream().noneMatch(queue -> isAnythingLeft(leat, queue));
            }
        }
        if (isDrained && onInterrupt.isForgotten()) {
            worker.stop(stopWithin);
            aroundStop.after();
        } else {
            ended.await();
        }
    }

    private static boolean isAnythingLeft(Leat leat, String queue) {
        boolean isPaused = leat.queue(queue).info().map(QueueInfo::paused).orElse(false);
        Set<TaskState> states = isPaused ? Set.of(TaskState.TAKEN) : Set.of(TaskState.READY, TaskState.TAKEN);
        return !leat.list(TaskQuery.of(queue).states(states).limit(1)).isEmpty();
    }
}
