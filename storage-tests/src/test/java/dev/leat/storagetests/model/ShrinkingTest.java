package dev.leat.storagetests.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.storagetests.model.Operation.Draft;
import dev.leat.storagetests.model.Operation.Kick;
import dev.leat.storagetests.model.Operation.Put;
import dev.leat.storagetests.model.Operation.Take;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ShrinkingTest {
    private static final int PLENTY = 10_000;

    @Test
    void onlyTheOperationsThatFailAreLeftAndTheyArePlain() {
        Sequence failing = firstThat(ShrinkingTest::kicksAfterAPutWithAKey);

        Sequence smallest = Shrinking.of(failing, ShrinkingTest::kicksAfterAPutWithAKey, PLENTY);

        assertThat(operations(smallest))
                .containsExactly(new Put(List.of(new Draft(0, 0, 0, 0, 0, 1, 0, 0, 0))), new Kick(0, 0));
        assertThat(smallest.queues()).containsOnly(0);
    }

    @Test
    void aNumberIsMadeAsSmallAsTheFailureAllows() {
        Sequence failing = firstThat(ShrinkingTest::takesAtLeastThree);

        Sequence smallest = Shrinking.of(failing, ShrinkingTest::takesAtLeastThree, PLENTY);

        assertThat(operations(smallest)).containsExactly(new Take(0, 2, 0, 0, 0, 0, 0));
    }

    @Test
    void aSequenceThatFailsNoMoreIsLeftAsItWas() {
        Sequence failing = Sequence.ofSeed(1);

        assertThat(Shrinking.of(failing, sequence -> false, PLENTY)).isEqualTo(failing);
    }

    @Test
    void shrinkingEndsAfterSoManyTries() {
        AtomicInteger tries = new AtomicInteger();

        Shrinking.of(Sequence.ofSeed(1), sequence -> tries.incrementAndGet() > 0, 7);

        assertThat(tries).hasValue(7);
    }

    @Test
    void aSeedAlwaysMakesTheSameSequence() {
        assertThat(Sequence.ofSeed(5)).isEqualTo(Sequence.ofSeed(5)).isNotEqualTo(Sequence.ofSeed(6));
    }

    @Test
    void everyKindOfOperationIsTried() {
        assertThat(LongStream.range(0, 20)
                        .mapToObj(Sequence::ofSeed)
                        .flatMap(sequence -> operations(sequence).stream())
                        .map(Object::getClass)
                        .distinct())
                .containsExactlyInAnyOrder(Operation.class.getPermittedSubclasses());
    }

    private static Sequence firstThat(Predicate<Sequence> fails) {
        return LongStream.range(0, 1_000)
                .mapToObj(Sequence::ofSeed)
                .filter(fails)
                .findFirst()
                .orElseThrow();
    }

    private static boolean kicksAfterAPutWithAKey(Sequence sequence) {
        List<Operation> operations = operations(sequence);
        int put = IntStream.range(0, operations.size())
                .filter(i ->
                        operations.get(i) instanceof Put p && p.tasks().stream().anyMatch(t -> t.key() == 1))
                .findFirst()
                .orElse(operations.size());
        return operations.stream().skip(put).anyMatch(Kick.class::isInstance);
    }

    private static boolean takesAtLeastThree(Sequence sequence) {
        return operations(sequence).stream().anyMatch(it -> it instanceof Take take && take.count() >= 2);
    }

    private static List<Operation> operations(Sequence sequence) {
        return sequence.script().operations();
    }
}
