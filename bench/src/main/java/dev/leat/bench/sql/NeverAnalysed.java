package dev.leat.bench.sql;

import dev.leat.bench.sql.ContenderProcess.Mode;
import java.util.List;

/** W2 and W3 on tables of which the planner knows nothing, against the same on tables that it knows. */
final class NeverAnalysed implements Workload {
    private static final Measure DRAIN = Measure.rate("drain, analysed");
    private static final Measure DRAIN_NEVER = Measure.rate("drain, never analysed");
    private static final Measure SUSTAIN = Measure.rate("put and work at once, analysed");
    private static final Measure SUSTAIN_NEVER = Measure.rate("put and work at once, never analysed");
    private static final int WINDOW = 20_000;

    @Override
    public String name() {
        return "unanalysed";
    }

    @Override
    public String title() {
        return "W2 and W3 on never-analysed tables, autovacuum off";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(
                Requirement.times(Requirement.Limit.AT_LEAST, 0.7, DRAIN_NEVER, DRAIN),
                Requirement.times(Requirement.Limit.AT_LEAST, 0.7, SUSTAIN_NEVER, SUSTAIN));
    }

    @Override
    public void run(Turn turn) throws Exception {
        ContenderProcess contender = turn.contender();
        run(turn, contender, turn.database(), Statistics.FRESH);
        turn.server().autovacuum(false);
        try {
            run(turn, contender, turn.anotherDatabase(), Statistics.NONE);
        } finally {
            turn.server().autovacuum(true);
        }
    }

    private enum Statistics {
        FRESH,
        NONE
    }

    private static void run(Turn turn, ContenderProcess contender, Database database, Statistics statistics)
            throws Exception {
        boolean fresh = statistics == Statistics.FRESH;
        int tasks = turn.size(100_000, 20_000, 5_000);
        contender.open(database);
        contender.fill(tasks);
        if (fresh) {
            database.analyze();
        }
        turn.record(fresh ? DRAIN : DRAIN_NEVER, contender.drain(tasks));
        contender.work(Mode.RATE, 0);
        Sustained sustained = contender.sustain(turn.size(10_000, 4_000, 1_000), WINDOW);
        turn.record(fresh ? SUSTAIN : SUSTAIN_NEVER, sustained.tasksPerSecond());
        contender.closeContender();
    }
}
