package dev.leat.bench.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final Measure RATE = Measure.rate("drain");
    private static final Measure TIME = Measure.milliseconds("commit to start, p50");

    private final Peer other =
            Peer.leatOf(new OtherCommit("1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", "classes", "ContenderMain"));
    private final Results results = new Results();

    @Test
    void ratesAreComparedByTheMedianOfTheRatiosOfEachRound() {
        add(RATE, Peer.LEAT, 100, 50, 300);
        add(RATE, other, 100, 40, 200);

        Comparison comparison = onlyComparison();

        assertEquals("drain, Leat : leat@1a2b3c4", comparison.what());
        assertEquals("1.25 ×", comparison.valueText());
        assertEquals("1.00 × to 1.50 ×", comparison.spreadText());
    }

    @Test
    void timesAreSetSideBySideWithTheSpreadOfTheOtherCommit() {
        add(TIME, Peer.LEAT, 0.5, 0.7, 0.6);
        add(TIME, other, 0.9, 0.8, 0.4);

        Comparison comparison = onlyComparison();

        assertEquals("commit to start, p50, Leat beside leat@1a2b3c4", comparison.what());
        assertEquals("0.60 ms", comparison.valueText());
        assertEquals("0.80 ms, 0.40 ms to 0.90 ms", comparison.spreadText());
    }

    @Test
    void aMeasureThatOnlyOneHasIsNotCompared() {
        add(RATE, Peer.LEAT, 100);
        add(TIME, other, 0.5);

        assertEquals(List.of(), Comparison.of(results, other));
    }

    private Comparison onlyComparison() {
        List<Comparison> all = Comparison.of(results, other);
        assertEquals(1, all.size());
        return all.get(0);
    }

    private void add(Measure measure, Peer peer, double... values) {
        for (double value : values) {
            results.add(measure, peer, value);
        }
    }
}
