package dev.leat.cli.demo;

import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.queue.QueueStats;
import dev.leat.worker.Worker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/** Shows how far each queue is: bars that move in a terminal, a line now and then elsewhere. */
final class DemoDisplay {
    private static final int BAR = 28;
    private static final Duration REDRAW = Duration.ofMillis(100);
    private static final Duration LINE = Duration.ofSeconds(2);

    private final Leat leat;
    private final PrintWriter out;
    private final boolean terminal = System.console() != null && !"dumb".equals(System.getenv("TERM"));
    private int drawn;

    DemoDisplay(Leat leat, PrintWriter out) {
        this.leat = leat;
        this.out = out;
    }

    /**
     * Shows until nothing is left but buried tasks; false when that takes longer than {@code longest}, or the worker is
     * stopped before.
     */
    boolean showUntilDone(Duration longest, Worker worker) throws InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        while (worker.state() == Worker.State.RUNNING) {
            List<QueueStats> stats = leat.stats();
            boolean done = stats.stream().allMatch(queue -> queue.live() == queue.count(TaskState.BURIED));
            show(stats);
            if (done || System.nanoTime() > deadline) {
                return done;
            }
            Thread.sleep((terminal ? REDRAW : LINE).toMillis());
        }
        return false;
    }

    private void show(List<QueueStats> stats) {
        if (!terminal) {
            long live = stats.stream().mapToLong(QueueStats::live).sum();
            long done = stats.stream().mapToLong(q -> q.count(TaskState.DONE)).sum();
            out.printf("  %,d done, %,d left%n", done, live);
            out.flush();
            return;
        }
        if (drawn > 0) {
            out.print("\u001b[" + drawn + "A");
        }
        stats.forEach(queue -> out.println("\u001b[K" + line(queue)));
        out.flush();
        drawn = stats.size();
    }

    private static String line(QueueStats queue) {
        long ended = queue.count(TaskState.DONE) + queue.count(TaskState.BURIED);
        long total = Math.max(1, queue.live() + queue.count(TaskState.DONE));
        int filled = (int) (BAR * ended / total);
        return String.format(
                "  %-10s %s%s %5d done %4d running %4d waiting %4d scheduled %3d buried",
                queue.queue(),
                "█".repeat(filled),
                "░".repeat(BAR - filled),
                queue.count(TaskState.DONE),
                queue.count(TaskState.TAKEN),
                queue.count(TaskState.READY) + queue.count(TaskState.WAITING),
                queue.count(TaskState.SCHEDULED),
                queue.count(TaskState.BURIED));
    }
}
