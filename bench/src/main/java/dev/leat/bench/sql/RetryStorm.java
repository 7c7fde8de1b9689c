package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.util.List;

/** Every task fails once and is tried again at once. */
final class RetryStorm implements Workload {
    private static final Measure RATE = Measure.rate("drain with one failure per task");

    @Override
    public String name() {
        return "retries";
    }

    @Override
    public String title() {
        return "a retry storm: 50,000 tasks that all fail once";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public void run(Turn turn) throws Exception {
        int tasks = turn.size(50_000, 10_000, 2_000);
        ContenderProcess contender = turn.open();
        contender.fill(tasks);
        turn.database().analyze();
        long start = contender.work(Mode.RETRY, 0);
        turn.record(RATE, tasks / ((contender.settled(tasks) - start) / 1e9));
        contender.stopWork();
    }
}
