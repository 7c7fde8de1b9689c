package dev.leat.examples;

import dev.leat.Leat;
import dev.leat.TaskEvent;
import dev.leat.topic.Subscription;
import dev.leat.worker.DeadSubscriber;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Subscriber;
import dev.leat.worker.Worker;
import dev.leat.worker.WorkerProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Handles two subscriptions of one topic independently. */
public final class PubSubWorker implements WorkerProgram {
    @Override
    public void configure(Worker.Builder worker, Map<String, String> environment) {
        worker.subscribers(environment.getOrDefault("QUEUE_NAME", "orders"), this);
    }

    @Subscriber("billing")
    public void bill(String order, Subscription subscription, RunningTask task) {
        System.out.println(subscription.id() + ": a bill for " + order);
    }

    @DeadSubscriber("billing")
    public void noBill(String order) {
        System.out.println("billing: no bill for " + order);
    }

    @Subscriber("shipping")
    public void ship(String order, Subscription subscription, RunningTask task) {
        System.out.println(subscription.id() + ": " + order + " for "
                + task.task().tenant().orElse("nobody") + " is on its way");
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("leat-example", ".db");
        try (Leat leat = Leat.open("sqlite:" + file)) {
            leat.subscriptions().put(Subscription.to("orders", "billing"));
            leat.subscriptions().put(Subscription.to("orders", "shipping").tenant("acme"));
            CountDownLatch done = new CountDownLatch(5); // two publications, and three copies of them
            leat.onTaskChange(change -> {
                if (change.kind() == TaskEvent.Kind.ACK) {
                    done.countDown();
                }
            });

            leat.publish("orders", "order 17", task -> task.tenant("acme"));
            leat.publish("orders", "order 18", task -> task.tenant("other"));
            Worker.Builder worker = leat.worker();
            new PubSubWorker().configure(worker, Map.of());
            worker.start();
            done.await();
        } finally {
            Files.delete(file);
        }
    }
}
