package dev.leat.storagetests.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Makes a failing sequence short and plain: leaves out operations, makes numbers smaller and leaves out parts of
 * operations, as long as the sequence still fails.
 */
final class Shrinking {
    private final Predicate<Sequence> fails;
    private int triesLeft;
    private Sequence smallest;

    private Shrinking(Sequence failing, Predicate<Sequence> fails, int mostTries) {
        this.smallest = failing;
        this.fails = fails;
        this.triesLeft = mostTries;
    }

    /** The smallest failing sequence that was found within so many tries. */
    static Sequence of(Sequence failing, Predicate<Sequence> fails, int mostTries) {
        Shrinking shrinking = new Shrinking(failing, fails, mostTries);
        Sequence before;
        do {
            before = shrinking.smallest;
            shrinking.leaveOutOperations();
            shrinking.makeNumbersSmaller();
            shrinking.leaveOutNumbers();
        } while (!shrinking.smallest.equals(before));
        return shrinking.smallest;
    }

    /** Many at once first: most operations of a failing sequence have nothing to do with the failure. */
    private void leaveOutOperations() {
        for (int count = smallest.operations().size(); count > 0; count /= 2) {
            int from = 0;
            while (from < smallest.operations().size()) {
                if (!isAdopted(smallest.without(from, count))) {
                    from += count;
                }
            }
        }
    }

    private void makeNumbersSmaller() {
        for (int i = 0; i < smallest.queues().size(); i++) {
            int at = i;
            makeSmaller(smallest.queues().get(at), n -> smallest.withQueues(replaced(smallest.queues(), at, n)));
        }
        for (int i = 0; i < smallest.operations().size(); i++) {
            for (int k = 0; k < smallest.operations().get(i).size(); k++) {
                int operation = i;
                int at = k;
                makeSmaller(
                        smallest.operations().get(i).get(k),
                        n -> smallest.withOperation(
                                operation, replaced(smallest.operations().get(operation), at, n)));
            }
        }
    }

    /** Leaves out parts of operations, such as one of the tasks of a put. */
    private void leaveOutNumbers() {
        for (int i = 0; i < smallest.operations().size(); i++) {
            for (int count = smallest.operations().get(i).size() - 1; count > 0; count--) {
                for (int from = 0; from + count <= smallest.operations().get(i).size(); from++) {
                    List<Integer> fewer = new ArrayList<>(smallest.operations().get(i));
                    fewer.subList(from, from + count).clear();
                    isAdopted(smallest.withOperation(i, List.copyOf(fewer)));
                }
            }
        }
    }

    /** Adopts the first smaller number that still fails; the next round tries even smaller ones. */
    private void makeSmaller(int number, IntFunction<Sequence> withInstead) {
        for (int smaller : IntStream.of(0, number / 2, number - 1).distinct().toArray()) {
            if (smaller >= 0 && smaller < number && isAdopted(withInstead.apply(smaller))) {
                return;
            }
        }
    }

    private boolean isAdopted(Sequence candidate) {
        if (triesLeft == 0) {
            return false;
        }
        triesLeft--;
        if (!fails.test(candidate)) {
            return false;
        }
        smallest = candidate;
        return true;
    }

    private static List<Integer> replaced(List<Integer> numbers, int at, int number) {
        List<Integer> changed = new ArrayList<>(numbers);
        changed.set(at, number);
        return List.copyOf(changed);
    }
}
