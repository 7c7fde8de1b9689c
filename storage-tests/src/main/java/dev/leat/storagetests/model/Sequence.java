package dev.leat.storagetests.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Two queues and what is done to them, as the numbers that {@link RandomOperations} makes them of.
 *
 * @param queues the numbers of both queues' options
 * @param operations the numbers of each operation
 */
record Sequence(List<Integer> queues, List<List<Integer>> operations) {
    private static final int SHORTEST = 20;
    private static final int LONGEST = 60;

    /** The same sequence for the same seed. */
    static Sequence ofSeed(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Choices queues = Choices.random(random);
        RandomOperations.twoQueues(queues);
        List<List<Integer>> operations = IntStream.range(0, random.nextInt(SHORTEST, LONGEST + 1))
                .mapToObj(i -> {
                    Choices choices = Choices.random(random);
                    RandomOperations.operation(choices);
                    return choices.drawn();
                })
                .toList();
        return new Sequence(queues.drawn(), operations);
    }

    Trial.Script script() {
        return new Trial.Script(
                RandomOperations.twoQueues(Choices.of(queues)),
                operations.stream()
                        .map(numbers -> RandomOperations.operation(Choices.of(numbers)))
                        .toList());
    }

    Sequence without(int from, int count) {
        List<List<Integer>> fewer = new ArrayList<>(operations);
        fewer.subList(from, Math.min(from + count, fewer.size())).clear();
        return new Sequence(queues, List.copyOf(fewer));
    }

    Sequence withQueues(List<Integer> numbers) {
        return new Sequence(numbers, operations);
    }

    Sequence withOperation(int at, List<Integer> numbers) {
        List<List<Integer>> changed = new ArrayList<>(operations);
        changed.set(at, numbers);
        return new Sequence(queues, List.copyOf(changed));
    }
}
