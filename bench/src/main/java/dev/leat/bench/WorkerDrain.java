package dev.leat.bench;

import static dev.leat.bench.Work.check;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskEvent;
import dev.leat.queue.QueueOptions;
import dev.leat.worker.Handler;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A worker that works off a full queue, through the public API alone. */
final class WorkerDrain implements AutoCloseable {
    private static final long LOOK_EVERY = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long GIVE_UP_AFTER = TimeUnit.MINUTES.toNanos(5);

    private final Leat leat = Leat.open("memory:");
    private long put;

    WorkerDrain(QueueOptions options) {
        leat.queue(Work.QUEUE).create(options);
    }

    static long nanos(int tasks, int concurrency, QueueOptions options) {
        try (WorkerDrain drain = new WorkerDrain(options)) {
            for (int i = 0; i < tasks; i += Work.BATCH) {
                drain.put(Work.tasks(Work.BATCH));
            }
            return drain.run(concurrency, (payload, task) -> {});
        }
    }

    void put(List<NewTask> tasks) {
        leat.putAll(tasks);
        put += tasks.size();
    }

    /** Starts a worker, and answers how long it took until every task was acknowledged. */
    long run(int concurrency, Handler<byte[]> handler) {
        check(leat.queue(Work.QUEUE).stats().live() == put, "not all tasks are there");
        long start = System.nanoTime();
        Worker worker = leat.worker()
                .handle(Work.QUEUE, byte[].class, handler)
                .concurrency(concurrency)
                .start();
        while (leat.queue(Work.QUEUE).stats().live() > 0) {
            LockSupport.parkNanos(LOOK_EVERY);
            check(System.nanoTime() - start < GIVE_UP_AFTER, "the worker does not get done");
        }
        long nanos = System.nanoTime() - start;
        worker.stop(Duration.ofSeconds(10));
        long acknowledged = leat.queue(Work.QUEUE).calls().count(TaskEvent.Kind.ACK);
        check(acknowledged == put, acknowledged + " of " + put + " tasks were acknowledged");
        return nanos;
    }

    @Override
    public void close() {
        leat.close();
    }
}
