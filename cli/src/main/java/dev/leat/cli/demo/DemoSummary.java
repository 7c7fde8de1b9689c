package dev.leat.cli.demo;

import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.queue.QueueStats;
import dev.leat.worker.StopReport;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The books: everything here is read back from the storage, nothing was counted while working. */
final class DemoSummary {
    private final Leat leat;
    private final PrintWriter out;
    private boolean addsUp = true;

    DemoSummary(Leat leat, PrintWriter out) {
        this.leat = leat;
        this.out = out;
    }

    /** Prints the counts of the storage; returns whether they add up to the number of puts. */
    boolean print(int put, Group group, Duration took, StopReport stop) {
        out.println();
        out.printf("  %-10s %8s %8s %8s %8s%n", "queue", "tasks", "done", "buried", "left");
        List<QueueStats> stats = leat.stats();
        for (QueueStats queue : stats) {
            long all = sum(List.of(queue), TaskState.values());
            long buried = queue.count(TaskState.BURIED);
            out.printf(
                    "  %-10s %8d %8d %8d %8d%n",
                    queue.queue(), all, queue.count(TaskState.DONE), buried, queue.live() - buried);
        }
        long done = sum(stats, TaskState.DONE);
        long buried = sum(stats, TaskState.BURIED);
        out.println();
        check(
                String.format("%,d put = %,d done + %,d buried", put, done, buried),
                put == done + buried && sum(stats, TaskState.values()) == put);
        checkKinds(group.info());
        out.printf(
                "  in %.1f s, most of which the handlers slept, as real ones wait for mail servers and banks%n",
                took.toMillis() / 1000.0);
        if (!stop.clean() || !stop.givenBack().isEmpty()) {
            out.printf(
                    "  given back at the stop: %d%n",
                    stop.givenBack().size() + stop.abandoned().size());
        }
        return addsUp;
    }

    private void checkKinds(GroupInfo group) {
        List<Task> reminders = finished(DemoTasks.REMINDERS);
        check("no reminder came before its time", reminders.stream().noneMatch(DemoSummary::wasEarly));
        check("each account's tasks ended in their order", inOrderPerKey(finished(DemoTasks.ACCOUNTS)));
        long retried = finished(DemoTasks.PAYMENTS).stream()
                .filter(task -> task.failures() > 0)
                .count();
        check(retried + " payments failed at first and were done on a later attempt", retried > 0);
        check(
                "the group of " + group.total() + " pages ended, then its closing task ran",
                group.state() == GroupInfo.State.COMPLETED
                        && finished(DemoTasks.BOOKS).size() == 1);
    }

    private List<Task> finished(String queue) {
        return leat.list(TaskQuery.of(queue).states(EnumSet.of(TaskState.DONE)).limit(TaskQuery.MAX_LIMIT));
    }

    private static boolean wasEarly(Task task) {
        return task.finished().orElseThrow().isBefore(task.due());
    }

    private static boolean inOrderPerKey(List<Task> byId) {
        Map<String, Instant> last = new HashMap<>();
        for (Task task : byId) {
            Instant ended = task.finished().orElseThrow();
            Instant before = last.put(task.key().orElseThrow(), ended);
            if (before != null && ended.isBefore(before)) {
                return false;
            }
        }
        return true;
    }

    private void check(String claim, boolean holds) {
        addsUp &= holds;
        out.println((holds ? "  ✓ " : "  ✗ ") + claim);
    }

    private static long sum(List<QueueStats> stats, TaskState... states) {
        long sum = 0;
        for (QueueStats queue : stats) {
            for (TaskState state : states) {
                sum += queue.count(state);
            }
        }
        return sum;
    }
}
