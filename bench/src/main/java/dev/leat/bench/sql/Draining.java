package dev.leat.bench.sql;

import java.util.List;

/** W2: works off what is there. */
final class Draining implements Workload {
    private static final Measure RATE = Measure.rate("drain");
    private static final Measure WAL = Measure.wal("WAL of the drain");

    @Override
    public String name() {
        return "W2";
    }

    @Override
    public String title() {
        return "drain of 100,000 tasks with an empty handler, until the last is settled";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(
                Peer.DB_SCHEDULER,
                Peer.JOBRUNR,
                Peer.GRAPHILE_WORKER,
                Peer.PG_BOSS,
                Peer.LEAT,
                Peer.LEAT_KEEPING,
                Peer.LEAT_KEEPING_PAYLOADS);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(
                Requirement.times(7, RATE, Peer.LEAT, Peer.DB_SCHEDULER),
                Requirement.times(1.5, RATE, Peer.LEAT, Peer.GRAPHILE_WORKER),
                Requirement.times(15, RATE, Peer.LEAT_KEEPING, Peer.JOBRUNR));
    }

    @Override
    public void run(Turn turn) throws Exception {
        int tasks = turn.size(100_000, 20_000, 20_000);
        ContenderProcess contender = turn.open();
        contender.fill(tasks);
        turn.database().analyze();
        long wal = turn.server().walBytes();
        turn.record(RATE, contender.drain(tasks));
        turn.record(WAL, (double) (turn.server().walBytes() - wal) / tasks);
    }
}
