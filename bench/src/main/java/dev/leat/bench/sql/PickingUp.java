package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** W4: from the commit of a put in one process to the start of the handler in another one that has nothing to do. */
final class PickingUp implements Workload {
    private static final Measure MEDIAN = Measure.milliseconds("commit to start, p50");
    private static final Measure SLOWEST = Measure.milliseconds("commit to start, p99");
    private static final int FIRST_PUTS = 10_000;
    private static final int FIRST_PUTTERS = 4;
    private static final int LEAST_PAUSE_MILLIS = 20;
    private static final int MOST_PAUSE_MILLIS = 60;

    @Override
    public String name() {
        return "W4";
    }

    @Override
    public String title() {
        return "pick-up by an idle worker, put from another process (db-scheduler: from its own, which alone it can tell)";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.DB_SCHEDULER, Peer.JOBRUNR, Peer.GRAPHILE_WORKER, Peer.PG_BOSS, Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(
                Requirement.figure(Requirement.Limit.AT_MOST, 2, MEDIAN),
                Requirement.figure(Requirement.Limit.BELOW, 15, SLOWEST));
    }

    @Override
    public void run(Turn turn) throws Exception {
        // JobRunr polls every five seconds: a few say it all.
        int tasks = turn.peer() == Peer.JOBRUNR ? turn.size(10, 3, 1) : turn.size(300, 100, 50);
        ContenderProcess worker = turn.open();
        ContenderProcess putter = turn.peer() == Peer.DB_SCHEDULER ? worker : turn.anotherProcess();
        if (putter != worker) {
            putter.open(turn.database());
        }
        // The code of both is compiled after some thousand puts: these do not count.
        putter.ask("put " + FIRST_PUTS + " " + FIRST_PUTTERS + " 1");
        worker.drain(FIRST_PUTS);
        worker.work(Mode.LATENCY, tasks);
        long[] commits = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            pauseForAMoment();
            commits[i] = putter.number("one");
            pauseForAMoment(); // to ask at once would take the worker's time from the task
            worker.settled(i + 1);
        }
        long[] starts = worker.numbers("starts");
        worker.stopWork();
        double[] millis = new double[tasks];
        for (int i = 0; i < tasks; i++) {
            // A worker may start before the putter hears of its own commit.
            millis[i] = Math.max(0, starts[i] - commits[i]) / 1e6;
        }
        Arrays.sort(millis);
        turn.record(MEDIAN, millis[rank(50, tasks)]);
        turn.record(SLOWEST, millis[rank(99, tasks)]);
    }

    private static int rank(int percent, int tasks) {
        return (int) Math.ceil(percent / 100.0 * tasks) - 1;
    }

    /** Long enough to be idle, and never in step with somebody's poll. */
    private static void pauseForAMoment() {
        int millis = ThreadLocalRandom.current().nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS);
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    }
}
