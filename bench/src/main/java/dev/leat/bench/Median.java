package dev.leat.bench;

import java.util.List;
import java.util.OptionalDouble;

/** The value in the middle, which one slow round does not move. */
public final class Median {
    private Median() {}

    /** Of an even number, the mean of the two in the middle; empty of none. */
    public static OptionalDouble of(List<Double> values) {
        if (values.isEmpty()) {
            return OptionalDouble.empty();
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return OptionalDouble.of(
                sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2);
    }
}
