package dev.leat.bench.sql;

import java.util.List;

/** Tasks of ten keys only, so that at most ten can run at a time. */
final class TenKeys implements Workload {
    private static final Measure RATE = Measure.rate("drain of ten busy keys");
    private static final int KEYS = 10;

    @Override
    public String name() {
        return "keys";
    }

    @Override
    public String title() {
        return "drain of 50,000 tasks of ten keys, one at a time per key";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public void run(Turn turn) throws Exception {
        int tasks = turn.size(50_000, 10_000, 2_000);
        ContenderProcess contender = turn.open();
        contender.ask("put-keyed " + tasks + " " + KEYS);
        turn.database().analyze();
        turn.record(RATE, contender.drain(tasks));
    }
}
