package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Steady load through a restart of the database. */
final class ServerRestart implements Workload {
    private static final Measure FULL_RATE_AFTER = new Measure("server up again to full rate", Measure.Unit.SECONDS);
    private static final Measure RATE_BEFORE = Measure.rate("rate before the restart");
    private static final Measure RATE_AFTER = Measure.rate("rate in the 5 s after it");
    private static final int WINDOW = 20_000;
    private static final double FULL = 0.8;
    private static final double STEP_SECONDS = 0.1;

    @Override
    public String name() {
        return "restart";
    }

    @Override
    public String title() {
        return "from a restarted server that takes connections to four fifths of the rate before";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(Requirement.figure(Requirement.Limit.AT_MOST, 5, FULL_RATE_AFTER));
    }

    @Override
    public void run(Turn turn) throws Exception {
        int secondsBefore = turn.size(10, 5, 2);
        int secondsAfter = turn.size(20, 20, 10);
        ContenderProcess contender = turn.open();
        contender.work(Mode.RATE, 0);
        contender.send("sustain-through-faults " + (secondsBefore + secondsAfter) * 1_000 + " " + WINDOW + " 1000");
        LockSupport.parkNanos(Duration.ofSeconds(secondsBefore).toNanos());
        long stopped = System.nanoTime();
        turn.server().restart();
        long up = System.nanoTime();
        Sustained sustained = Sustained.parse(contender.answer());
        contender.stopWork();

        double stoppedAt = (stopped - sustained.start()) / 1e9;
        double upAt = (up - sustained.start()) / 1e9;
        double before = sustained.tasksPerSecond(stoppedAt / 2, stoppedAt);
        turn.record(RATE_BEFORE, before);
        turn.record(RATE_AFTER, sustained.tasksPerSecond(upAt, upAt + 5));
        turn.record(FULL_RATE_AFTER, secondsToFullRate(sustained, upAt, upAt + secondsAfter - 2, before * FULL));
    }

    /** The beginning of the first second at full rate. */
    private static double secondsToFullRate(Sustained sustained, double from, double to, double rate) {
        for (double begin = from; begin < to; begin += STEP_SECONDS) {
            if (sustained.tasksPerSecond(begin, begin + 1) >= rate) {
                return begin - from;
            }
        }
        throw new IllegalStateException("the full rate did not come back within " + (to - from) + " s");
    }
}
