package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.sql.Connection;
import java.util.List;

/** W6: steady load while another session holds a snapshot, so that no dead row can be cleaned away. */
final class PinnedSnapshot implements Workload {
    private static final Measure UNPINNED = Measure.rate("put and work at once, nothing pinned");
    private static final Measure FIRST = Measure.rate("first 10 s under a pinned snapshot");
    private static final Measure LAST = Measure.rate("last 10 s under a pinned snapshot");

    private static final int WINDOW = 20_000;

    @Override
    public String name() {
        return "W6";
    }

    @Override
    public String title() {
        return "60 seconds of put and work at once while another session holds a REPEATABLE READ snapshot";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.DB_SCHEDULER, Peer.GRAPHILE_WORKER, Peer.PG_BOSS, Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(
                Requirement.times(Requirement.Limit.AT_LEAST, 0.7, LAST, UNPINNED),
                Requirement.times(3, LAST, Peer.LEAT, Peer.GRAPHILE_WORKER));
    }

    @Override
    public void run(Turn turn) throws Exception {
        int millis = turn.size(60_000, 15_000, 2_000);
        int unpinnedMillis = turn.size(15_000, 5_000, 1_000);
        int window = turn.size(WINDOW, WINDOW, WINDOW / 10);
        double edge = turn.size(10_000, 5_000, 1_000) / 1e3;
        ContenderProcess contender = turn.open();
        contender.work(Mode.RATE, 0);
        contender.sustain(turn.size(2_000, 1_000, 500), window);
        turn.record(UNPINNED, contender.sustain(unpinnedMillis, window).tasksPerSecond());
        try (Connection pinned = turn.database().pinSnapshot()) {
            Sustained sustained = contender.sustain(millis, window);
            turn.record(FIRST, sustained.tasksPerSecond(0, edge));
            turn.record(LAST, sustained.tasksPerSecond(millis / 1e3 - edge, millis / 1e3));
            pinned.rollback();
        }
        contender.stopWork();
    }
}
