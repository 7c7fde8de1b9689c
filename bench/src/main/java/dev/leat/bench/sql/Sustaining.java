package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.util.List;

/** W3: puts and works at once, first as fast as it goes, then at a steady thousand per second. */
final class Sustaining implements Workload {
    private static final Measure RATE = Measure.rate("put and work at once");
    private static final Measure WAL = Measure.wal("WAL of put and work");
    private static final List<Measure> WAITED = List.of(
            Measure.milliseconds("put to start at 1,000 tasks/s, p50"),
            Measure.milliseconds("put to start at 1,000 tasks/s, p95"),
            Measure.milliseconds("put to start at 1,000 tasks/s, p99"));

    private static final int BEAT_MILLIS = 10;
    private static final int TASKS_PER_BEAT = 10;

    @Override
    public String name() {
        return "W3";
    }

    @Override
    public String title() {
        return "put by 1,000 and work at once in one process, at most 20,000 ahead";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.DB_SCHEDULER, Peer.JOBRUNR, Peer.GRAPHILE_WORKER, Peer.PG_BOSS, Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(
                Requirement.times(5, RATE, Peer.LEAT, Peer.DB_SCHEDULER),
                Requirement.times(1.3, RATE, Peer.LEAT, Peer.GRAPHILE_WORKER),
                Requirement.figure(Requirement.Limit.AT_MOST, 900, WAL));
    }

    @Override
    public void run(Turn turn) throws Exception {
        ContenderProcess contender = turn.open();
        int window = turn.size(20_000, 20_000, 2_000);
        contender.work(Mode.RATE, 0);
        contender.sustain(turn.size(2_000, 1_000, 500), window);
        long wal = turn.server().walBytes();
        Sustained sustained = contender.sustain(turn.size(10_000, 4_000, 1_000), window);
        long walAfter = turn.server().walBytes();
        contender.stopWork();
        turn.record(RATE, sustained.tasksPerSecond());
        turn.record(WAL, (double) (walAfter - wal) / sustained.tasks());

        int millis = turn.size(5_000, 3_000, 1_000);
        contender.work(Mode.LATENCY, millis / BEAT_MILLIS * TASKS_PER_BEAT);
        contender.ask("pace " + millis + " " + BEAT_MILLIS + " " + TASKS_PER_BEAT);
        long[] waited = contender.numbers("waited");
        contender.stopWork();
        for (int i = 0; i < WAITED.size(); i++) {
            turn.record(WAITED.get(i), waited[i] / 1e6);
        }
    }
}
