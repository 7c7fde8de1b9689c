package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.util.List;

/** Tasks that all become due within one second, while a worker waits for them. */
final class DueAtOnce implements Workload {
    private static final Measure TIME =
            new Measure("from the first due moment to the last settle", Measure.Unit.SECONDS);
    private static final int AHEAD_MILLIS = 10_000;

    @Override
    public String name() {
        return "due";
    }

    @Override
    public String title() {
        return "100,000 tasks that become due within one second";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public void run(Turn turn) throws Exception {
        int tasks = turn.size(100_000, 20_000, 2_000);
        ContenderProcess contender = turn.open();
        long firstDue = contender.number("put-due " + tasks + " " + turn.size(AHEAD_MILLIS, AHEAD_MILLIS, 2_000));
        contender.work(Mode.RATE, 0);
        long settled = contender.settled(tasks);
        contender.stopWork();
        turn.record(TIME, (settled - firstDue) / 1e9);
    }
}
