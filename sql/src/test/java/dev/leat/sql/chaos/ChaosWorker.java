package dev.leat.sql.chaos;

import dev.leat.Leat;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.worker.RunningTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process with a worker that writes down what it does; it ends when its input does, or by force. */
final class ChaosWorker {
    static final String QUEUE = "work";
    static final Duration HEARTBEAT = Duration.ofMillis(200);
    static final Duration DEAD_AFTER = Duration.ofSeconds(1);
    private static final int AT_ONCE = 4;
    /** The end of the input; whoever works then works no longer. */
    private static final CountDownLatch END = new CountDownLatch(1);

    private ChaosWorker() {}

    /** @param args the storage's URL, the folder of the ledger, and the name of this process */
    public static void main(String[] args) throws IOException {
        Ledger ledger = Ledger.of(Path.of(args[1]), args[2]);
        Storage storage = RecordedStorage.of(Storages.open(args[0], StorageSettings.standard()), ledger);
        try (Leat leat = Leat.builder("")
                .storage(storage)
                .name(args[2])
                .heartbeat(HEARTBEAT, DEAD_AFTER)
                .open()) {
            leat.worker()
                    .handle(QUEUE, String.class, (work, task) -> run(work, task, ledger))
                    .concurrency(AT_ONCE)
                    .start();
            while (System.in.read() >= 0) {
                // only its end says something
            }
            END.countDown();
        }
    }

    /** @param work how many milliseconds it takes, whether the first try fails, and the label of the put */
    private static void run(String work, RunningTask task, Ledger ledger) throws InterruptedException {
        String[] words = work.split(" ");
        ledger.write(Entry.Event.STARTED, task.lease(), words[2]);
        try {
            boolean unused = END.await(Long.parseLong(words[0]), TimeUnit.MILLISECONDS);
            if (words[1].equals("fails") && task.task().failures() == 0) {
                throw new IllegalStateException("fails once");
            }
        } finally {
            ledger.write(Entry.Event.ENDED, task.lease(), "");
        }
    }
}
