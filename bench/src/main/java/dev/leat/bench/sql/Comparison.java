package dev.leat.bench.sql;

import dev.leat.bench.Median;
import java.util.Collections;
import java.util.List;

/**
 * One measure of Leat beside the same measure of another commit's Leat: rates and sizes by the ratio of each round, times
 * side by side, because the spread of the other commit's times says whether a difference is more than noise.
 *
 * @param results have values of both
 */
record Comparison(Measure measure, Results results, Peer other) {

    /** All measures that have values of both. */
    static List<Comparison> of(Results results, Peer other) {
        return results.values().entrySet().stream()
                .filter(entry -> entry.getValue().keySet().containsAll(List.of(Peer.LEAT, other)))
                .map(entry -> new Comparison(entry.getKey(), results, other))
                .toList();
    }

    String what() {
        return measure.name() + ", Leat " + (isOfTimes() ? "beside " : ": ") + other.title();
    }

    /** The median of Leat's times, or of the ratios. */
    double value() {
        return median(isOfTimes() ? results.rounds(measure, Peer.LEAT) : ratios());
    }

    /** The least of the other commit's times, or of the ratios. */
    double least() {
        return Collections.min(spread());
    }

    /** The most of the other commit's times, or of the ratios. */
    double most() {
        return Collections.max(spread());
    }

    String valueText() {
        return unit().write(value());
    }

    String spreadText() {
        String spread = unit().write(least()) + " to " + unit().write(most());
        return isOfTimes() ? unit().write(median(results.rounds(measure, other))) + ", " + spread : spread;
    }

    private boolean isOfTimes() {
        return measure.unit().isTime();
    }

    private Measure.Unit unit() {
        return isOfTimes() ? measure.unit() : Measure.Unit.TIMES;
    }

    private List<Double> spread() {
        return isOfTimes() ? results.rounds(measure, other) : ratios();
    }

    private List<Double> ratios() {
        return results.ratios(measure, Peer.LEAT, measure, other);
    }

    private static double median(List<Double> values) {
        return Median.of(values).orElseThrow();
    }
}
