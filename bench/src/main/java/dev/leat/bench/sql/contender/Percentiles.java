package dev.leat.bench.sql.contender;

/** Reads percentiles off sorted times. */
final class Percentiles {
    private Percentiles() {}

    /** The smallest time that {@code percent} of all times do not exceed. */
    static long of(long[] sorted, double percent) {
        if (sorted.length == 0) {
            throw new IllegalStateException("No task was handled, so there are no percentiles.");
        }
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.max(rank, 1) - 1];
    }
}
