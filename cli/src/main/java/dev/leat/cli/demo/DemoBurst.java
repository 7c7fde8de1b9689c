package dev.leat.cli.demo;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.queue.QueueStats;
import dev.leat.worker.Worker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Measures Leat without work in the handler: puts many plain tasks in batches, which one worker processes. */
final class DemoBurst {
    static final String QUEUE = "burst";
    private static final int BATCH = 1_000;
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(5);

    private final Leat leat;
    private final PrintWriter out;

    DemoBurst(Leat leat, PrintWriter out) {
        this.leat = leat;
        this.out = out;
    }

    /** Prints the time of the puts and of the work; returns whether the storage counts every task as done. */
    boolean run(int tasks, int processors) throws InterruptedException {
        out.printf("%n  Now a burst of %,d tasks whose handler does nothing:%n", tasks);
        out.flush();
        Duration put = timed(() -> putAll(tasks));
        Duration done = timed(() -> workOff(tasks, processors));
        QueueStats stats = leat.queue(QUEUE).stats();
        boolean isAllDone = stats.live() == 0 && stats.count(TaskState.DONE) == tasks;
        out.printf("  %s put in %s, worked off in %s%n", isAllDone ? "✓" : "✗", pace(tasks, put), pace(tasks, done));
        return isAllDone;
    }

    private void putAll(int tasks) {
        List<NewTask> batch = new ArrayList<>(BATCH);
        for (int i = 1; i <= tasks; i++) {
            batch.add(NewTask.to(QUEUE).payload(Integer.toString(i)).build());
            if (batch.size() == BATCH || i == tasks) {
                leat.putAll(batch);
                batch.clear();
            }
        }
    }

    /** Until the last task is acknowledged, which is a little after its handler has run. */
    private void workOff(int tasks, int processors) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(tasks);
        Worker worker = leat.worker()
                .handle(QUEUE, String.class, (payload, task) -> left.countDown())
                .concurrency(processors)
                .start();
        long deadline = System.nanoTime() + LONGEST.toNanos();
        boolean haveRun = left.await(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        while (haveRun && leat.queue(QUEUE).stats().live() > 0 && System.nanoTime() < deadline) {
            Thread.sleep(LOOK_AGAIN.toMillis());
        }
        worker.stop(Duration.ofSeconds(10));
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    private static Duration timed(Step step) throws InterruptedException {
        long started = System.nanoTime();
        step.run();
        return Duration.ofNanos(System.nanoTime() - started);
    }

    private static String pace(int tasks, Duration took) {
        double seconds = Math.max(1, took.toMillis()) / 1_000.0;
        return String.format("%.1f s (%,.0f a second)", seconds, tasks / seconds);
    }
}
