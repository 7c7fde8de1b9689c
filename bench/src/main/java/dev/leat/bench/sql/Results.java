package dev.leat.bench.sql;

import dev.leat.bench.Median;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleBinaryOperator;

/** What came out of one workload: a value per measure, contender and round, or why there is none. */
final class Results {
    private final Map<Measure, Map<Peer, List<Double>>> values = new LinkedHashMap<>();
    private final Map<Peer, String> notRun = new LinkedHashMap<>();

    void add(Measure measure, Peer peer, double value) {
        values.computeIfAbsent(measure, any -> new LinkedHashMap<>())
                .computeIfAbsent(peer, any -> new ArrayList<>())
                .add(value);
    }

    /** Says why a contender has no figures, or fewer than it should. */
    void failed(Peer peer, String reason) {
        notRun.putIfAbsent(peer, reason);
    }

    boolean hasFailed(Peer peer) {
        return notRun.containsKey(peer);
    }

    Map<Peer, String> failures() {
        return notRun;
    }

    /** All values in the order in which they were first measured. */
    Map<Measure, Map<Peer, List<Double>>> values() {
        return values;
    }

    OptionalDouble median(Measure measure, Peer peer) {
        return Median.of(rounds(measure, peer));
    }

    /** The median of each round's own ratio, so that a slow minute of the machine hits both. */
    OptionalDouble ratio(Measure measure, Peer peer, Measure otherMeasure, Peer other) {
        return Median.of(ratios(measure, peer, otherMeasure, other));
    }

    /** Each round's own ratio. */
    List<Double> ratios(Measure measure, Peer peer, Measure otherMeasure, Peer other) {
        return byRound(rounds(measure, peer), rounds(otherMeasure, other), (a, b) -> a / b);
    }

    /** The values of all rounds, in their order. */
    List<Double> rounds(Measure measure, Peer peer) {
        return values.getOrDefault(measure, Map.of()).getOrDefault(peer, List.of());
    }

    private static List<Double> byRound(List<Double> some, List<Double> others, DoubleBinaryOperator both) {
        List<Double> combined = new ArrayList<>();
        for (int round = 0; round < Math.min(some.size(), others.size()); round++) {
            combined.add(both.applyAsDouble(some.get(round), others.get(round)));
        }
        return combined;
    }
}
