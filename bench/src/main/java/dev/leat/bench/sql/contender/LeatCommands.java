package dev.leat.bench.sql.contender;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.When;
import dev.leat.bench.sql.contender.Command.Words;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The commands for what only Leat is measured in. Used by one thread. */
final class LeatCommands {
    private static final int BATCH = 1_000;
    private static final int LESS_IMPORTANT = 10;
    private static final Duration FAR_AWAY = Duration.ofDays(1);
    private static final Duration EMPTY_FOR = Duration.ofSeconds(2);

    private final LeatContender contender;
    private final List<TakenTask> held = new ArrayList<>();
    private final List<CompletableFuture<List<TakenTask>>> sleepers = new ArrayList<>();
    private final LongAdder takeCalls = new LongAdder();

    LeatCommands(LeatContender contender) {
        this.contender = contender;
    }

    Map<String, Command> all() {
        return Map.ofEntries(
                Map.entry("put-future", words -> put(words.number(0), (task, i) -> task.delay(FAR_AWAY))),
                Map.entry("put-low", words -> put(words.number(0), (task, i) -> task.priority(LESS_IMPORTANT))),
                Map.entry("put-keyed", this::putKeyed),
                Map.entry("put-due", this::putDue),
                Map.entry("take", this::take),
                Map.entry("keep", this::keep),
                Map.entry("ack", this::ack),
                Map.entry("take-and-ack", this::takeAndAck),
                Map.entry("open-counting", this::openCounting),
                Map.entry("sleep", this::sleep),
                Map.entry("awake", words -> awake()),
                Map.entry("take-calls", words -> String.valueOf(takeCalls.sum())));
    }

    private interface Shape {
        NewTask.Builder apply(NewTask.Builder task, int number);
    }

    private String put(int count, Shape shape) {
        for (int from = 0; from < count; from += BATCH) {
            List<NewTask> tasks = new ArrayList<>(BATCH);
            for (int i = from; i < Math.min(from + BATCH, count); i++) {
                NewTask.Builder task = NewTask.to(LeatContender.QUEUE).payload(Payloads.now());
                tasks.add(shape.apply(task, i).build());
            }
            contender.leat().putAll(tasks);
        }
        return "";
    }

    /** {@code put-keyed <tasks> <keys>}: spread evenly over the keys. */
    private String putKeyed(Words words) {
        int keys = words.number(1);
        return put(words.number(0), (task, i) -> task.key("key-" + i % keys));
    }

    /** {@code put-due <tasks> <millis from now>}: all due in the second after that moment, answered as a nanoTime. */
    private String putDue(Words words) {
        int count = words.number(0);
        Duration ahead = Duration.ofMillis(words.number(1));
        Instant first = contender.leat().storage().now().plus(ahead);
        long firstNanos = System.nanoTime() + ahead.toNanos();
        long step = TimeUnit.SECONDS.toNanos(1) / count;
        put(count, (task, i) -> task.due(When.at(first.plusNanos(step * i))));
        return String.valueOf(firstNanos);
    }

    /** {@code take <times> <size>}: takes and holds; how many were taken. */
    private String take(Words words) {
        int before = held.size();
        for (int i = 0; i < words.number(0); i++) {
            held.addAll(
                    contender.leat().take(TakeRequest.from(LeatContender.QUEUE).count(words.number(1))));
        }
        return String.valueOf(held.size() - before);
    }

    /** {@code keep <size>}: takes and never settles. */
    private String keep(Words words) {
        contender.leat().take(TakeRequest.from(LeatContender.QUEUE).count(words.number(0)));
        return "";
    }

    /** {@code ack <size>}: acknowledges what is held, so many at a time. */
    private String ack(Words words) {
        for (int from = 0; from < held.size(); from += words.number(0)) {
            List<TakenTask> some = held.subList(from, Math.min(from + words.number(0), held.size()));
            contender
                    .leat()
                    .settle(some.stream().map(task -> Settle.ack(task.lease())).toList());
        }
        held.clear();
        return "";
    }

    /**
     * {@code take-and-ack <threads> <size>}: takes small batches and acknowledges them until nothing comes for two
     * seconds; how many that were, and when the first and the last were acknowledged.
     */
    private String takeAndAck(Words words) throws Exception {
        int threads = words.number(0);
        TakeRequest request = TakeRequest.from(LeatContender.QUEUE).count(words.number(1));
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<long[]>> loops = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                loops.add(pool.submit(() -> takeAndAckUntilEmpty(request)));
            }
            long tasks = 0;
            long first = Long.MAX_VALUE;
            long last = Long.MIN_VALUE;
            for (Future<long[]> loop : loops) {
                long[] part = loop.get();
                tasks += part[0];
                first = Math.min(first, part[1]);
                last = Math.max(last, part[2]);
            }
            return tasks + " " + first + " " + last;
        } finally {
            pool.shutdownNow();
        }
    }

    private long[] takeAndAckUntilEmpty(TakeRequest request) throws InterruptedException {
        Leat leat = contender.leat();
        long tasks = 0;
        long first = System.nanoTime();
        long last = first;
        for (List<TakenTask> taken = leat.take(request, EMPTY_FOR);
                !taken.isEmpty();
                taken = leat.take(request, EMPTY_FOR)) {
            leat.settle(taken.stream().map(task -> Settle.ack(task.lease())).toList());
            tasks += taken.size();
            last = System.nanoTime();
        }
        return new long[] {tasks, first, last};
    }

    /** {@code open-counting <url>}: opens a Leat whose takes from the storage are counted. */
    private String openCounting(Words words) {
        contender.open(Leat.builder(words.text(0)).storage(CountedTakes.of(words.text(0), takeCalls)));
        return "";
    }

    /** {@code sleep <sleepers>}: lets them wait for a task that they hold then. */
    private String sleep(Words words) {
        sleepers.clear();
        for (int i = 0; i < words.number(0); i++) {
            sleepers.add(
                    contender.leat().takeAsync(List.of(TakeRequest.from(LeatContender.QUEUE)), Duration.ofMinutes(1)));
        }
        return "";
    }

    private String awake() {
        return String.valueOf(
                sleepers.stream().filter(CompletableFuture::isDone).count());
    }
}
