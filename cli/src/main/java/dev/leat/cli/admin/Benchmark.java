package dev.leat.cli.admin;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.Queue;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.cli.console.Progress;
import dev.leat.error.LeatException;
import dev.leat.queue.QueueOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures how fast a storage is, in a queue of its own.
 *
 * <p>Threads of its own put and take, while the caller's shows how far they are. Closing it, from any thread, ends them and then
 * removes the queue; doing so twice does no harm.
 */
public final class Benchmark implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Benchmark.class);
    private static final int SINGLE_TASKS = 200;
    private static final Payload PAYLOAD = Payload.of("x".repeat(100));
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);
    /** Pause of a consumer that finds no task because other consumers hold the last ones. */
    private static final Duration WAIT = Duration.ofMillis(50);

    private static final Duration LONGEST_PICK_UP = Duration.ofSeconds(30);
    private static final Duration LONGEST_END = Duration.ofSeconds(10);

    private final Leat leat;
    private final Queue queue;
    private final Load load;
    private final ExecutorService threads;
    private boolean isMade;
    private boolean isClosed;

    /**
     * How much is done.
     *
     * @param tasks how many are put and taken
     * @param batch how many at once
     * @param threads how many put at the same time, and how many take afterwards
     */
    record Load(long tasks, int batch, int threads) {}

    /**
     * The measured figures.
     *
     * @param put how long all puts took together
     * @param acked how long it took to take and acknowledge all
     * @param total how long everything took
     * @param pickUps nanoseconds from the put of a single task until a waiting take had it; sorted
     */
    record Figures(Duration put, Duration acked, Duration total, List<Long> pickUps) {
        Duration pickUp(int percent) {
            return Duration.ofNanos(pickUps.get((pickUps.size() * percent + 99) / 100 - 1));
        }
    }

    Benchmark(Leat leat, String queue, Load load) {
        this.leat = leat;
        this.queue = leat.queue(queue);
        this.load = load;
        this.threads = Executors.newFixedThreadPool(load.threads(), run -> {
            Thread thread = new Thread(run, "leat-bench");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Measures one thing after the other, so that no measurement slows another down. */
    Figures run() throws InterruptedException {
        makeQueue();
        long began = System.nanoTime();
        AtomicLong unput = new AtomicLong(load.tasks());
        AtomicLong put = new AtomicLong();
        Duration putting = measure("putting", put, () -> putAll(unput, put));
        AtomicLong acked = new AtomicLong();
        Duration acking = measure("taking", acked, () -> ackAll(acked));
        List<Long> pickUps = pickUps();
        return new Figures(putting, acking, Duration.ofNanos(System.nanoTime() - began), pickUps);
    }

    private synchronized void makeQueue() throws InterruptedException {
        if (isClosed) {
            throw new InterruptedException("stopped before it began");
        }
        queue.create(QueueOptions.standard());
        isMade = true;
    }

    /**
     * Lets all threads do the same.
     *
     * @param work answers when its last task was done, in nanoseconds
     */
    private Duration measure(String verb, AtomicLong done, Callable<Long> work) throws InterruptedException {
        ExecutorCompletionService<Long> ends = new ExecutorCompletionService<>(threads);
        long began = System.nanoTime();
        for (int i = 0; i < load.threads(); i++) {
            ends.submit(work);
        }
        long ended = began;
        try (Progress progress = Progress.onTerminal(verb, () -> OptionalLong.of(load.tasks()))) {
            int running = load.threads();
            while (running > 0) {
                @Nullable Future<Long> end = ends.poll(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                progress.show(done.get());
                if (end != null) {
                    ended = Math.max(ended, result(end));
                    running--;
                }
            }
        }
        return Duration.ofNanos(ended - began);
    }

    private static <T> T result(Future<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeatException failure) {
                throw failure;
            }
            if (e.getCause() instanceof InterruptedException interrupted) {
                throw interrupted;
            }
            throw new IllegalStateException("A thread of the benchmark failed", e);
        }
    }

    private long putAll(AtomicLong unput, AtomicLong put) throws InterruptedException {
        NewTask task = NewTask.to(queue.name()).payload(PAYLOAD).build();
        long ended = System.nanoTime();
        while (true) {
            long left = unput.getAndAdd(-load.batch());
            if (left <= 0) {
                return ended;
            }
            checkGoesOn();
            int count = (int) Math.min(left, load.batch());
            leat.putAll(Collections.nCopies(count, task));
            put.addAndGet(count);
            ended = System.nanoTime();
        }
    }

    private long ackAll(AtomicLong acked) throws InterruptedException {
        TakeRequest request = TakeRequest.from(queue.name()).count(load.batch());
        long ended = System.nanoTime();
        while (acked.get() < load.tasks()) {
            checkGoesOn();
            List<TakenTask> taken = leat.take(request, WAIT);
            if (!taken.isEmpty()) {
                List<SettleResult> results = leat.settle(
                        taken.stream().map(task -> Settle.ack(task.lease())).toList());
                acked.addAndGet(results.stream().filter(SettleResult::accepted).count());
                ended = System.nanoTime();
            }
        }
        return ended;
    }

    private static void checkGoesOn() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("stopped");
        }
    }

    /** Runs on a thread that {@link #close} waits for: no put may reach a queue that is being dropped. */
    private List<Long> pickUps() throws InterruptedException {
        return result(threads.submit(() -> {
            long[] nanos = new long[SINGLE_TASKS];
            for (int i = 0; i < nanos.length; i++) {
                nanos[i] = pickUp();
            }
            Arrays.sort(nanos);
            return Arrays.stream(nanos).boxed().toList();
        }));
    }

    /** A take waits already when the task is put. */
    private long pickUp() throws InterruptedException {
        CompletableFuture<List<TakenTask>> answer =
                leat.takeAsync(List.of(TakeRequest.from(queue.name())), LONGEST_PICK_UP);
        CompletableFuture<Long> pickedUp = answer.thenApply(tasks -> System.nanoTime());
        try {
            long began = System.nanoTime();
            leat.putAll(List.of(NewTask.to(queue.name()).payload(PAYLOAD).build()));
            List<TakenTask> tasks = result(answer);
            if (tasks.isEmpty()) {
                throw new LeatException("A task of " + queue.name() + " was not picked up within " + LONGEST_PICK_UP);
            }
            leat.ack(tasks.get(0));
            return pickedUp.join() - began;
        } finally {
            answer.cancel(true); // a queue that somebody waits for could not be removed
        }
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(LONGEST_END.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("The threads of the benchmark have not ended within {}", LONGEST_END);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (isMade) {
            queue.releaseAll();
            queue.drop();
        }
    }
}
