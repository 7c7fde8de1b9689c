package dev.leat.examples;

import dev.leat.Leat;
import dev.leat.TaskEvent;
import dev.leat.queue.QueueOptions;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Sends emails, and reports those that cannot be sent. */
public final class SimpleWorker implements WorkerProgram {
    @Override
    public void configure(Worker.Builder worker, Map<String, String> environment) {
        String queue = environment.getOrDefault("QUEUE_NAME", "emails");
        worker.handle(queue, String.class, SimpleWorker::send)
                .handleDead(queue, String.class, (address, task) -> System.out.println("Given up: " + address));
    }

    private static void send(String address, RunningTask task) {
        if (!address.contains("@")) {
            throw new IllegalArgumentException("no address: " + address);
        }
        System.out.println("Sent to " + address + ", attempt " + task.task().attempts());
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("leat-example", ".db");
        try (Leat leat = Leat.open("sqlite:" + file)) {
            QueueOptions options = QueueOptions.nsj();
            leat.queue("emails")
                    .declare(options.toBuilder()
                            .retry(options.retry().maxFailures(1)) // instead of 100 attempts, of which none is soon
                            .build());
            CountDownLatch done = new CountDownLatch(3);
            leat.onTaskChange(change -> {
                if (change.kind() == TaskEvent.Kind.ACK) {
                    done.countDown();
                }
            });

            leat.put("emails", "ada@example.org");
            leat.put("emails", "nobody");
            leat.put("emails", "bob@example.org");
            Worker.Builder worker = leat.worker();
            new SimpleWorker().configure(worker, Map.of());
            worker.start();
            done.await();
        } finally {
            Files.delete(file);
        }
    }
}
