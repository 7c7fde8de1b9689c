package dev.leat.bench;

import static dev.leat.bench.Work.check;

import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.worker.RunningTask;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Many tasks behind few keys. */
final class BusyKeys {
    private BusyKeys() {}

    /** Watches that a key's tasks run in order, one at a time. */
    private static final class KeyWatch {
        private final AtomicBoolean running = new AtomicBoolean();
        private long lastId;
        private int count;
        private volatile boolean broken;

        /** The fields are written by whoever set {@code running}, so the next one sees them. */
        void run(RunningTask task) {
            boolean alone = running.compareAndSet(false, true);
            if (!alone || task.id() <= lastId) {
                broken = true;
            }
            lastId = task.id();
            count++;
            running.set(false);
        }
    }

    /** The tasks of each key come in one block, so that takes meet all of them: the hardest order (T48). */
    static long drain(int keys, int tasksPerKey, int consumers) {
        List<KeyWatch> watches = Stream.generate(KeyWatch::new).limit(keys).toList();
        try (WorkerDrain drain = new WorkerDrain(QueueOptions.standard())) {
            for (int key = 0; key < keys; key++) {
                for (int i = 0; i < tasksPerKey; i += Work.BATCH) {
                    drain.put(Work.tasksOf(Integer.toString(key), Work.BATCH));
                }
            }
            long nanos = drain.run(consumers, (payload, task) -> {
                int key = Integer.parseInt(task.task().key().orElseThrow());
                watches.get(key).run(task);
            });
            for (KeyWatch watch : watches) {
                check(!watch.broken, "a key's tasks ran out of order, or two at once");
                check(watch.count == tasksPerKey, "a key ran " + watch.count + " tasks, not " + tasksPerKey);
            }
            return nanos;
        }
    }

    /** Takes of tasks without a key, one by one, while {@code blocked} tasks stand before them behind a busy key. */
    static long takeBehind(int blocked, int takes) {
        try (Storage storage = Storages.open("memory:", StorageSettings.standard())) {
            storage.queues().create(Work.QUEUE, QueueOptions.standard());
            TakeRequest request =
                    TakeRequest.from(Work.QUEUE).session(storage.sessions().open(SessionSpec.named("bench")));
            storage.put(Work.tasksOf("busy", blocked + 1));
            storage.put(Work.tasks(takes + 1));
            storage.take(request); // holds the key
            takeAndAck(storage, request); // parks whoever stands behind it
            long nanos = 0;
            for (int i = 0; i < takes; i++) {
                nanos += takeAndAck(storage, request);
            }
            return nanos;
        }
    }

    private static long takeAndAck(Storage storage, TakeRequest request) {
        long start = System.nanoTime();
        List<TakenTask> taken = storage.take(request);
        long nanos = System.nanoTime() - start;
        check(taken.size() == 1 && taken.get(0).task().key().isEmpty(), "took a task of the busy key");
        storage.settle(List.of(Settle.ack(taken.get(0).lease())));
        return nanos;
    }
}
