package dev.leat.testkit.contract.model;

import dev.leat.Backoff;
import dev.leat.Exhaustion;
import dev.leat.GroupSpec;
import dev.leat.QueueOptions;
import dev.leat.QueueOptions.PlaceBy;
import dev.leat.QueueOptions.TtrDefault;
import dev.leat.QueueOptions.TypeFilter;
import dev.leat.Retention;
import dev.leat.RetryPolicy;
import dev.leat.TakeOrder;
import dev.leat.testkit.StorageFixture;
import dev.leat.testkit.contract.model.Operation.Attend;
import dev.leat.testkit.contract.model.Operation.CancelGroup;
import dev.leat.testkit.contract.model.Operation.CreateGroup;
import dev.leat.testkit.contract.model.Operation.Draft;
import dev.leat.testkit.contract.model.Operation.Ending;
import dev.leat.testkit.contract.model.Operation.Govern;
import dev.leat.testkit.contract.model.Operation.Kick;
import dev.leat.testkit.contract.model.Operation.OpenSession;
import dev.leat.testkit.contract.model.Operation.Operate;
import dev.leat.testkit.contract.model.Operation.Pass;
import dev.leat.testkit.contract.model.Operation.Put;
import dev.leat.testkit.contract.model.Operation.SettleSome;
import dev.leat.testkit.contract.model.Operation.StartGroup;
import dev.leat.testkit.contract.model.Operation.Take;
import dev.leat.testkit.contract.model.Operation.TouchOne;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/**
 * Whatever is done to a storage, it does what {@link ReferenceModel} does.
 *
 * <p>How many sequences are tried is the storage's choice: {@code @PropertyDefaults(tries = 500)} on the class that
 * extends this one.
 */
public abstract class StorageModelContract {
    private static final int LONGEST = 60;
    /** Always the same sequences, so that a change is what makes a difference; leave it out to look for new ones. */
    private static final String SEED = "20261116";

    /** A fresh fixture for each sequence. */
    protected abstract StorageFixture newFixture();

    @Property(seed = SEED, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.FULL)
    void aStorageDoesWhatTheModelDoes(
            @ForAll("twoQueues") List<QueueOptions> queues, @ForAll("sequences") List<Operation> operations) {
        try (Trial trial = new Trial(newFixture(), queues)) {
            trial.run(operations);
        }
    }

    @Property(seed = SEED, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.FULL)
    void whateverHappenedEverythingPutComesToAnEnd(
            @ForAll("twoQueues") List<QueueOptions> queues, @ForAll("sequences") List<Operation> operations) {
        try (Trial trial = new Trial(newFixture(), queues)) {
            trial.run(operations);
            trial.drain();
        }
    }

    // What is tried: few queues, keys, addresses and sessions, so that tasks meet; few filters and delays, so that
    // takes get something. Nearly three of five operations change something.

    @Provide
    Arbitrary<List<QueueOptions>> twoQueues() {
        return all(List.of(
                        number(2), seldom(3), seldom(2), seldom(2), seldom(2), number(3), number(3), seldom(2),
                        number(3), seldom(2), number(4), seldom(2), seldom(2), seldom(2)))
                .map(StorageModelContract::options)
                .list()
                .ofSize(2);
    }

    /** Finished tasks are kept for longer than any sequence lasts. */
    private static QueueOptions options(List<Integer> n) {
        Duration step = Operation.seconds(n.get(8));
        QueueOptions.Builder options = QueueOptions.builder()
                .retention(Retention.all(Duration.ofDays(30)))
                .priority(n.get(0))
                .ttrDefault(nth(TtrDefault.class, n.get(3)))
                .capacity(n.get(4) * 5)
                .retry(new RetryPolicy(
                        3 - n.get(5),
                        3 - n.get(6),
                        nth(RetryPolicy.Charge.class, n.get(7)),
                        n.get(5) == 0 ? Backoff.linear(step) : Backoff.fixed(step),
                        nth(RetryPolicy.Anchor.class, n.get(9))))
                .exhaustion(nth(Exhaustion.class, n.get(10)))
                .placeBy(nth(PlaceBy.class, n.get(11)))
                .typeFilter(nth(TypeFilter.class, 1 - n.get(12)));
        if (n.get(1) > 0) {
            options.ttl(Operation.seconds(n.get(1) + 1));
        }
        if (n.get(2) > 0) {
            options.ttr(Operation.seconds(2));
        }
        return n.get(13) == 0 ? options.takeOrder(TakeOrder.newest()).build() : options.build();
    }

