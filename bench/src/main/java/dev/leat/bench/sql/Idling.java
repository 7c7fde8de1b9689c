package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What a worker asks of the database while there is nothing to do. */
final class Idling implements Workload {
    private static final Measure STATEMENTS =
            new Measure("statements of an idle worker", Measure.Unit.STATEMENTS_PER_SECOND);
    private static final Duration SETTLE = Duration.ofSeconds(3);

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String title() {
        return "the load of one idle worker process, by pg_stat_statements";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.DB_SCHEDULER, Peer.JOBRUNR, Peer.GRAPHILE_WORKER, Peer.PG_BOSS, Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(Requirement.figure(Requirement.Limit.AT_MOST, 2, STATEMENTS));
    }

    @Override
    public void run(Turn turn) throws Exception {
        int seconds = turn.size(20, 10, 2);
        ContenderProcess contender = turn.open();
        contender.work(Mode.RATE, 0);
        LockSupport.parkNanos(SETTLE.toNanos());
        turn.server().forgetStatements();
        LockSupport.parkNanos(Duration.ofSeconds(seconds).toNanos());
        turn.record(STATEMENTS, (double) turn.database().statements() / seconds);
        contender.stopWork();
    }
}
