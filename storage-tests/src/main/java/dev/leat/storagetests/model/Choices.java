package dev.leat.storagetests.model;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/**
 * The numbers that a random value is made of, drawn one after the other and written down.
 *
 * <p>The same numbers make the same value again, and smaller numbers make a plainer one: {@link Shrinking} works on the
 * numbers and knows nothing of the values.
 */
final class Choices {
    private final IntUnaryOperator source;
    private final List<Integer> drawn = new ArrayList<>();

    private Choices(IntUnaryOperator source) {
        this.source = source;
    }

    static Choices random(SplittableRandom random) {
        return new Choices(random::nextInt);
    }

    /** Draws these numbers again. A number that has become too large is cut to its bound, a missing one is 0. */
    static Choices of(List<Integer> numbers) {
        Iterator<Integer> rest = numbers.iterator();
        return new Choices(bound -> rest.hasNext() ? Math.min(rest.next(), bound - 1) : 0);
    }

    List<Integer> drawn() {
        return List.copyOf(drawn);
    }

    /** A number from 0 to {@code bound - 1}, each as likely. */
    int number(int bound) {
        int number = source.applyAsInt(bound);
        drawn.add(number);
        return number;
    }

    /** 0 in five of six draws, else a number from 1 to {@code bound - 1}. */
    int seldom(int bound) {
        return number(6) < 5 ? 0 : 1 + number(bound - 1);
    }

    <T> T among(List<T> values) {
        return values.get(number(values.size()));
    }

    <E extends Enum<E>> E among(Class<E> type) {
        return among(List.copyOf(EnumSet.allOf(type)));
    }
}
