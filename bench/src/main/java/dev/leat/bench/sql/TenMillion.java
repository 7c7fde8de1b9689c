package dev.leat.bench.sql;

import java.util.List;

/**
 * What the hot statements touch in a table of ten million tasks. Where one of them read more than its range of an index, it
 * would be thousands of times as much as in an empty table; a higher index is a third more at most.
 */
final class TenMillion implements Workload {
    private static final double MOST = 1.5;
    private static final Measure EMPTY_PUT = Measure.buffers("put of 100, nothing else there");
    private static final Measure EMPTY_TAKE = Measure.buffers("take of 100, nothing else there");
    private static final Measure EMPTY_ACK = Measure.buffers("ack of 100, nothing else there");
    private static final Measure FULL_PUT = Measure.buffers("put of 100, beside ten million");
    private static final Measure FULL_TAKE = Measure.buffers("take of 100, beside ten million");
    private static final Measure FULL_ACK = Measure.buffers("ack of 100, beside ten million");

    @Override
    public String name() {
        return "ten-million";
    }

    @Override
    public String title() {
        return "buffers of the hot statements beside 5 million tasks due tomorrow and 5 million of lower priority";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(
                Requirement.times(Requirement.Limit.AT_MOST, MOST, FULL_PUT, EMPTY_PUT),
                Requirement.times(Requirement.Limit.AT_MOST, MOST, FULL_TAKE, EMPTY_TAKE),
                Requirement.times(Requirement.Limit.AT_MOST, MOST, FULL_ACK, EMPTY_ACK));
    }

    @Override
    public void run(Turn turn) throws Exception {
        Side empty = new Side(turn.open(), turn.database());
        Database fullDatabase = turn.anotherDatabase();
        Side full = new Side(turn.anotherProcess(), fullDatabase);
        full.contender().open(full.database());
        int half = turn.size(5_000_000, 100_000, 5_000);
        full.contender().ask("put-future " + half);
        full.contender().ask("put-low " + half);
        empty.database().analyze();
        full.database().analyze();

        Side.Buffers few = empty.buffersPerStep(turn.server());
        Side.Buffers many = full.buffersPerStep(turn.server());

        turn.record(EMPTY_PUT, few.put());
        turn.record(EMPTY_TAKE, few.take());
        turn.record(EMPTY_ACK, few.ack());
        turn.record(FULL_PUT, many.put());
        turn.record(FULL_TAKE, many.take());
        turn.record(FULL_ACK, many.ack());
    }
}
