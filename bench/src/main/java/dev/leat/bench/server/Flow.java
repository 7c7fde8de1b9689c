package dev.leat.bench.server;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Four producers and four consumers of one queue, at most 20,000 tasks apart. */
final class Flow {
    private static final int EACH = 4;
    private static final int MOST_AHEAD = 20_000;
    private static final int PAYLOAD_BYTES = 100;
    private static final Duration WAIT = Duration.ofMillis(200);
    private static final int PICK_UPS = 300;

    private final Leat leat;
    private final String queue;
    private final int batch;
    private final AtomicLong done = new AtomicLong();
    private final Semaphore room = new Semaphore(MOST_AHEAD);
    private volatile boolean isOver;

    private Flow(Leat leat, String queue, int batch) {
        this.leat = leat;
        this.queue = queue;
        this.batch = batch;
    }

    /** Tasks per second that went all the way, after a second of run-up. */
    static double rate(Leat leat, String queue, int batch, Duration time) throws Exception {
        leat.queue(queue).ensure();
        Flow flow = new Flow(leat, queue, batch);
        ExecutorService threads = Executors.newFixedThreadPool(2 * EACH);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < EACH; i++) {
                running.add(threads.submit(flow::produce));
                running.add(threads.submit(flow::consume));
            }
            TimeUnit.SECONDS.sleep(1);
            long before = flow.done.get();
            long began = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
            double rate = (flow.done.get() - before) * 1e9 / (System.nanoTime() - began);
            flow.isOver = true;
            flow.room.release(MOST_AHEAD);
            for (Future<?> each : running) {
                each.get();
            }
            return rate;
        } finally {
            threads.shutdown();
            leat.queue(queue).truncate();
        }
    }

    private Void produce() throws InterruptedException {
        while (!isOver) {
            room.acquire(batch);
            List<NewTask> tasks = new ArrayList<>(batch);
            for (int i = 0; i < batch; i++) {
                tasks.add(NewTask.to(queue)
                        .payload(Payload.of(new byte[PAYLOAD_BYTES]))
                        .build());
            }
            leat.putAll(tasks);
        }
        return null;
    }

    private Void consume() throws InterruptedException {
        while (!isOver) {
            List<TakenTask> taken = leat.take(TakeRequest.from(queue).count(batch), WAIT);
            if (!taken.isEmpty()) {
                leat.settle(taken.stream().map(task -> Settle.ack(task.lease())).toList());
                done.addAndGet(taken.size());
                room.release(taken.size());
            }
        }
        return null;
    }

    /** From before a put to a take that waited for it, in milliseconds; the median. */
    static double pickUp(Leat leat, String queue) throws Exception {
        leat.queue(queue).ensure();
        double[] millis = new double[PICK_UPS];
        for (int i = 0; i < PICK_UPS; i++) {
            CompletableFuture<List<TakenTask>> waiting =
                    leat.takeAsync(List.of(TakeRequest.from(queue)), Duration.ofMinutes(1));
            TimeUnit.MILLISECONDS.sleep(10);
            long began = System.nanoTime();
            leat.put(queue, "x");
            TakenTask taken = waiting.get().get(0);
            millis[i] = (System.nanoTime() - began) / 1e6;
            leat.ack(taken);
        }
        Arrays.sort(millis);
        return millis[PICK_UPS / 2];
    }
}
