package dev.leat.storagetests.worker;

import dev.leat.Codec;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.error.PayloadException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storagetests.RealTimeTest;
import dev.leat.worker.Handler;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** What the tests of workers share: handlers that can be held, and short words for the common steps. */
public abstract class WorkerTest extends RealTimeTest {
    protected Worker start(Handler<String> handler) {
        return leat.worker().handle(Q, String.class, handler).start();
    }

    protected Worker.Builder worker(Gate gate) {
        return leat.worker().handle(Q, String.class, gate);
    }

    /** Works for a while, as a handler does that computes. */
    protected static void spin(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    protected Task peek(long id) {
        return leat.peek(id).orElseThrow();
    }

    protected List<Long> putMany(int count) {
        List<NewTask> tasks = IntStream.range(0, count)
                .mapToObj(i -> task().payload("t" + i).build())
                .toList();
        return leat.putAll(tasks).stream().map(result -> result.id()).toList();
    }

    /** Polls rarely, because counting many tasks often would slow down the workers. */
    protected void awaitDone(long atLeast) {
        Awaitility.await("the queue to be drained")
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(100))
                .pollDelay(Duration.ZERO)
                .until(() -> {
                    var stats = leat.queue(Q).stats();
                    return stats.live() == 0 && stats.count(TaskState.DONE) >= atLeast;
                });
    }

    protected long putNumber(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return put(task().payload(Payload.of(bytes, Numbers.TYPE)));
    }

    protected void createDeadQueue() {
        leat.queue("dying")
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard().maxFailures(2).backoff(Backoff.none()))
                        .exhaustion(Exhaustion.DEAD_HANDLER)
                        .build());
    }

    /** Reads whole numbers. */
    public static final class Numbers implements Codec {
        static final String TYPE = "test/number";

        @Override
        public boolean writes(Class<?> type) {
            return false;
        }

        @Override
        public boolean reads(String contentType) {
            return contentType.equals(TYPE);
        }

        @Override
        public Payload encode(Object value) {
            throw new PayloadException("writes nothing");
        }

        @Override
        public <T> T decode(Payload payload, Class<T> type) {
            try {
                return type.cast(Integer.valueOf(payload.text()));
            } catch (NumberFormatException e) {
                throw new PayloadException("'" + payload.text() + "' is not a number", e);
            }
        }
    }

    /**
     * Quick until told to slow down, so that many tasks are at hand which it will not get round to for seconds. It still
     * starts them often enough for the worker to keep them.
     */
    public static final class SlowingHandler implements Handler<String> {
        private static final int AT_HAND = 20;

        private final AtomicInteger ran = new AtomicInteger();
        private volatile boolean slow;

        @Override
        public void handle(String payload, RunningTask task) throws InterruptedException {
            if (slow) {
                new CountDownLatch(1).await(150, TimeUnit.MILLISECONDS);
            } else {
                spin(Duration.ofNanos(200_000));
            }
            ran.incrementAndGet();
        }

        void slowDownWithTasksAtHand(Worker worker) {
            await("tasks to be taken ahead", () -> worker.stats().prefetched() >= AT_HAND);
            slow = true;
            int ranBefore = ran();
            await("what is on its way to come", () -> ran() >= ranBefore + 3);
        }

        void hurry() {
            slow = false;
        }

        int ran() {
            return ran.get();
        }
    }

    /** Counts how many handlers are inside at once. */
    public static final class Gauge {
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void hold(String payload, RunningTask task) {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            Thread.yield();
            inside.decrementAndGet();
        }

        int most() {
            return most.get();
        }
    }

    /** A handler that blocks its tasks until the test opens it. */
    public static final class Gate implements Handler<String> {
        private final Set<RunningTask> inside = ConcurrentHashMap.newKeySet();
        private final Set<RunningTask> interrupted = ConcurrentHashMap.newKeySet();
        private final Semaphore exit = new Semaphore(0, true);
        private final AtomicInteger gone = new AtomicInteger();

        @Override
        public void handle(String payload, RunningTask task) throws InterruptedException {
            inside.add(task);
            try {
                exit.acquire();
            } catch (InterruptedException e) {
                interrupted.add(task);
                throw e;
            } finally {
                inside.remove(task);
                gone.incrementAndGet();
            }
        }

        public void awaitInside(int count) {
            await(count + " handlers to run", () -> inside.size() == count);
        }

        /** Lets so many out, and waits until they are. */
        void open(int times) {
            int before = gone.get();
            exit.release(times);
            await(times + " handlers to end", () -> gone.get() >= before + times);
        }

        public void openForGood() {
            exit.release(1_000_000);
        }

        List<RunningTask> inside() {
            return List.copyOf(inside);
        }

        Set<RunningTask> interrupted() {
            return interrupted;
        }
    }
}
