package dev.leat.storagetests.model;

import dev.leat.GroupSpec;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueOptions.PlaceBy;
import dev.leat.queue.QueueOptions.TtrDefault;
import dev.leat.queue.QueueOptions.TypeFilter;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.queue.TakeOrder;
import dev.leat.storagetests.model.Operation.Attend;
import dev.leat.storagetests.model.Operation.CancelGroup;
import dev.leat.storagetests.model.Operation.CreateGroup;
import dev.leat.storagetests.model.Operation.Draft;
import dev.leat.storagetests.model.Operation.Ending;
import dev.leat.storagetests.model.Operation.Govern;
import dev.leat.storagetests.model.Operation.Kick;
import dev.leat.storagetests.model.Operation.OpenSession;
import dev.leat.storagetests.model.Operation.Operate;
import dev.leat.storagetests.model.Operation.Pass;
import dev.leat.storagetests.model.Operation.Put;
import dev.leat.storagetests.model.Operation.SettleSome;
import dev.leat.storagetests.model.Operation.StartGroup;
import dev.leat.storagetests.model.Operation.Take;
import dev.leat.storagetests.model.Operation.TouchOne;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What the model test tries: few queues, keys, addresses and sessions, so that tasks meet; few filters and delays, so that
 * takes get something. Nearly three of five operations change something.
 */
final class RandomOperations {
    private static final List<Operate.Among> AMONG = List.of(
            Operate.Among.LIVE,
            Operate.Among.READY,
            Operate.Among.TAKEN,
            Operate.Among.TAKEN,
            Operate.Among.BURIED,
            Operate.Among.ALL);
    private static final List<Govern.Decree> DECREES = Stream.of(
                    Collections.nCopies(4, Govern.Decree.RESUME),
                    List.of(Govern.Decree.PAUSE),
                    Collections.nCopies(3, Govern.Decree.RELEASE_ALL),
                    List.of(Govern.Decree.TRUNCATE))
            .flatMap(List::stream)
            .toList();
    private static final List<Integer> STEPS = List.of(0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3);
    private static final List<Integer> KEYS = List.of(0, 0, 1, 1, 2);
    private static final List<Integer> GROUPS = List.of(0, 0, 1, 1, 1, 2);

    /** Each kind of operation as often as its weight says. The first is the one that shrinking ends at. */
    private static final List<Function<Choices, Operation>> KINDS = Stream.of(
                    weighted(20, RandomOperations::put),
                    weighted(24, RandomOperations::take),
                    weighted(20, RandomOperations::settle),
                    weighted(2, c -> new TouchOne(c.number(8), c.number(3))),
                    weighted(3, c -> new Kick(c.number(2), c.number(3))),
                    weighted(8, c -> new Operate(c.among(Operate.Deed.class), c.among(AMONG), c.number(4))),
                    weighted(3, c -> new Govern(c.among(DECREES), c.number(2))),
                    weighted(3, c -> new CreateGroup(c.number(2), c.among(GroupSpec.OnFailure.class), c.number(3))),
                    weighted(3, c -> new StartGroup(c.seldom(3))),
                    weighted(2, c -> new CancelGroup(c.seldom(3))),
                    weighted(4, c -> new OpenSession(c.number(2))),
                    weighted(3, c -> new Attend(c.among(Attend.Sign.class), c.number(3))),
                    weighted(10, c -> new Pass(c.among(STEPS), c.number(3) == 2)))
            .flatMap(List::stream)
            .toList();

    private RandomOperations() {}

    private static List<Function<Choices, Operation>> weighted(int weight, Function<Choices, Operation> kind) {
        return Collections.nCopies(weight, kind);
    }

    static Operation operation(Choices choices) {
        return choices.among(KINDS).apply(choices);
    }

    static List<QueueOptions> twoQueues(Choices choices) {
        return List.of(options(choices), options(choices));
    }

    /** Finished tasks are kept for longer than any sequence lasts. */
    private static QueueOptions options(Choices c) {
        int failures = c.number(3);
        Duration step = Operation.seconds(c.number(3));
        QueueOptions.Builder options = QueueOptions.builder()
                .retention(Retention.all(Duration.ofDays(30)))
                .priority(c.number(2))
                .ttrDefault(seldomOther(c, TtrDefault.values()))
                .capacity(c.seldom(2) * 5)
                .retry(new RetryPolicy(
                        3 - failures,
                        3 - c.number(3),
                        seldomOther(c, RetryPolicy.Charge.values()),
                        failures == 0 ? Backoff.linear(step) : Backoff.fixed(step),
                        seldomOther(c, RetryPolicy.Anchor.values())))
                .exhaustion(c.among(Exhaustion.class))
                .placeBy(seldomOther(c, PlaceBy.values()))
                .typeFilter(c.seldom(2) == 0 ? TypeFilter.values()[1] : TypeFilter.values()[0]);
        int ttl = c.seldom(3);
        if (ttl > 0) {
            options.ttl(Operation.seconds(ttl + 1));
        }
        if (c.seldom(2) > 0) {
            options.ttr(Operation.seconds(2));
        }
        return c.seldom(2) == 0 ? options.takeOrder(TakeOrder.newest()).build() : options.build();
    }

    private static <T> T seldomOther(Choices c, T[] values) {
        return values[c.seldom(2)];
    }

    private static Operation put(Choices c) {
        return new Put(some(c, RandomOperations::draft));
    }

    private static Draft draft(Choices c) {
        return new Draft(
                c.number(2),
                c.number(4),
                c.seldom(4),
                c.seldom(4),
                c.seldom(4),
                c.among(KEYS),
                c.seldom(3),
                c.among(GROUPS),
                c.number(3));
    }

    private static Operation take(Choices c) {
        return new Take(c.number(2), c.number(4), c.number(4), c.seldom(2), c.seldom(4), c.seldom(4), c.seldom(4));
    }

    private static Operation settle(Choices c) {
        return new SettleSome(some(c, it -> new Ending(it.number(8), it.among(Ending.How.class), it.seldom(3))));
    }

    /** One to three of them, each followed by whether there are more: so shrinking can leave out each one. */
    private static <T> List<T> some(Choices c, Function<Choices, T> each) {
        List<T> some = new ArrayList<>();
        do {
            some.add(each.apply(c));
        } while (some.size() < 3 && c.number(4 - some.size()) > 0);
        return some;
    }
}
