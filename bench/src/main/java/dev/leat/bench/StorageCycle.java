package dev.leat.bench;

import static dev.leat.bench.Work.check;

import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Put, take and ack through the storage itself, behind a backlog. Safe for use by many threads. */
final class StorageCycle implements AutoCloseable {
    private final Storage storage = Storages.open("memory:", StorageSettings.standard());
    private final TakeRequest request;

    StorageCycle() {
        storage.queues().create(Work.QUEUE, QueueOptions.standard());
        request = TakeRequest.from(Work.QUEUE).session(storage.sessions().open(SessionSpec.named("bench")));
        storage.put(Work.tasks(Work.BACKLOG));
    }

    /** Puts, takes and acknowledges {@code tasks} in batches on each of {@code threads}. */
    static long nanos(int tasks, int batch, int threads) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (StorageCycle cycle = new StorageCycle()) {
            long start = System.nanoTime();
            List<Future<?>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                parts.add(pool.submit(() -> cycle.run(tasks / threads, batch)));
            }
            for (Future<?> part : parts) {
                part.get();
            }
            long nanos = System.nanoTime() - start;
            cycle.checkNothingIsLost();
            return nanos;
        } finally {
            pool.shutdownNow();
        }
    }

    private void run(int tasks, int batch) {
        for (int done = 0; done < tasks; done += batch) {
            once(batch);
        }
    }

    List<SettleResult> once(int batch) {
        storage.put(Work.tasks(batch));
        List<Settle> acks = new ArrayList<>(batch);
        for (TakenTask task : storage.take(request.count(batch))) {
            acks.add(Settle.ack(task.lease()));
        }
        check(acks.size() == batch, "a take got " + acks.size() + " of " + batch);
        return storage.settle(acks);
    }

    private void checkNothingIsLost() {
        var stats = storage.queues().stats(Work.QUEUE);
        check(stats.count(TaskState.READY) == Work.BACKLOG && stats.live() == Work.BACKLOG, "left over: " + stats);
    }

    @Override
    public void close() {
        storage.close();
    }
}
