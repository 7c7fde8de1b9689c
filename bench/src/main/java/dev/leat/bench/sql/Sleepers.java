package dev.leat.bench.sql;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Fifty takes wait, one task is put: who goes to look for it. */
final class Sleepers implements Workload {
    private static final Measure TAKES = new Measure("takes for one put", Measure.Unit.TAKES);
    private static final int SLEEPERS = 50;
    private static final Duration SETTLE = Duration.ofMillis(500);

    @Override
    public String name() {
        return "sleepers";
    }

    @Override
    public String title() {
        return "50 waiting takes in one process, one put from another";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(Requirement.figure(Requirement.Limit.AT_MOST, 2, TAKES));
    }

    @Override
    public void run(Turn turn) throws Exception {
        ContenderProcess putter = turn.open();
        ContenderProcess sleepers = turn.anotherProcess();
        sleepers.ask("open-counting " + turn.database().url());
        sleepers.ask("sleep " + SLEEPERS);
        LockSupport.parkNanos(SETTLE.toNanos());
        long before = sleepers.number("take-calls");
        putter.ask("one");
        while (sleepers.number("awake") == 0) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
        LockSupport.parkNanos(SETTLE.toNanos());
        turn.record(TAKES, sleepers.number("take-calls") - before);
    }
}
