package dev.leat.bench.sql;

import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * What a workload's results have to reach.
 *
 * @param what the figure in words
 * @param unit how it is written
 * @param figure reads it off the results; empty when it was not measured
 */
record Requirement(
        String what, Measure.Unit unit, Function<Results, OptionalDouble> figure, Limit limit, double value) {

    /** On which side of the bar a figure has to be. */
    enum Limit {
        AT_LEAST("≥"),
        AT_MOST("≤"),
        BELOW("<");

        private final String sign;

        Limit(String sign) {
            this.sign = sign;
        }

        private boolean allows(double figure, double bar) {
            return switch (this) {
                case AT_LEAST -> figure >= bar;
                case AT_MOST -> figure <= bar;
                case BELOW -> figure < bar;
            };
        }
    }

    /** How a bar stands after a run. */
    enum Verdict {
        PASS,
        MISSED,
        /** A figure that it needs was not measured. */
        NOT_RUN
    }

    /** Leat, as a multiple of another contender. */
    static Requirement times(double least, Measure measure, Peer leat, Peer other) {
        return new Requirement(
                measure.name() + ", " + leat.title() + " : " + other.title(),
                Measure.Unit.TIMES,
                results -> results.ratio(measure, leat, measure, other),
                Limit.AT_LEAST,
                least);
    }

    /** One figure of Leat, as a multiple of another of its own. */
    static Requirement times(Limit limit, double bar, Measure measure, Measure other) {
        return new Requirement(
                "Leat, " + measure.name() + " : " + other.name(),
                Measure.Unit.TIMES,
                results -> results.ratio(measure, Peer.LEAT, other, Peer.LEAT),
                limit,
                bar);
    }

    /** One figure of Leat as it is. */
    static Requirement figure(Limit limit, double bar, Measure measure) {
        return new Requirement(
                "Leat, " + measure.name(), measure.unit(), results -> results.median(measure, Peer.LEAT), limit, bar);
    }

    Verdict verdict(Results results) {
        OptionalDouble measured = figure.apply(results);
        if (measured.isEmpty()) {
            return Verdict.NOT_RUN;
        }
        return limit.allows(measured.getAsDouble(), value) ? Verdict.PASS : Verdict.MISSED;
    }

    String text() {
        return limit.sign + " " + unit.write(value);
    }
}
