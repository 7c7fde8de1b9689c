package dev.leat.bench.sql;

import java.io.IOException;
import java.util.List;

/**
 * W5 and W7: drains again and again in an empty database and in one with tasks that have to wait, by turns, so that both
 * see the same machine.
 */
final class DrainingBesideBacklog implements Workload {
    private static final Measure EMPTY_RATE = Measure.rate("drain, nothing else there");
    private static final Measure FULL_RATE = Measure.rate("drain, beside the backlog");
    private static final Measure EMPTY_BUFFERS = Measure.buffers("take of 100, nothing else there");
    private static final Measure FULL_BUFFERS = Measure.buffers("take of 100, beside the backlog");
    private static final int AT_LEAST_TASKS = 500_000;

    private final String name;
    private final String title;
    private final int drain;
    private final Backlog backlog;

    /** Puts what has to wait. */
    private interface Backlog {
        void put(ContenderProcess contender, Turn turn) throws IOException;
    }

    private DrainingBesideBacklog(String name, String title, int drain, Backlog backlog) {
        this.name = name;
        this.title = title;
        this.drain = drain;
        this.backlog = backlog;
    }

    static Workload future() {
        return new DrainingBesideBacklog(
                "W5-future",
                "drains of 20,000 tasks beside 2 million due tomorrow",
                20_000,
                (contender, turn) -> contender.ask("put-future " + turn.size(2_000_000, 200_000, 10_000)));
    }

    static Workload lessImportant() {
        return new DrainingBesideBacklog(
                "W5-low",
                "drains of 20,000 tasks beside 2 million of lower priority",
                20_000,
                (contender, turn) -> contender.ask("put-low " + turn.size(2_000_000, 200_000, 10_000)));
    }

    static Workload busyKeys() {
        return new DrainingBesideBacklog(
                "W7",
                "drains of 50,000 tasks without a key beside 100,000 behind two busy keys",
                50_000,
                (contender, turn) -> {
                    contender.ask("put-keyed " + turn.size(100_000, 20_000, 2_000) + " 2");
                    contender.ask("keep 2");
                });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(
                Requirement.times(Requirement.Limit.AT_MOST, 1.1, FULL_BUFFERS, EMPTY_BUFFERS),
                Requirement.times(Requirement.Limit.AT_LEAST, 0.9, FULL_RATE, EMPTY_RATE));
    }

    @Override
    public void run(Turn turn) throws Exception {
        Database emptyDatabase = turn.database();
        ContenderProcess empty = turn.open();
        Database fullDatabase = turn.anotherDatabase();
        ContenderProcess full = turn.anotherProcess();
        full.open(fullDatabase);
        backlog.put(full, turn);

        Side emptySide = new Side(empty, emptyDatabase);
        Side fullSide = new Side(full, fullDatabase);
        // The first drain of each meets a new database, and busy keys: it sets aside what is behind them.
        emptySide.drain(drain);
        fullSide.drain(drain);
        emptyDatabase.analyze();
        fullDatabase.analyze();

        int drains = turn.size(AT_LEAST_TASKS / drain, 2, 1);
        double emptySeconds = 0;
        double fullSeconds = 0;
        for (int i = 0; i < drains; i++) {
            emptySeconds += emptySide.drain(drain);
            fullSeconds += fullSide.drain(drain);
        }
        // Now that both have seen as many tasks, so that the one has indexes as high as the other.
        turn.record(EMPTY_BUFFERS, emptySide.buffersPerStep(turn.server()).take());
        turn.record(FULL_BUFFERS, fullSide.buffersPerStep(turn.server()).take());
        turn.record(EMPTY_RATE, drains * drain / emptySeconds);
        turn.record(FULL_RATE, drains * drain / fullSeconds);
    }
}
