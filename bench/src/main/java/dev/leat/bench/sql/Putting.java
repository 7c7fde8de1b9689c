package dev.leat.bench.sql;

import java.util.List;

/** W1: puts from some threads, without anybody who works. */
final class Putting implements Workload {
    private static final Measure ONE = Measure.rate("put one by one, 1 thread");
    private static final Measure FOUR = Measure.rate("put one by one, 4 threads");
    private static final Measure SIXTY_FOUR = Measure.rate("put one by one, 64 threads");
    private static final Measure BATCHES = Measure.rate("put by 1,000, 1 thread");

    @Override
    public String name() {
        return "W1";
    }

    @Override
    public String title() {
        return "put for five seconds each; plain JDBC inserts into Leat's own table";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.RAW_JDBC, Peer.DB_SCHEDULER, Peer.JOBRUNR, Peer.GRAPHILE_WORKER, Peer.PG_BOSS, Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(Requirement.times(4, SIXTY_FOUR, Peer.LEAT, Peer.RAW_JDBC));
    }

    @Override
    public void run(Turn turn) throws Exception {
        ContenderProcess contender = turn.open();
        int millis = turn.size(5_000, 2_000, 1_000);
        turn.record(ONE, contender.number("put-for " + millis + " 1 1"));
        turn.record(FOUR, contender.number("put-for " + millis + " 4 1"));
        turn.record(SIXTY_FOUR, contender.number("put-for " + millis + " 64 1"));
        turn.record(BATCHES, contender.number("put-for " + millis + " 1 1000"));
    }
}