    /** Optional operations, so that shrinking can leave out each one by itself. */
    @Provide
    Arbitrary<List<Operation>> sequences() {
        return operation()
                .optional(0.99)
                .list()
                .ofMinSize(LONGEST / 3)
                .ofMaxSize(LONGEST)
                .withSizeDistribution(RandomDistribution.uniform())
                .map(all -> all.stream().flatMap(Optional::stream).toList());
    }

    private static Arbitrary<Operation> operation() {
        return Arbitraries.frequencyOf(
                Tuple.of(20, puts()),
                Tuple.of(24, takes()),
                Tuple.of(20, settles()),
                Tuple.of(2, all(List.of(number(8), number(3))).map(n -> new TouchOne(n.get(0), n.get(1)))),
                Tuple.of(3, all(List.of(number(2), number(3))).map(n -> new Kick(n.get(0), n.get(1)))),
                Tuple.of(8, operates()),
                Tuple.of(3, governs()),
                Tuple.of(3, createGroups()),
                Tuple.of(3, seldom(3).map(StartGroup::new)),
                Tuple.of(2, seldom(3).map(CancelGroup::new)),
                Tuple.of(4, number(2).map(OpenSession::new)),
                Tuple.of(
                        3,
                        Combinators.combine(anyOf(Attend.Sign.class), number(3)).as(Attend::new)),
                Tuple.of(10, passes()));
    }

    private static Arbitrary<Operation> puts() {
        Arbitrary<Integer> key = Arbitraries.of(0, 0, 1, 1, 2);
        Arbitrary<Integer> group = Arbitraries.of(0, 0, 1, 1, 1, 2);
        return all(List.of(number(2), number(4), seldom(4), seldom(4), seldom(4), key, seldom(3), group, number(3)))
                .map(n -> new Draft(
                        n.get(0), n.get(1), n.get(2), n.get(3), n.get(4), n.get(5), n.get(6), n.get(7), n.get(8)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(Put::new);
    }

    private static Arbitrary<Operation> takes() {
        return all(List.of(number(2), number(4), number(4), seldom(2), seldom(4), seldom(4), seldom(4)))
                .map(n -> new Take(n.get(0), n.get(1), n.get(2), n.get(3), n.get(4), n.get(5), n.get(6)));
    }

    private static Arbitrary<Operation> settles() {
        return Combinators.combine(number(8), anyOf(Ending.How.class), seldom(3))
                .as(Ending::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(SettleSome::new);
    }

    private static Arbitrary<Operation> operates() {
        Arbitrary<Operate.Among> among = Arbitraries.of(
                Operate.Among.LIVE,
                Operate.Among.READY,
                Operate.Among.TAKEN,
                Operate.Among.TAKEN,
                Operate.Among.BURIED,
                Operate.Among.ALL);
        return Combinators.combine(anyOf(Operate.Deed.class), among, number(4)).as(Operate::new);
    }

    private static Arbitrary<Operation> governs() {
        Arbitrary<Govern.Decree> verb = Arbitraries.frequency(
                Tuple.of(4, Govern.Decree.RESUME),
                Tuple.of(1, Govern.Decree.PAUSE),
                Tuple.of(3, Govern.Decree.RELEASE_ALL),
                Tuple.of(1, Govern.Decree.TRUNCATE));
        return Combinators.combine(verb, number(2)).as(Govern::new);
    }

    private static Arbitrary<Operation> createGroups() {
        return Combinators.combine(number(2), anyOf(GroupSpec.OnFailure.class), number(3))
                .as(CreateGroup::new);
    }

    private static Arbitrary<Operation> passes() {
        Arbitrary<Integer> step = Arbitraries.of(0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3);
        return Combinators.combine(step, Arbitraries.of(false, false, true)).as(Pass::new);
    }

    private static <E extends Enum<E>> E nth(Class<E> type, int n) {
        return List.copyOf(EnumSet.allOf(type)).get(n);
    }

    private static <E extends Enum<E>> Arbitrary<E> anyOf(Class<E> type) {
        return Arbitraries.of(type);
    }

    /** A number from 0 to {@code bound - 1}, each as likely. */
    private static Arbitrary<Integer> number(int bound) {
        return Arbitraries.integers().between(0, bound - 1).withDistribution(RandomDistribution.uniform());
    }

    /** 0 most of the time, else up to {@code bound - 1}. */
    private static Arbitrary<Integer> seldom(int bound) {
        return Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.just(0)), Tuple.of(1, number(bound - 1).map(n -> n + 1)));
    }

    private static Arbitrary<List<Integer>> all(List<Arbitrary<Integer>> numbers) {
        return Combinators.combine(numbers).as(all -> all);
    }
}
