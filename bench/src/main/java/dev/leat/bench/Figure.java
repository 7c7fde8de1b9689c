package dev.leat.bench;

import java.util.Arrays;

/**
 * What came out for a case.
 *
 * @param seconds the median of all rounds
 * @param ratio how fast the case was in terms of its baseline, per task; the median of each round's own ratio
 */
record Figure(Case of, double seconds, double ratio) {

    /**
     * Compares round by round.
     *
     * @param nanos the time of each round
     * @param baselineNanos the time of its baseline in each round
     */
    static Figure of(Case of, long[] nanos, long[] baselineNanos) {
        double[] seconds = new double[nanos.length];
        double[] ratios = new double[nanos.length];
        for (int round = 0; round < nanos.length; round++) {
            seconds[round] = nanos[round] / 1e9;
            double perTask = (double) nanos[round] / of.tasks();
            ratios[round] = (double) baselineNanos[round] / of.baseline().tasks() / perTask;
        }
        return new Figure(of, median(seconds), median(ratios));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    double tasksPerSecond() {
        return of.tasks() / seconds;
    }

    /** PASS, FAIL, or nothing where there is no bar. */
    String verdict() {
        return of.bar().map(bar -> bar.met().test(this) ? "PASS" : "FAIL").orElse("");
    }

    boolean missesItsBar() {
        return verdict().equals("FAIL");
    }
}
